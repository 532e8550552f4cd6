"""Rules of setlists: behaviors that cannot be joined, before anything is built."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from backbeat.behaviors.drumming.keys import DrummingKeys
from backbeat.behaviors.motion.authored import Specification
from backbeat.behaviors.motion.finding import RuleFinding, without_slip
from backbeat.behaviors.music.files.score_reader import NOTES
from backbeat.behaviors.setlist.song_row import SongRow
from backbeat.behaviors.setlist.specification import (
    SetlistEntry,
    SetlistSpecification,
    same_tempo,
)
from backbeat.behaviors.specification.kinds import (
    AS_IT_STANDS,
    Variant,
    find_specification,
    read_any,
    read_specification,
    shipped_names,
    shipped_setlists,
    ships,
)
from backbeat.behaviors.specification.transfer import is_of_other_size
from backbeat.models.common.errors import (
    UNKNOWN_BEHAVIOR,
    BackbeatError,
    NoMotionError,
    located,
)
from backbeat.models.common.outside_file import beside


def part_path(entry: SetlistEntry, folder: str | Path) -> Path:
    """Path of the specification of one of a setlist's behaviors.

    Raises:
        BackbeatError: there is none of that name.
    """
    if Path(entry.behavior).suffix.lower() in (".yaml", ".yml", *NOTES):
        return find_specification(beside(folder, entry.behavior, "the setlist"))
    return find_specification(entry.behavior)


def part_paths(setlist: SetlistSpecification, folder: str | Path) -> dict[str, Path]:
    """Specifications of a setlist's behaviors, by the names it uses.

    Raises:
        BackbeatError: there is none of a name.
    """
    setlist.check()
    return {n.behavior: part_path(n, folder) for n in setlist.behaviors}


def at_tempo(specification: Specification, bpm: float) -> Specification:
    """A specification at the tempo of a show, if that has one."""
    return specification.at_tempo(bpm) if bpm else specification


def as_in_show(
    specification: Specification, setlist: SetlistSpecification
) -> Specification:
    """A specification for the robot, equipment and tempo of a setlist."""
    return replace(
        at_tempo(specification, setlist.bpm),
        robot=setlist.robot,
        equipment=list(setlist.equipment),
    )


def sits(specification: Specification) -> bool:
    """Whether the robot of a specification sits and cannot walk on."""
    return getattr(specification, "seat", "none") != "none"


class SetlistPart(NamedTuple):
    """A behavior of a setlist, as it is read for the setlist's robot."""

    path: Path
    variant: Variant
    specification: Specification
    text: str


def read_parts(
    setlist: SetlistSpecification, folder: str | Path
) -> dict[str, SetlistPart]:
    """A setlist's behaviors by the names it uses.

    Those for a robot of another size are transferred.

    Raises:
        BackbeatError: one cannot be read, or is for one robot only.
    """
    found = {}
    for i, (name, path) in enumerate(part_paths(setlist, folder).items()):
        with located("behaviors", i, "behavior"):
            specification, text = read_specification(path)
            variant = AS_IT_STANDS
            if is_of_other_size(specification.robot, setlist.robot):
                variant = Variant(robot=setlist.robot)
                other, text = read_any(path, variant)
                assert isinstance(other, Specification)
                specification = other
        found[name] = SetlistPart(path, variant, specification, text)
    return found


def song_row(
    setlist: SetlistSpecification, parts: Mapping[str, SetlistPart]
) -> SongRow | None:
    """A setlist of songs that are all played seated, as one; None for any other.

    Args:
        setlist: the setlist.
        parts: its behaviors by the names that it uses.

    Raises:
        BackbeatError: they are not for one drummer and kit, or cannot be read.
    """
    if not all(sits(part.specification) for part in parts.values()):
        return None
    songs = []
    for entry in setlist.entries():
        part = parts[entry.behavior]
        song, folder = as_in_show(part.specification, setlist), part.path.parent
        assert isinstance(song, DrummingKeys)
        pause = entry.rest
        if entry.beats:
            pause += entry.beats * 60.0 / song.tempo(folder)
        songs.append((song, str(folder), pause))
    return SongRow.of(setlist.name, setlist.summary, songs)


def of_entry(
    error: BackbeatError,
    setlist: SetlistSpecification,
    name: str,
    specification: Specification,
    folder: str | Path,
) -> BackbeatError:
    """Why a behavior of a setlist was not built, with its entry and what would help.

    Args:
        error: of its build.
        setlist: the setlist.
        name: that it has for the behavior.
        specification: of the behavior as in the show.
        folder: where that is.
    """
    row = next(i for i, n in enumerate(setlist.behaviors) if n.behavior == name)
    sentence = error.about(specification.name)
    if isinstance(error, NoMotionError):
        for remark in specification.carrying_remarks(folder):
            sentence = BackbeatError(sentence).and_then(f"; {remark}")
    return BackbeatError(
        f"{setlist.name}, entry {row + 1}: {sentence}", path=("behaviors", row)
    )


def shadows(path: str | Path) -> dict[Path, str]:
    """Files that are stored under names of what ships, with those names.

    These are the file itself and, for a setlist, those of its behaviors that it takes
    as they are.
    """
    path = Path(path)
    if ships(path):
        return {}  # So do its behaviors.
    try:
        setlist, _ = read_any(path)
        named = {path: setlist.name}
        if isinstance(setlist, SetlistSpecification):
            for part in part_paths(setlist, path.parent).values():
                specification, _ = read_specification(part)
                if as_in_show(specification, setlist) == specification:
                    named[part] = specification.name
    except BackbeatError:
        return {}  # The build reports it.
    shipped = {*shipped_names(), *shipped_setlists()}
    return {f: name for f, name in named.items() if name in shipped and not ships(f)}


def setlist_findings(
    setlist: SetlistSpecification, folder: str | Path, warns: bool = True
) -> list[RuleFinding]:
    """All that keeps a setlist from being played, as far as its files show.

    Args:
        setlist: the setlist.
        folder: where it is.
        warns: say too what is danced otherwise with what is carried.
    """
    found = [RuleFinding(True, path, text) for path, text in setlist.problems()]
    if found:
        return found
    parts: dict[int, tuple[Specification, Path]] = {}
    for i, entry in enumerate(setlist.behaviors):
        try:
            path = part_path(entry, folder)
            specification, _ = read_specification(path)
            parts[i] = at_tempo(specification, setlist.bpm), path.parent
        except BackbeatError as error:
            fix = None
            if error.code == UNKNOWN_BEHAVIOR:
                fix = without_slip(entry.behavior, shipped_names())
            place = ("behaviors", i, "behavior")
            found.append(RuleFinding(True, place, f"entry {i + 1}: {error}", fix))
    seated = [sits(specification) for specification, _ in parts.values()]
    for i, (specification, where) in parts.items():
        found += _alone(setlist, i, specification, where, all(seated))
    found += _tempos(setlist, parts)
    if warns and not any(f.fails for f in found):
        for i, (specification, where) in parts.items():
            found += _carrying(setlist, i, specification, where)
    return found


def _alone(
    setlist: SetlistSpecification,
    i: int,
    specification: Specification,
    folder: Path,
    all_sit: bool,
) -> Iterator[RuleFinding]:
    """What keeps one behavior from being in a show."""
    place, where = ("behaviors", i, "behavior"), f"entry {i + 1}"
    name, entry = specification.name, setlist.behaviors[i]
    if specification.needs_equipment:
        if sits(specification) and not all_sit:
            standing = f"{name}-standing"
            known = f", as {standing} has," if standing in shipped_names() else ""
            yield RuleFinding(
                True,
                place,
                f"{where}: in {name} the robot sits and cannot walk on; take drums "
                f"with 'seat: none'{known} instead, or a setlist of nothing but songs "
                "that are played seated",
                standing if known and entry.behavior == name else None,
            )
        missing = set(specification.equipment) - set(setlist.equipment)
        if missing:
            yield RuleFinding(
                True,
                place,
                f"{where}: {name} is played with {' and '.join(sorted(missing))}, and "
                "the robot of a show has the same in its hands from start to end; "
                f"write equipment: [{', '.join(specification.equipment)}] at the top "
                "of the setlist",
            )
    if entry.until and all_sit:
        yield RuleFinding(
            True,
            ("behaviors", i, "until"),
            f"{where}: songs that are played seated are not left early; leave 'until' "
            "out, or shorten the score",
        )
        return
    if not entry.until:
        return
    beats = specification.num_beats(folder)
    if beats is None:
        yield RuleFinding(
            True,
            ("behaviors", i, "until"),
            f"{where}: {name} has no tempo, so it has no beat to leave on; leave "
            "'until' out",
        )
    elif entry.until >= beats:
        yield RuleFinding(
            True,
            ("behaviors", i, "until"),
            f"{where}: {name} has {beats:g} beats and cannot be left on beat "
            f"{entry.until:g}",
        )


def _carrying(
    setlist: SetlistSpecification, i: int, specification: Specification, folder: Path
) -> Iterator[RuleFinding]:
    """What becomes of a behavior with what a show puts into its hands."""
    place = ("behaviors", i, "behavior")
    try:
        remarks = as_in_show(specification, setlist).carrying_remarks(folder)
    except BackbeatError as error:
        yield RuleFinding(True, place, f"entry {i + 1}: {error}")
        return
    for remark in remarks:
        yield RuleFinding(False, place, f"entry {i + 1}: {remark}")


def _tempos(
    setlist: SetlistSpecification, parts: dict[int, tuple[Specification, Path]]
) -> Iterator[RuleFinding]:
    """Tempos that are not one, which is told, and files that cannot be read."""
    tempos: dict[int, float] = {}
    for i, (specification, folder) in parts.items():
        try:
            tempos[i] = specification.tempo(folder)
        except BackbeatError as error:
            place = ("behaviors", i, "behavior")
            yield RuleFinding(True, place, f"entry {i + 1}: {error}")
    with_beats = [i for i, bpm in tempos.items() if bpm]
    # Scores keep their tempo, so it is that of one of them that others could take.
    scores = [i for i in with_beats if parts[i][0].has_score]
    for i in with_beats:
        name, first = parts[i][0].name, (scores or with_beats)[0]
        if i in scores and setlist.bpm and not same_tempo(tempos[i], setlist.bpm):
            yield RuleFinding(
                False,
                ("bpm",),
                f"entry {i + 1}: {name} keeps the {tempos[i]:g} BPM of its score; bpm: "
                f"{setlist.bpm:g} is for dances and steps",
            )
        elif i not in scores and not same_tempo(tempos[i], tempos[first]):
            yield RuleFinding(
                False,
                ("behaviors", i, "behavior"),
                f"entry {i + 1}: {name} has {tempos[i]:g} BPM and "
                f"{parts[first][0].name} has {tempos[first]:g}; each keeps its own, "
                f"and with bpm: {tempos[first]:g} at the top of the setlist, dances "
                "and steps follow",
            )
