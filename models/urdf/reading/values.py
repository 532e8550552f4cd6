"""Values: numbers, words and poses of XML attributes, and what is wrong with them."""

import math
import re
from typing import Any

from backbeat.models.urdf.reading.description import Pose, Vector
from backbeat.models.urdf.reading.document import attributes, line, tag, text
from backbeat.models.urdf.reading.finding import Finding, Severity

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_INFINITY = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
_ZERO = (0.0, 0.0, 0.0)
# Of a long text, a message shows so much.
_SHOWN = 40


class Values:
    """Reads values and gathers what is wrong in `findings`; a default takes its place.

    The rules are stricter than Drake's reader, which takes "5kg" for 5.
    """

    def __init__(self) -> None:
        self.findings: list[Finding] = []

    def error(
        self, rule: str, element: Any, where: str, says: str, remedy: str = ""
    ) -> None:
        """Notes an error."""
        self.found(rule, Severity.ERROR, element, where, says, remedy)

    def found(
        self,
        rule: str,
        severity: Severity,
        element: Any,
        where: str,
        says: str,
        remedy: str = "",
    ) -> None:
        """Notes what is found in an element."""
        self.findings.append(
            Finding(rule, severity, line(element), where, says, remedy)
        )

    def name(self, element: Any, kind: str) -> str:
        """Name of a thing; "" and an error if it has none."""
        found = attributes(element).get("name", "")
        if not found.strip():
            self.error(
                "missing-name",
                element,
                kind,
                f"<{tag(element)}> has no name",
                'write name="..."',
            )
            return ""
        return found

    def word(self, element: Any, key: str, where: str) -> str:
        """A word that must be there; "" and an error if it is not."""
        found = attributes(element).get(key, "")
        if not found:
            self.error(
                "missing-attribute",
                element,
                where,
                f"<{tag(element)}> has no {key!r}",
                f'write {key}="..."',
            )
        return found

    def optional(
        self, element: Any, key: str, where: str, infinite: bool = False
    ) -> float | None:
        """A number that may be left out; None if it is, or is none."""
        found = attributes(element).get(key)
        if found is None:
            return None
        return self._parsed(element, key, found, where, infinite)

    def number(self, element: Any, key: str, where: str, default: float) -> float:
        """A number with a default."""
        found = self.optional(element, key, where)
        return default if found is None else found

    def required(self, element: Any, key: str, where: str) -> float | None:
        """A number that must be there; None and an error if it is not."""
        return (
            self.optional(element, key, where)
            if self.word(element, key, where)
            else None
        )

    def content(self, element: Any, where: str) -> float | None:
        """A number between the tags of an element; None if there is none."""
        found = text(element)
        if not found:
            self.error("bad-number", element, where, f"<{tag(element)}> is empty")
            return None
        return self._parsed(element, tag(element), found, where)

    def vector(
        self,
        element: Any,
        key: str,
        where: str,
        default: Vector,
        other: int = -1,
    ) -> Vector:
        """As many numbers as the default has (or `other` many), parted by blanks."""
        found = attributes(element).get(key)
        if found is None:
            return default
        parts = found.split()
        if len(parts) != len(default) and len(parts) != other:
            self.error(
                "bad-vector",
                element,
                where,
                f"{key}={_short(found)} of <{tag(element)}> should be "
                f"{len(default)} numbers with blanks between",
                "separate numbers by blanks, not commas" if "," in found else "",
            )
            return default
        numbers = [self._parsed(element, key, part, where) for part in parts]
        return (
            default if None in numbers else tuple(n for n in numbers if n is not None)
        )

    def pose(self, element: Any, where: str) -> Pose:
        """xyz and rpy of an element; the identity if there is none."""
        if element is None:
            return Pose()
        return Pose(
            self.vector(element, "xyz", where, _ZERO),
            self.vector(element, "rpy", where, _ZERO),
        )

    def _parsed(
        self, element: Any, key: str, found: str, where: str, infinite: bool = False
    ) -> float | None:
        said = found.strip()
        if infinite and _INFINITY.fullmatch(said):
            return float(said)
        if _NUMBER.fullmatch(said) and math.isfinite(float(said)):
            return float(said)
        remedy = "write a plain finite number"
        if "${" in said or "$(" in said:
            rule, remedy = "unevaluated-xacro", "run the file through `xacro` first"
        elif re.match(_NUMBER, said):
            rule = "number-with-unit"
            remedy += "; Drake would silently drop what follows the digits"
        else:
            rule = "bad-number"
        says = f"{key}={_short(found)} of <{tag(element)}> is no number"
        self.error(rule, element, where, says, remedy)
        return None


def _short(found: str) -> str:
    return repr(found if len(found) <= _SHOWN else found[:_SHOWN] + "...")
