"""Hits of a run by drum: how many, how late, how far off."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from backbeat.models.kit.description import parse_kit
from backbeat.mpc.analysis.story_bars import story_place


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
