"""Bound arguments: tuples of arrays that compiled functions take again and again.

At every call numba looks at each array of a tuple, which for the sixty arrays of a
whole-body program takes longer than some of the work. Bound, they are looked at once:
the compiled function gets one reference and reads `content`. The arrays are shared,
not copied.
"""

from typing import Any

from numba.core import types
from numba.experimental import structref

from models.rotations import compiled


@structref.register
class _BoundType(types.StructRef):
    def preprocess_fields(self, fields: Any) -> Any:
        return tuple((name, types.unliteral(kind)) for name, kind in fields)


class Bound(structref.StructRefProxy):
    """Arguments bound by `bind`; in compiled functions `content` is the tuple."""


structref.define_proxy(Bound, _BoundType, ["content"])


@compiled
def bind(content):
    """Binds a tuple of arrays, numbers and named tuples of them."""
    return Bound(content)
