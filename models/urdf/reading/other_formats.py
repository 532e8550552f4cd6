"""Models in other formats than URDF, which Drake reads by itself.

Of them we read only which files they refer to.
"""

import re
from pathlib import Path

from backbeat.models.common.errors import BackbeatError, shown
from backbeat.models.common.outside_file import leaves, read_text
from backbeat.models.urdf.reading.meshes import reach

_NAMES = re.compile(
    r"<uri>\s*([^<]*?)\s*</uri>"
    r"|\b(?:file|filename|uri|meshdir|texturedir|assetdir)\s*[=:]\s*[\"']?([^\"'\s<>]+)"
)
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
# Of our own packages, which are no secret.
_OURS = "package://backbeat_models/"


def refuse_foreign_files(path: str | Path) -> None:
    """Refuses a model that refers to files which lie neither beside nor below it.

    Raises:
        BackbeatError: it does, or cannot be read.
    """
    path = Path(path)
    text = read_text(path, "model")
    for match in _NAMES.finditer(text):
        name = match[1] or match[2] or ""
        if name.startswith(_OURS) and ".." not in name:
            continue
        is_elsewhere = all(leaves(f, path.parent / name) for f in reach(path))
        if _SCHEME.match(name) or is_elsewhere:
            raise BackbeatError(
                f"{path} refers to {shown(name)}, which lies neither beside nor below "
                "it; put it there and name it relative to the file"
            )
