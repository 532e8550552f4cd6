"""Reads scores of every format: YAML, tablature and MIDI."""

from dataclasses import replace
from pathlib import Path

from backbeat.behaviors.music.files.midi import read_midi
from backbeat.behaviors.music.files.note_maps import map_files, read_map
from backbeat.behaviors.music.files.score_compiler import compile_score
from backbeat.behaviors.music.files.score_finish import finish_score
from backbeat.behaviors.music.files.tab_file import (
    SUFFIXES,
    apart_in_words,
    read_tab_file,
    unread_in_words,
)
from backbeat.behaviors.music.files.tablature import from_line
from backbeat.behaviors.music.notation.backing import check_recording, find_backing
from backbeat.behaviors.music.notation.percussion import Members
from backbeat.behaviors.music.notation.player import HandModel
from backbeat.behaviors.music.notation.score import Score
from backbeat.behaviors.music.notation.score_description import (
    PERCUSSION,
    Adaptation,
    ScoreDescription,
)
from backbeat.behaviors.music.playing.adaptation import over
from backbeat.models.common.errors import BackbeatError, located
from backbeat.models.common.outside_file import (
    beside,
    decoded,
    is_file,
    read_bytes,
    read_text,
)
from backbeat.models.common.yaml_file import load_yaml, parse_yaml
from backbeat.models.common.yaml_lines import YamlLines

YAML = (".yaml", ".yml")
TABLATURE = SUFFIXES
MIDI = (".mid", ".midi")
# Files that hold notes and nothing on how they are to be played.
NOTES = (*TABLATURE, *MIDI)
AS_WRITTEN = Adaptation()


def load_score(
    path: str | Path,
    members: Members,
    player: HandModel | None = None,
    given: Adaptation = AS_WRITTEN,
) -> Score:
    """Reads a score, finds hands for open hits and checks its backing track.

    Args:
        path: a score in YAML, a tablature or a MIDI file.
        members: what the kit has.
        player: whose hands play what is open; None leaves it open.
        given: what goes before the choices that a score makes itself.

    Raises:
        BackbeatError: it cannot be read, or makes no sense; says where.
    """
    path = Path(path)
    with located(file=path):
        return _load(path, members, player, given)


def _load(
    path: Path, members: Members, player: HandModel | None, given: Adaptation
) -> Score:
    """The same; what is wrong is in this file unless an error says otherwise."""
    suffix = path.suffix.lower()
    if suffix in NOTES:
        description = ScoreDescription(title=path.stem)
        _choose(description, given, members, path)
        return _load_notes(path, description, members, player)
    text = read_text(path)
    description = parse_yaml(ScoreDescription, text, str(path))
    _choose(description, given, members, path)
    if description.notes:
        notes = _beside(path, description)
        with located(file=notes):
            return _load_notes(notes, description, members, player)
    _refuse_notes_of_none(description, members, path)
    if any(part.tab for part in description.parts):
        lines = YamlLines(text)
        for i, part in enumerate(description.parts):
            if part.tab:
                first = lines.text_line(("parts", i, "tab"))
                part.tab = f"{from_line(first)}\n{part.tab}"
    score = compile_score(description, members, str(path), player)
    return _with_backing(score, path.parent, str(path))


def _choose(
    description: ScoreDescription, given: Adaptation, members: Members, path: Path
) -> None:
    """Puts what is given before a score's own choices; pieces of its map join these."""
    for name, value in vars(over(given, description)).items():
        setattr(description, name, value)
    pieces = read_map(description.map, members, path.parent, str(path)).pieces
    description.mapping = {**description.mapping, **pieces}


def _refuse_notes_of_none(
    description: ScoreDescription, members: Members, path: Path
) -> None:
    """Refuses a map of MIDI notes, or a channel of them, where there are none."""
    if description.channel != PERCUSSION:
        raise BackbeatError(
            f"{path}: channel is about a MIDI file, and there is none; leave it out",
            path=("channel",),
        )
    if read_map(description.map, members, path.parent, str(path)).notes:
        raise BackbeatError(
            f"{path}: map is about notes of a MIDI file, and there is none; mapping "
            "is about drums by name",
            path=("map",),
        )


def find_notes(folder: str | Path, name: str) -> Path:
    """Path of a tablature or MIDI file beside a specification or among its scores.

    Raises:
        BackbeatError: the name is a path, or ends in something else.
    """
    folder = Path(folder)
    if Path(name).name != name or Path(name).suffix.lower() not in NOTES:
        raise BackbeatError(
            f"score is {name[:80]!r}; name a score in YAML without its ending, or a "
            f"file without its folder that ends in {', '.join(NOTES)}",
            path=("score",),
            subject=name,
        )
    here, among = folder / name, folder / "scores" / name
    found = among if is_file(among) and not is_file(here) else here
    return beside(folder, str(found.relative_to(folder)), "the specification")


def score_files(path: str | Path) -> list[Path]:
    """Files that a score is made of: itself, and one that it names for its notes."""
    path = Path(path)
    files = [path]
    if path.suffix.lower() in YAML and is_file(path):
        description = load_yaml(ScoreDescription, path)
        files += map_files(description.map, path.parent, str(path))
        if description.notes:
            files.append(_beside(path, description))
    return files


def _beside(path: Path, description: ScoreDescription) -> Path:
    """The notes that a score names instead of parts."""
    name = description.notes
    if description.parts:
        raise BackbeatError(
            f"{path}: has parts and notes; one of them, please", path=("parts",)
        )
    if Path(name).name != name or Path(name).suffix.lower() not in NOTES:
        raise BackbeatError(
            f"{path}: notes is the name of a file in the folder of the score that "
            f"ends in {', '.join(NOTES)}; {name[:80]!r} is not",
            path=("notes",),
        )
    return beside(path.parent, name, str(path))


def _load_notes(
    path: Path, choices: ScoreDescription, members: Members, player: HandModel | None
) -> Score:
    """Reads a tablature or MIDI file, with what its author has chosen for it."""
    kind = "MIDI" if path.suffix.lower() in MIDI else "tablature"
    data = read_bytes(path, kind)
    if path.suffix.lower() in MIDI:
        given = read_map(choices.map, members, path.parent, str(path))
        score = read_midi(data, members, str(path), given.notes, choices.channel)
        score = replace(score, backing=choices.backing, offset=choices.offset)
        score = replace(score, count_in=choices.count_in)
        before = score.tempo.place(score.lead_in)[0] - 1
        meter = replace(score.tempo.meter, lead_in=before)
        score = replace(score, tempo=replace(score.tempo, meter=meter))
        score = finish_score(score, choices, members, str(path), player)
        return _with_backing(score, path.parent, str(path))
    _refuse_notes_of_none(choices, members, path)
    text = decoded(data, path)
    read = read_tab_file(text, members, str(path))
    for name, usual in vars(ScoreDescription()).items():
        chosen = getattr(choices, name)
        if name not in ("title", "parts", "notes") and chosen != usual:
            setattr(read, name, chosen)
    before = read.parts[0].bars
    score = compile_score(read, members, str(path), player, before)
    remarks = (*score.remarks, *unread_in_words(text), *apart_in_words(read))
    score = replace(score, lead_in=score.sections[0].beats, remarks=remarks)
    return _with_backing(score, path.parent, str(path))


def _with_backing(score: Score, folder: Path, where: str) -> Score:
    """The score, when its backing track can be played and its count-in fits."""
    score.count_in_beats(where)
    if score.backing:
        check_recording(find_backing(folder, score.backing, where))
    return score
