"""COLLADA files that are zipped."""

import zipfile
import zlib
from io import BytesIO

from backbeat.models.common.bounds import BYTES

# Files in an archive.
_MOST_FILES = 1000


def unpacked(raw: bytes) -> bytes:
    """The COLLADA file in an archive, or what is none.

    Raises:
        ValueError: it holds none or one that is too large, or is damaged.
    """
    if not zipfile.is_zipfile(BytesIO(raw)):
        return raw
    try:
        return _unpacked(raw)
    # What is damaged, encrypted, or packed in a way that Python cannot read.
    except (zipfile.BadZipFile, zlib.error, RuntimeError, EOFError, OSError) as error:
        raise ValueError(f"its archive cannot be read: {error}") from None


def _unpacked(raw: bytes) -> bytes:
    most = BYTES["mesh"]
    with zipfile.ZipFile(BytesIO(raw)) as archive:
        infos = archive.infolist()[:_MOST_FILES]
        found = [i for i in infos if i.filename.lower().endswith(".dae")]
        if not found:
            raise ValueError("the archive holds no .dae file")
        with archive.open(found[0]) as file:
            # Not by the size that it claims to have.
            content = file.read(most + 1)
    if len(content) > most:
        raise ValueError(f"it is larger than {most / 1e6:g} MB when unpacked")
    return content
