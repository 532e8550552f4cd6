"""Expressions: numbers in a move that follow from its parameters."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from backbeat.models.common.errors import BackbeatError, unknown_name

# A number, a parameter, or a number of times a parameter: "0.5", "-depth", "2 angle".
_TERM = re.compile(
    r"\s*(?P<sign>[+-]?)\s*(?P<number>\d+\.?\d*(?:e-?\d+)?|\.\d+)?\s*\*?\s*"
    r"(?P<name>[a-z_]\w*)?"
)


@dataclass(frozen=True)
class Expression:
    """A sum of numbers and of multiples of parameters.

    Attributes:
        constant: the sum of its numbers.
        factors: how many times each parameter counts.
    """

    constant: float = 0.0
    factors: tuple[tuple[str, float], ...] = ()

    def __call__(self, values: Mapping[str, float]) -> float:
        """The number for given values of the parameters."""
        return self.constant + sum(f * values[n] for n, f in self.factors)

    def __str__(self) -> str:
        """The expression as it could be written."""
        terms = [f"{f:+g} {n}" for n, f in self.factors]
        if self.constant or not terms:
            terms.append(f"{self.constant:+g}")
        return " ".join(terms)


def parse_expression(text: str, names: Collection[str], where: str) -> Expression:
    """Reads an expression such as "-depth" or "0.3 + 0.5 angle".

    Args:
        text: what was written.
        names: parameters that it may use.
        where: names the source in errors.

    Raises:
        BackbeatError: it is not a sum of numbers and multiples of parameters.
    """
    constant, factors, place = 0.0, dict[str, float](), 0
    text = text.strip()
    while place < len(text):
        found = _TERM.match(text, place)
        number, name = (found["number"], found["name"]) if found else (None, None)
        signed = found is not None and (place == 0 or bool(found["sign"]))
        if found is None or not signed or number is name is None:
            raise BackbeatError(
                f"{where}: {text!r} is not a sum of numbers and multiples of "
                "parameters, such as '0.3 + 0.5 angle'"
            )
        size = float(number or 1.0) * (-1.0 if found["sign"] == "-" else 1.0)
        if name is None:
            constant += size
        elif name not in names:
            raise unknown_name(f"parameter in {where}", name, names)
        else:
            factors[name] = factors.get(name, 0.0) + size
        place = found.end()
    if not text:
        raise BackbeatError(f"{where}: a value is missing")
    return Expression(constant, tuple(factors.items()))
