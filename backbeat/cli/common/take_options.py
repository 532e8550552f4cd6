"""Options that say how to read a motion file: declared once for all subcommands."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

if TYPE_CHECKING:
    from backbeat.behaviors.dance.recordings.description import RecordingDescription


@dataclass(frozen=True)
class TakeOptions:
    """What a user says about a motion file on the command line.

    A field is an option, and the key of the same name of a recording in a dance. A new
    option is a field here and a key of `RecordingDescription`.
    """

    format: Annotated[
        str,
        typer.Option(
            "--format",
            help="Format of the recording, such as csv-g1 or mjlab; found in the file "
            "by default (docs/how_to/recordings.md has all).",
        ),
    ] = ""
    unit: Annotated[
        str, typer.Option("--unit", help="Unit of its angles: radians or degrees.")
    ] = ""
    length: Annotated[
        str, typer.Option("--length", help="Unit of its lengths: m, cm or mm.")
    ] = ""
    quaternion: Annotated[
        str,
        typer.Option("--quaternion", help="Order of its quaternions: wxyz or xyzw."),
    ] = ""
    up: Annotated[str, typer.Option("--up", help="Axis that points up: z or y.")] = ""
    rate: Annotated[
        float | None,
        typer.Option("--rate", help="Samples a second, where the file has no times."),
    ] = None
    ignore: Annotated[
        list[str] | None,
        typer.Option("--ignore", help="Column to leave out. May be repeated."),
    ] = None
    skeleton: Annotated[
        str,
        typer.Option(
            "--skeleton",
            help="File beside a BVH file that says which joints of its skeleton are "
            "which parts of the body.",
        ),
    ] = ""
    jumps: Annotated[
        str,
        typer.Option(
            "--jumps",
            help="Treatment of jumps that the robot cannot make: lower; refused by "
            "default.",
        ),
    ] = ""
    start: Annotated[
        float | None, typer.Option("--start", help="First time to take, in s.")
    ] = None
    end: Annotated[
        float | None, typer.Option("--end", help="Last time to take, in s.")
    ] = None

    @property
    def are_given(self) -> bool:
        """Whether any of them was."""
        return self != NO_OPTIONS

    def described(self) -> "RecordingDescription":
        """The same as a recording of a dance, whose file is still to be named."""
        from backbeat.behaviors.dance.recordings.description import RecordingDescription

        return RecordingDescription(**{**vars(self), "ignore": self.ignore or []})


NO_OPTIONS = TakeOptions()


def with_take_options(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a subcommand these options, behind its own, as one object.

    Args:
        command: function with Typer's annotations and a parameter `take_options`, which
            gets a `TakeOptions`.
    """
    own = inspect.signature(command)
    hints = get_type_hints(TakeOptions, include_extras=True)
    added = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=hints[field.name],
        )
        for field in fields(TakeOptions)
    ]
    kept = [p for p in own.parameters.values() if p.name != "take_options"]

    @functools.wraps(command)
    def with_options(**given: Any) -> None:
        told = {field.name: given.pop(field.name) for field in fields(TakeOptions)}
        command(**given, take_options=TakeOptions(**told))

    with_options.__signature__ = own.replace(  # type: ignore[attr-defined]
        parameters=[*kept, *added]
    )
    return with_options
