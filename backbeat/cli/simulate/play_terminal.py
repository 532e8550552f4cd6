"""What a terminal prints while a live show is made and goes on."""

from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from backbeat.cli.common.console import remarks
from backbeat.models.common.errors import ended


class PlayTerminal:
    """A bar while a simulation is made, and sentences; see `performing.Terminal`."""

    def __init__(self) -> None:
        """Shows nothing yet."""
        self._bar: Progress | None = None
        self._task = TaskID(0)

    def progress(self, step: int, steps: int, what: str) -> None:
        """Moves the bar: the steps before this one are done."""
        if not what:
            self.close()
            return
        if self._bar is None:
            self._bar = Progress(
                TextColumn("making the simulation"),
                BarColumn(bar_width=20),
                TextColumn("{task.fields[what]}", markup=False),
                TimeElapsedColumn(),
                console=remarks,
            )
            self._task = self._bar.add_task("", total=steps, what="")
            self._bar.start()
        said = f"{step} of {steps}: {what}"
        self._bar.update(self._task, completed=step - 1, total=steps, what=said)

    def say(self, sentence: str) -> None:
        """Prints a sentence."""
        remarks.print(ended(sentence))

    def close(self) -> None:
        """Completes the bar, if there is one."""
        if self._bar is None:
            return
        total = self._bar.tasks[0].total
        self._bar.update(self._task, completed=total, what="made")
        self._bar.stop()
        self._bar = None
