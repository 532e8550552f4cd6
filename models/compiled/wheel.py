"""Hatch's build hook: a wheel brings the compiled functions along."""

import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from backbeat.models.compiled.bindings import write_program  # noqa: E402
from backbeat.models.compiled.build import compile_program, compilers  # noqa: E402
from backbeat.models.compiled.source import read_modules  # noqa: E402

# Minor version of the oldest glibc that Drake's wheels are made for.
DRAKE_GLIBC = 34


def needed_glibc(library: bytes) -> int:
    """Minor version of the oldest glibc 2 that loads a library and Drake.

    The platform tag of a wheel states it, after Mayeur et al., PEP 600, 2019.
    """
    symbols = re.findall(rb"\bGLIBC_2\.(\d+)", library)
    return max(DRAKE_GLIBC, *map(int, symbols))


class CompiledFunctions(BuildHookInterface[Any]):
    """Compiles when a wheel is made; a checkout compiles at its first start."""

    def dependencies(self) -> list[str]:
        """A compiler from the package index, where the system has none."""
        return [] if any(compilers()) else ["ziglang>=0.13"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds the library to a wheel, which is then one for this kind of machine."""
        if version == "editable":
            return
        self._folder = tempfile.TemporaryDirectory()
        library = Path(self._folder.name, "functions.so")
        compile_program(write_program(read_modules(ROOT)), library)
        build_data["force_include"][str(library)] = (
            "backbeat/models/compiled/functions.so"
        )
        build_data["pure_python"] = False
        glibc = needed_glibc(library.read_bytes())
        build_data["tag"] = f"py3-none-manylinux_2_{glibc}_x86_64"

    def finalize(self, version: str, build_data: dict[str, Any], artifact: str) -> None:
        """Removes what was made for the wheel."""
        if version != "editable":
            self._folder.cleanup()
