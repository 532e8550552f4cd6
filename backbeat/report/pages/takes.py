"""The takes of an import as a page to browse: a picture, what came of each, figures."""

import base64
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.outside_file import leaves, read_bytes
from backbeat.report.pages.template import rendered

# Names of figures, their columns of the take and of the behavior, factor and unit.
FIGURES = (
    ("feet slide", "slide_before_mm", "slide_after_mm", 1.0, "mm"),
    ("below the floor", "penetration_before_mm", "penetration_after_mm", 1.0, "mm"),
    ("torque", "torque_share_before", "torque_share_after", 100.0, "%"),
    ("joint speed", "speed_share_before", "speed_share_after", 100.0, "%"),
    ("off balance", "off_balance_before", "off_balance_after", 100.0, "% of time"),
)
DISTANCES = (
    ("root", "root_rms_mm", " mm"),
    ("turn", "root_rms_deg", "°"),
    ("joints", "joints_rms_deg", "°"),
)


def takes_page(
    rows: Sequence[Mapping[str, Any]], library: str | Path, statuses: Sequence[str]
) -> str:
    """HTML of one page that needs nothing else.

    Args:
        rows: of the table of an import, see `backbeat.jobs.take_table`.
        library: folder that its paths are in.
        statuses: what can become of a take, in the order of the page.
    """
    library = Path(library)
    count = Counter(row["status"] for row in rows)
    return rendered(
        "takes.html",
        title=library.resolve().name,
        takes=[_told(row, library) for row in sorted(rows, key=_place)],
        count=[(status, count[status]) for status in statuses if count[status]],
        whole=_whole(rows),
    )


def _place(row: Mapping[str, Any]) -> str:
    return str(row["source"])


def _whole(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Sums over all takes [s]."""
    keys = ("seconds", "kept_s", "processor_s")
    return {key: sum(row[key] or 0.0 for row in rows) for key in keys}


def _told(row: Mapping[str, Any], library: Path) -> dict[str, Any]:
    """What the page has of a take."""
    return {
        **row,
        "image": _image(str(row["picture"] or ""), library),
        "figures": [
            (name, _shown(row[a], scale), _shown(row[b], scale), unit)
            for name, a, b, scale, unit in FIGURES
            if row[a] is not None or row[b] is not None
        ],
        "distances": [
            (name, _shown(row[column], 1.0), unit)
            for name, column, unit in DISTANCES
            if row[column] is not None
        ],
        "lines": str(row["notes"] or "").splitlines(),
    }


def _shown(value: float | None, scale: float) -> str:
    """A figure with two digits; small ones are nearly nothing."""
    if value is None:
        return "–"
    size = scale * value
    return "0" if abs(size) < 0.005 else f"{size:.0f}" if size >= 100 else f"{size:.2g}"


def _image(picture: str, library: Path) -> str:
    """A picture as part of the page; "" where there is none."""
    if not picture or leaves(library, library / picture):
        return ""
    try:
        content = read_bytes(library / picture, "card")
    except BackbeatError:
        return ""  # The take has a place without one.
    return f"data:image/jpeg;base64,{base64.b64encode(content).decode()}"
