"""`python -m backbeat.models.compiled` compiles what the first command would."""

from backbeat.models.compiled.build import SHIPPED, find_library

if not SHIPPED.exists():
    find_library()
