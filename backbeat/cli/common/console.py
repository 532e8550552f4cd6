"""What the subcommands share on the screen: progress on stderr, results on stdout."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console, ConsoleDimensions
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Column
from rich.text import Text

from backbeat.cli.common.options import INTERRUPTED
from backbeat.models.common.errors import one_line

if TYPE_CHECKING:
    from backbeat.models.common.processes.pool import Outcome

# Columns of a line where there is no terminal: nothing that is printed is as wide.
WIDE = 20_000


class Screen(Console):
    """A console that wraps and cuts lines for a terminal only.

    In a pipe or a file a line is as long as what it says: a path that is cut at 80
    columns is none. What users write is no markup, whatever brackets it has.
    """

    def __init__(self, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, highlight=False, markup=False)

    @property
    def size(self) -> ConsoleDimensions:
        """Columns and rows."""
        found = super().size
        if self.is_terminal:
            return found
        return ConsoleDimensions(WIDE, found.height)

    @size.setter
    def size(self, new: tuple[int, int]) -> None:
        """Sets both; for Rich."""
        self._width, self._height = new


# Progress and remarks go to stderr, so that stdout holds results alone.
remarks = Screen(stderr=True)


def warn(sentence: str) -> None:
    """Prints a warning among the remarks."""
    remarks.print(Text.assemble(("warning:", "yellow"), " ", one_line(sentence)))


def print_json(data: Any) -> None:
    """Prints one JSON value on stdout; NaN becomes null, which JSON has."""
    print(json.dumps(_plain(data)))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, float) and value != value:
        return None
    return value


class ProgressBars:
    """A progress bar for each job on stderr, from when it begins; a `jobs.Watcher`.

    Attributes:
        outcomes: the jobs that have ended.
    """

    def __init__(self) -> None:
        self.outcomes: list[Outcome] = []
        self._tasks: dict[str, TaskID] = {}
        self._bars = Progress(
            TextColumn("{task.description:<24}", markup=False),
            BarColumn(bar_width=20),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeElapsedColumn(),
            # Gives way where a terminal is narrow, so that the rest does not.
            TextColumn(
                "{task.fields[what]}",
                markup=False,
                table_column=Column(ratio=1, no_wrap=True),
            ),
            console=remarks,
            transient=False,
            expand=remarks.is_terminal,
        )

    def __enter__(self) -> "ProgressBars":
        self._bars.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bars.stop()

    def progress(self, job: str, share: float, what: str) -> None:
        """Moves the bar of a job."""
        self._bars.update(self._task(job), completed=share, what=what)

    def line(self, job: str, text: str) -> None:
        """Prints a line of a job's log above the bars."""
        self._bars.console.print(text, soft_wrap=True)

    def done(self, outcome: "Outcome") -> None:
        """Completes the bar of a job, or marks it as failed."""
        self.outcomes.append(outcome)
        task = self._task(outcome.name)
        if outcome.error is None:
            self._bars.update(task, completed=1.0)
        else:
            self._bars.update(task, what="failed")
        self._bars.stop_task(task)

    def _task(self, job: str) -> TaskID:
        if job not in self._tasks:
            self._tasks[job] = self._bars.add_task(one_line(job), total=1.0, what="")
        return self._tasks[job]


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[float, str], None]]:
    """One progress bar on stderr; the value is called with a share and a word."""
    with ProgressBars() as bars:
        # Until the first report.
        bars.progress(title, 0.0, "getting ready")

        def report(share: float, what: str) -> None:
            bars.progress(title, share, what)

        yield report
        report(1.0, "")


@contextmanager
def counted_progress(
    title: str, kept: str
) -> Iterator[Callable[[int, int, str], None]]:
    """A progress bar on stderr; Ctrl-C ends the program with a sentence.

    Args:
        title: what is being made.
        kept: what is kept of it, and how to go on, for that sentence.
    """
    columns: list[Any] = [
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=10),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        # Gives way where a terminal is narrow, so that count and time do not.
        TextColumn(
            "{task.fields[what]}",
            markup=False,
            table_column=Column(ratio=1, no_wrap=True),
        ),
    ]
    with Progress(*columns, console=remarks, expand=remarks.is_terminal) as bars:
        task = bars.add_task(title, total=None, what="")

        def progress(known: int, remaining: int, what: str) -> None:
            total = known + remaining
            bars.update(task, completed=known, total=total, what=what)
            if not remarks.is_terminal:
                remarks.print(f"{known}/{total}  {what}", soft_wrap=True)

        try:
            yield progress
        except KeyboardInterrupt:
            typer.echo(f"backbeat: interrupted; {kept}.", err=True)
            raise typer.Exit(INTERRUPTED) from None
