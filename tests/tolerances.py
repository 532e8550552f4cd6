"""Every numeric tolerance of the tests, each with its reason."""

# Two exact formulas in double precision, relative to the largest entry.
EXACT = 1e-12
# The same after sums over thirty bodies and products of ill-scaled numbers.
RECURSION = 1e-10
# Fourth-order finite differences with step 1e-4 of smooth functions: truncation
# about 1e-12 and rounding 1e-16 / 1e-4, relative to the largest entry.
FINITE_DIFFERENCE = 2e-8
