"""What the subcommands share on the screen: progress on stderr, results on stdout."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

# Progress and remarks go to stderr, so that stdout holds results alone.
remarks = Console(stderr=True, highlight=False)


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


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[float, str], None]]:
    """A progress bar on stderr; the value is called with a share and a word."""
    columns = (
        TextColumn("{task.description:<24}"),
        BarColumn(bar_width=30),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[what]}"),
    )
    with Progress(*columns, console=remarks, transient=False) as bar:
        task = bar.add_task(title, total=1.0, what="")

        def report(share: float, what: str) -> None:
            bar.update(task, completed=share, what=what)

        yield report
        bar.update(task, completed=1.0)
