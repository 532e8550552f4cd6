"""Arrays by what is in them: types of what compiled functions read and write.

All are NumPy arrays, and contiguous in C order where they do not say otherwise. To
mypy they are one type; the translator of compiled functions reads the names.
"""

import numpy as np

# Numbers (float64), by dimensions.
Vector = np.ndarray
Matrix = np.ndarray
Array3 = np.ndarray
Array4 = np.ndarray
Array5 = np.ndarray
# The same where they may be parts of larger arrays, as a column or a transpose.
VectorView = np.ndarray
MatrixView = np.ndarray
Array3View = np.ndarray
FlagsView = np.ndarray
# Whole numbers (int64, and int32 for DAQP and MuJoCo).
Indices = np.ndarray
IndexMatrix = np.ndarray
IndexArray3 = np.ndarray
Indices32 = np.ndarray
Indices32View = np.ndarray
IndexMatrix32View = np.ndarray
# Whether (bool).
Flags = np.ndarray
FlagMatrix = np.ndarray
