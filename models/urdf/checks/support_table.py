"""Support table: how each element and attribute of a URDF is handled.

The table `elements.csv` has the elements of URDF, of Drake's extensions and of Gazebo's
by the last parts of their path, with their support: what Drake 1.51 does with them
(tests/models/description/test_drake_facts.py tries it), and what Backbeat adds.
`foreign.csv` has those of other programs, which neither acts on: MuJoCo, PyBullet,
Isaac Sim, ros2_control, MoveIt, drivers of single makers. What is inside them is not
looked at.
"""

import csv
import difflib
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, replace
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

from backbeat.models.urdf.reading.document import (
    Document,
    attributes,
    children,
    line,
    tag,
    text,
)
from backbeat.models.urdf.reading.finding import Finding, Severity

TABLE = Path(__file__).parent / "elements.csv"
FOREIGN = Path(__file__).parent / "foreign.csv"
# Whose insides belong to programs that are not ours, whatever they are.
_OPAQUE = ("plugin", "sensor")
# Prefixes that are not another program's.
_OWN_PREFIXES = ("drake", "xacro")
# Elements in which anything may be that their program reads, and what that is.
_OPEN = {
    "gazebo": "of Gazebo's own format, into which it is copied",
    "gazebo of a joint": "of Gazebo's own format, into which it is copied",
    "transmission": "of the driver that the transmission is for",
}
# How alike words are of which one is a slip of the other: where only known ones make
# sense, and where any may be [0..1].
_NEAR, _SLIP = 0.6, 0.85


class Support(Enum):
    """What becomes of a part of a description."""

    DRAKE = "used by Drake"
    BACKBEAT = "used by us"
    REFUSED = "refused"
    IGNORED = "not simulated"
    FOREIGN = "ignored"


@dataclass(frozen=True)
class Entry:
    """A row of the table: an element, or ("") one of its attributes.

    Attributes:
        element: the last parts of its path.
        attribute: name of an attribute, "" for the element itself.
        support: what becomes of it.
        severity: how bad its mere presence is; None if it is not.
        remark: what it is, or what to do instead.
    """

    element: str
    attribute: str
    support: Support
    severity: Severity | None = None
    remark: str = ""


@dataclass(frozen=True)
class Use:
    """An element or attribute as a file uses it: `lines` has every place."""

    entry: Entry
    known: bool
    where: str
    lines: tuple[int, ...]

    def as_data(self) -> dict[str, Any]:
        """Plain data."""
        entry = asdict(self.entry)
        del entry["severity"]
        return entry | {"support": self.entry.support.value, "lines": list(self.lines)}


@cache
def entries() -> dict[tuple[str, str], Entry]:
    """The table, by element and attribute."""
    found = {}
    with TABLE.open(newline="") as file:
        for row in csv.DictReader(file):
            severity = Severity[row["severity"].upper()] if row["severity"] else None
            support = Support[row["support"].upper()]
            for name in ("", *row["attributes"].split()):
                key = row["element"], name
                entry = Entry(*key, support, severity, row["remark"])
                if name or key not in found:
                    found[key] = entry
    with FOREIGN.open(newline="") as file:
        for row in csv.DictReader(file):
            for name in row["attributes"].split() or ("",):
                key, remark = (row["element"], name), row["program"]
                found[key] = Entry(*key, Support.FOREIGN, Severity.NOTE, remark)
    return found


def uses(document: Document) -> list[Use]:
    """What a file uses, by element and attribute, in the order of first use."""
    places: dict[tuple[Entry, bool], tuple[str, list[int]]] = {}
    joints = {
        attributes(joint).get("name", "")
        for joint in children(document.root, "joint", "drake:joint")
    }
    for path, element, where in _walk(document.root, "", "robot", joints):
        own = () if _is_opaque(path, element) else attributes(element)
        for name in ("", *own):
            if not _is_declaration(name):
                key = _entry(path, name)
                places.setdefault(key, (where, []))[1].append(line(element))
    return [Use(*key, where, tuple(at)) for key, (where, at) in places.items()]


def _walk(
    element: Any, above: str, where: str, joints: Collection[str]
) -> Iterator[tuple[str, Any, str]]:
    """Elements with their paths and what they are about, as deep as the table goes.

    What <gazebo> says of a joint is apart: a word may mean one thing of a link and
    another of a joint.
    """
    name = tag(element)
    path = f"{above}/{'joint' if above and name == 'drake:joint' else name}"
    if path == "/robot/drake:joint":
        path = "/robot/joint"
    own = attributes(element).get("name") or attributes(element).get("reference")
    if above == "/robot":
        where = f"{name} {own!r}" if own else name
    if path == "/robot/gazebo" and own in joints:
        path = "/robot/gazebo of a joint"
    yield path, element, where
    if not _entry(path, "")[1] or _is_opaque(path, element):
        return
    for inside in children(element):
        yield from _walk(inside, path, where, joints)


def _is_opaque(path: str, element: Any) -> bool:
    return tag(element) in _OPAQUE or _entry(path, "")[0].support is Support.FOREIGN


def _entry(path: str, attribute: str) -> tuple[Entry, bool]:
    """The entry of an element or attribute; a made one if the tables have none."""
    parts = path.strip("/").split("/")
    if len(parts) == 1:
        known = f"/{parts[0]}"
        tails = [known]
    else:
        tails = ["/".join(parts[-n:]) for n in (3, 2) if len(parts) >= n]
    for tail in tails:
        if (tail, attribute) in entries():
            return entries()[tail, attribute], True
    if attribute == "value" and len(parts) > 2 and parts[1].startswith("gazebo"):
        # As old files say what others have between their tags.
        entry, is_known = _entry(path, "")
        return replace(entry, attribute=attribute), is_known
    if program := _program(parts, attribute):
        return Entry(
            tails[-1], attribute, Support.FOREIGN, Severity.NOTE, program
        ), True
    return Entry(tails[-1], attribute, Support.IGNORED, Severity.WARNING), False


@cache
def _acting() -> frozenset[tuple[str, str]]:
    """Elements and attributes that are not another program's."""
    return frozenset(
        k for k, e in entries().items() if e.support is not Support.FOREIGN
    )


def _program(parts: list[str], attribute: str) -> str:
    """What an element or attribute is for, by where it stands; "" if that is unknown.

    One of an open place that looks like a slip of one that acts is unknown.
    """
    name = attribute or parts[-1]
    prefix, _, word = name.rpartition(":")
    if prefix and prefix not in _OWN_PREFIXES and word:
        return f"of the program whose prefix is {prefix}"
    if len(parts) < 3 or parts[1] not in _OPEN:
        return ""
    parent = parts[-1] if attribute else parts[-2]
    acting = {
        a or e.rpartition("/")[2]
        for e, a in _acting()
        if (e.endswith(f"/{parent}") if attribute else e.startswith(f"{parent}/"))
    }
    return "" if difflib.get_close_matches(name, acting, 1, _SLIP) else _OPEN[parts[1]]


def _is_declaration(attribute: str) -> bool:
    """Whether an attribute is about XML itself."""
    return attribute.startswith(("xmlns", "xml:", "xsi:"))


def support_findings(used: list[Use]) -> list[Finding]:
    """What is refused, not simulated or unknown, once each, with where it is first."""
    found = []
    elements = {_support(u.entry) for u in used if not u.entry.attribute}
    for use in used:
        entry = use.entry
        if entry.severity is None:
            continue
        # An attribute with the same support as its element needs no row.
        if entry.attribute and _support(entry) in elements:
            continue
        times = f" ({len(use.lines)} times)" if len(use.lines) > 1 else ""
        name = entry.element.rpartition("/")[2]
        part = f"{entry.attribute}= of <{name}>" if entry.attribute else f"<{name}>"
        if use.known:
            rule = entry.support.value.lower().replace(" ", "-")
            says, remedy = f"{part} is {entry.support.value}{times}", entry.remark
        elif name.startswith("xacro:"):
            continue  # Told by what has not been evaluated.
        else:
            rule = "unknown-attribute" if entry.attribute else "unknown-element"
            says = f"{part} is unknown, and nothing acts on it{times}"
            remedy = _suggestion(entry)
        found.append(
            Finding(rule, entry.severity, use.lines[0], use.where, says, remedy)
        )
    return found


def _support(entry: Entry) -> tuple[str, Support, Severity | None]:
    return entry.element, entry.support, entry.severity


def _suggestion(entry: Entry) -> str:
    parent, _, name = entry.element.rpartition("/")
    if entry.attribute:
        known = {a for e, a in _acting() if e == entry.element and a}
        near = difflib.get_close_matches(entry.attribute, known, 1, _NEAR)
    else:
        known = {e.rpartition("/")[2] for e, _ in _acting() if e.startswith(parent)}
        near = difflib.get_close_matches(name, known, 1, _NEAR)
    return f"did you mean {near[0]!r}?" if near else "see whether its name is right"


def unevaluated(document: Document) -> list[Finding]:
    """What xacro has left in the file: its elements, and ${} or $() in values."""
    found = []
    remedy = "run the file through `xacro` first and name what it writes"
    for element in document.root.iter("*"):
        name = tag(element)
        if name.startswith("xacro:"):
            says = f"<{name}> is a macro of xacro, which Drake passes over in silence"
            found.append(_xacro(element, says, remedy))
        values = [*attributes(element).values(), text(element)]
        if any("${" in v or "$(" in v for v in values):
            says = f"<{name}> holds an expression of xacro that was not evaluated"
            found.append(_xacro(element, says, remedy))
    return found


def _xacro(element: Any, says: str, remedy: str) -> Finding:
    return Finding(
        "unevaluated-xacro", Severity.ERROR, line(element), "robot", says, remedy
    )
