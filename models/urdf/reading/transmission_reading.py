"""Reading transmissions of a URDF, in their present form and in the older one."""

from typing import Any

from backbeat.models.urdf.reading.description import Transmission, TransmissionEnd
from backbeat.models.urdf.reading.document import (
    attributes,
    child,
    children,
    line,
    text,
)
from backbeat.models.urdf.reading.values import Values


def read_transmission(values: Values, element: Any) -> Transmission:
    """A transmission; an error if it has no type."""
    name = attributes(element).get("name", "")
    where = f"transmission {name!r}"
    kind = child(element, "type")
    said = attributes(element).get("type", "") if kind is None else text(kind)
    if not said:
        values.error(
            "missing-element",
            element,
            where,
            "it has no <type>",
            "write <type>transmission_interface/SimpleTransmission</type>",
        )
    ends = {
        part: tuple(_end(values, e, where) for e in children(element, part))
        for part in ("joint", "actuator")
    }
    return Transmission(
        line(element),
        name,
        _last_word(said),
        ends["joint"],
        ends["actuator"],
        _reduction(values, element, where),
    )


def _end(values: Values, element: Any, where: str) -> TransmissionEnd:
    interfaces = [text(e) for e in children(element, "hardwareInterface")]
    numbers = []
    for key in ("drake:rotor_inertia", "drake:gear_ratio"):
        found = child(element, key)
        numbers.append(
            None if found is None else values.required(found, "value", where)
        )
    return TransmissionEnd(
        line(element),
        values.word(element, "name", where),
        tuple(_last_word(i) for i in interfaces if i),
        _reduction(values, element, where),
        *numbers,
    )


def _reduction(values: Values, element: Any, where: str) -> float | None:
    found = child(element, "mechanicalReduction")
    return None if found is None else values.content(found, where)


def _last_word(path: str) -> str:
    return path.rpartition("/")[2]
