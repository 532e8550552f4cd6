"""Filming: an MP4 of a verified motion, made in a thread while the show goes on."""

import threading
from pathlib import Path

from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.common.errors import BackbeatError, ended
from backbeat.sound.notes import SoundExtras
from backbeat.stage.recording.film import check_film, film
from backbeat.stage.sources.kinds import PlannedSource

FPS = 30.0
# Films of one name that may lie beside each other, and how long the end waits [s].
MOST, PATIENCE = 1000, 10.0


class _CancelledError(Exception):
    """The film is not wanted any more."""


class Filming:
    """At most one film in the making.

    Attributes:
        share: of it that is made; None where none is in the making.
    """

    def __init__(self) -> None:
        """Begins with none."""
        self.share: float | None = None
        self._thread: threading.Thread | None = None
        self._is_wanted, self._said = True, ""
        self._fault: Exception | None = None

    def begin(
        self, behavior: Behavior, beside: str | Path, extras: SoundExtras
    ) -> None:
        """Begins a film.

        Args:
            behavior: what is filmed.
            beside: file beside which the film is written, under its name; with a number
                where there is one already.
            extras: what is heard besides the drums.

        Raises:
            BackbeatError: one is in the making, Chromium or ffmpeg is missing, or there
                are too many films already.
        """
        if self.share is not None:
            raise BackbeatError("a film is in the making; cancel it first")
        path = _free(Path(beside))
        check_film(path)
        self.share, self._is_wanted = 0.0, True
        arguments = (behavior, path, extras)
        self._thread = threading.Thread(target=self._make, args=arguments, daemon=True)
        self._thread.start()

    def cancel(self) -> None:
        """Gives up the film that is in the making, of which nothing stays."""
        self._is_wanted = False

    def end(self) -> None:
        """Gives it up and waits for its end."""
        self.cancel()
        if self._thread is not None:
            self._thread.join(PATIENCE)

    def news(self) -> str:
        """What has come of it, once, in a sentence; "" for nothing new.

        Raises:
            Exception: a fault of ours in the work.
        """
        if self._thread is None or self._thread.is_alive():
            return ""
        said, self._thread, self.share = self._said, None, None
        if self._fault is not None:
            raise self._fault
        return said

    def _make(self, behavior: Behavior, path: Path, extras: SoundExtras) -> None:
        try:
            made = film(PlannedSource(behavior), path, FPS, extras, self._report)
            self._said = f"written: {made}"
        except _CancelledError:
            self._said = "the film is cancelled"
        except BackbeatError as error:
            self._said = ended(str(error))
        except Exception as error:
            # Raised again where news are read.
            self._fault = error

    def _report(self, share: float, what: str) -> None:
        if not self._is_wanted:
            raise _CancelledError
        self.share = share


def _free(beside: Path) -> Path:
    """A name for a film that is not taken.

    Raises:
        BackbeatError: too many are.
    """
    names = (beside.stem, *(f"{beside.stem}-{k}" for k in range(2, MOST)))
    for name in names:
        path = beside.with_name(f"{name}.mp4")
        if not path.exists() and not path.is_symlink():
            return path
    raise BackbeatError(
        f"there are {MOST} films of {beside.stem} already; move some away"
    )
