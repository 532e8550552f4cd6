"""Hits of a run by drum: how many, how late, how far off; and each with its bar."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from backbeat.models.kit.description import parse_kit
from backbeat.mpc.analysis.story_bars import story_grid, story_place
from backbeat.report.plots.run_curves import patch_words


def hits_by_member(story: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One row a drum, in the order of the kit; empty without drumming.

    Args:
        story: of a run file.

    Returns:
        Rows with `member`, `planned`, `made`, and of those that were made `bias`,
        `sd`, `most` [ms] and `place`, where in the music that was, `offset` [mm] at
        most and `speed` [m/s] in the mean; None where none was made.
    """
    if not story["hits"]:
        return []
    table = pd.DataFrame(story["hits"])
    rows = []
    for member in (
        m
        for m in parse_kit(str(story.get("kit", ""))).members
        if m in set(table["member"])
    ):
        mine = table[table["member"] == member]
        made = mine[mine["made"]]
        row = {
            "member": member.replace("_", " "),
            "planned": len(mine),
            "made": len(made),
            **dict.fromkeys(("bias", "sd", "most", "place", "offset", "speed")),
        }
        if len(made):
            error = 1e3 * made["error"].astype(float)
            row |= {
                "bias": float(error.mean()),
                "sd": float(error.std(ddof=0)),
                "most": float(error.abs().max()),
                "place": story_place(story, float(made["time"][error.abs().idxmax()])),
                "offset": 1e3 * float(made["offset"].max()),
                "speed": float(made["speed"].mean()),
            }
        rows.append(row)
    return rows


def hits_in_bars(story: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One row a hit, planned or not, in order of time.

    Args:
        story: of a run file.

    Returns:
        Rows with `place`, bar and quarter note such as "2:3.5" or "" without music,
        `time` [s] when it is asked for, or is where it is not planned, `member`, `by`
        what struck, `outcome`, which is "made", "missed" or the kind of an unplanned
        one, `late` [ms] and `speed` [m/s]; None where it is missed or not planned.
    """
    grid, rows = story_grid(story), []
    for hit in [*story["hits"], *(story.get("extra_hits") or [])]:
        is_planned = "made" in hit
        is_made = is_planned and hit["made"]
        place = grid.place(hit["time"])
        unplanned = f"unplanned {hit.get('kind', '')}"
        rows.append(
            {
                "place": "" if place is None else f"{place[0]}:{round(place[1], 2):g}",
                "time": hit["time"],
                "member": (hit["member"] or "nothing").replace("_", " "),
                "by": patch_words(hit["tip"].removesuffix("_tip")),
                "outcome": ("made" if is_made else "missed")
                if is_planned
                else unplanned,
                "late": 1e3 * hit["error"] if is_made else None,
                "speed": hit["speed"] if is_made or not is_planned else None,
            }
        )
    return sorted(rows, key=lambda row: row["time"])
