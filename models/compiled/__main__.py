"""`python -m models.compiled`: compiles now what the first command would compile."""

from models.compiled.build import SHIPPED, find_library

if not SHIPPED.exists():
    find_library()
