"""The XML of a description, read without entities or network, in bounded size."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lxml import etree

from backbeat.models.common.bounds import (
    BYTES,
    LINKS,
    XML_ATTRIBUTES,
    XML_DEPTH,
    XML_ELEMENTS,
    XML_LETTERS,
    check_count,
)
from backbeat.models.common.errors import BackbeatError, steers
from backbeat.models.common.outside_file import read_bytes
from backbeat.models.urdf.reading.finding import Finding, Severity

_MEGABYTES = BYTES["description"] / 1e6
# Depth of links in a description, and lines of the longest tag that is looked for.
_OF_ROBOT, _LINES_OF_TAG = 2, 100
# Of what the parser says, which may quote the file [characters].
_SHOWN = 200

# Roots of other formats.
_OTHER_FORMATS = {
    "sdf": "SDFormat",
    "model": "SDFormat",
    "world": "SDFormat",
    "mujoco": "MJCF",
    "COLLADA": "a Collada mesh",
}


class Document:
    """A parsed file.

    Attributes:
        path: where it was read.
        root: its `<robot>` element.
        findings: what is odd about the file itself.
    """

    def __init__(self, path: str | Path, raw: bytes, kind: str = "robot") -> None:
        """Parses the bytes of a file.

        Args:
            path: where they were read.
            raw: the bytes.
            kind: the outermost element: that of a URDF, or of another format.

        Raises:
            BackbeatError: they are none: too large or too deep, not XML, with a
                document type or entities, or another format.
        """
        self.path = path = Path(path)
        self._kind = kind
        self.findings: list[Finding] = []
        if path.suffix == ".xacro":
            raise BackbeatError(
                f"{path} is a xacro macro file; run `xacro {path.name} > "
                f"{path.stem.removesuffix('.urdf')}.urdf` and name what it writes"
            )
        if len(raw) > BYTES["description"]:
            raise BackbeatError(f"{path} is larger than {_MEGABYTES:g} MB")
        self.tree = self._parse(raw)
        self.root = self.tree.getroot()
        if self.tree.docinfo.internalDTD is not None:
            raise BackbeatError(
                f"{path} declares a document type (<!DOCTYPE>), which a URDF never "
                "needs and which can hide entities; remove it"
            )
        self._check_depth()
        self._check_root()
        self._mark_lines(raw.splitlines())

    def _parse(self, raw: bytes) -> "etree._ElementTree":
        parser = _parser(recover=False)
        try:
            return etree.fromstring(raw, parser).getroottree()
        except (etree.XMLSyntaxError, ValueError, LookupError) as error:
            entries = [e for e in parser.error_log if e.level_name != "WARNING"]
            if entries and all(e.domain_name == "NAMESPACE" for e in entries):
                # Drake takes prefixes as parts of names and needs no declaration.
                self.findings.append(_undeclared(entries[0].line, entries[0].message))
                again = _parser(recover=True)
                return etree.fromstring(raw, again).getroottree()
            line = f" line {entries[0].line}" if entries else ""
            what = entries[0].message if entries else str(error)
            what = " ".join(what.split())[:_SHOWN]
            raise BackbeatError(
                f"{self.path}{line}: not valid XML, {what or 'it is empty'}"
            ) from None

    def _check_depth(self) -> None:
        depth = elements = links = 0
        for event, element in etree.iterwalk(self.tree, events=("start", "end")):
            depth += 1 if event == "start" else -1
            if depth > XML_DEPTH:
                raise BackbeatError(f"{self.path} is nested more than {XML_DEPTH} deep")
            if event == "start":
                elements += 1
                links += element.tag == "link" and depth == _OF_ROBOT
                self._check_attributes(element)
        check_count(str(self.path), "elements", elements, XML_ELEMENTS)
        check_count(str(self.path), "links", links, LINKS)

    def _check_attributes(self, element: Any) -> None:
        check_count(
            f"{self.path} line {line(element)}",
            "attributes in an element",
            len(element.attrib),
            XML_ATTRIBUTES,
        )
        for value in element.attrib.values():
            check_count(
                f"{self.path} line {line(element)}",
                "letters in an attribute",
                len(value),
                XML_LETTERS,
            )
            if not value.isprintable() and steers(value):
                raise BackbeatError(
                    f"{self.path} line {line(element)}: a character that steers a "
                    "terminal; remove it"
                )

    def _mark_lines(self, lines: list[bytes]) -> None:
        """Gives elements the line where they begin; the parser has that of its end."""
        for element in self.root.iter("*"):
            begin = f"<{tag(element)}".encode()
            at = last = min(line(element), len(lines))
            while at > max(0, last - _LINES_OF_TAG) and begin not in lines[at - 1]:
                at -= 1
            if at > max(0, last - _LINES_OF_TAG):
                element.sourceline = at

    def _check_root(self) -> None:
        name = tag(self.root)
        if name == self._kind:
            return
        if self._kind != "robot":
            raise BackbeatError(
                f"{self.path}: the outermost element is <{name}> and not <{self._kind}>"
            )
        if name in _OTHER_FORMATS:
            raise BackbeatError(
                f"{self.path} is {_OTHER_FORMATS[name]} and not URDF; export the robot "
                "as URDF from where it was made, and name that file"
            )
        raise BackbeatError(
            f"{self.path}: the outermost element of a URDF is <robot>, here it is "
            f"<{name}>"
        )


def _parser(recover: bool) -> "etree.XMLParser":
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        recover=recover,
    )


def _undeclared(line: int, message: str) -> Finding:
    return Finding(
        "undeclared-prefix",
        Severity.NOTE,
        line,
        "robot",
        f"a prefix is used and not declared ({message})",
        'declare it on <robot>, e.g. xmlns:drake="https://drake.mit.edu/"',
    )


def read_document(path: str | Path) -> Document:
    """Reads a URDF file as XML.

    Raises:
        BackbeatError: it cannot be read, or is no URDF.
    """
    return Document(path, read_bytes(path, "description"))


def tag(element: "etree._Element") -> str:
    """Name of an element as the file writes it, prefix and all, as Drake reads it."""
    name = element.tag.rpartition("}")[2]
    return f"{element.prefix}:{name}" if element.prefix else str(name)


def attributes(element: "etree._Element") -> dict[str, str]:
    """Attributes by name as the file writes them."""
    found = {}
    for key, value in element.attrib.items():
        uri, _, name = str(key).rpartition("}")
        if uri:
            known = {u: prefix for prefix, u in element.nsmap.items() if prefix}
            name = f"{known.get(uri[1:], 'xml')}:{name}"
        found[name] = str(value)
    return found


def children(element: "etree._Element", *names: str) -> Iterator["etree._Element"]:
    """Child elements, comments left out; those of some names if any are given."""
    for child in element.iterchildren(tag=etree.Element):
        if not names or tag(child) in names:
            yield child


def child(element: "etree._Element", name: str) -> "etree._Element | None":
    """First child element of a name, the one that readers of URDF take."""
    return next(children(element, name), None)


def text(element: "etree._Element") -> str:
    """Text directly inside an element, without the blanks around it."""
    return (element.text or "").strip()


def line(element: "etree._Element") -> int:
    """Line that an element begins on, counted from 1."""
    return int(element.sourceline or 0)
