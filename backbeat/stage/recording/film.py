"""Films: a recording as MP4 or GIF, with the pictures that its page shows."""

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from backbeat.models.common.atomic_file import replacing
from backbeat.models.common.errors import BackbeatError, gist
from backbeat.sound.mix import RATE, mixed, wav_bytes
from backbeat.sound.notes import Performance, SoundExtras
from backbeat.stage.frames.frame import PlaybackSource
from backbeat.stage.recording.browser import Browser, need_chromium
from backbeat.stage.recording.html import Recording, page_of, performance_of

# Kinds of films, and how large and how often their pictures are at most.
SIZES = {".mp4": (1280, 720), ".gif": (640, 360)}
MOST_FPS = {".mp4": 60.0, ".gif": 15.0}
# The page without what only makes sense under a hand.
DRESS = """(() => {
  const style = document.createElement("style");
  style.textContent = `#overlay footer, #overlay button.show-layers
    { display: none !important; } #overlay .now { bottom: 24px !important; }
    #overlay aside { bottom: 58px !important; }`;
  document.head.append(style);
  window.backbeat.pause();
})()"""
SEEK = """(async () => {{
  window.backbeat.seek({time});
  for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
}})()"""
READY = "window.backbeat && window.backbeat.time() > 0"
# Called with the share that is done and what is being done.
Report = Callable[[float, str], None]


def is_film(path: str | Path) -> bool:
    """Whether a file's name asks for a film."""
    path = Path(path)
    return path.suffix.lower() in SIZES


def check_film(path: str | Path) -> None:
    """Finds out before the work whether a film can be made.

    Raises:
        BackbeatError: Chromium or ffmpeg is missing.
    """
    path = Path(path)
    need_chromium()
    if shutil.which("ffmpeg") is None:
        raise BackbeatError(
            f"{path.name} is made by ffmpeg, which is missing: apt install ffmpeg, or "
            "record an HTML file"
        )


def film(
    source: PlaybackSource,
    path: str | Path,
    fps: float,
    extras: SoundExtras,
    report: Report,
) -> Recording:
    """Films a source.

    Args:
        source: what to film.
        path: MP4 or GIF to write.
        fps: pictures a second; a GIF has at most 15.
        extras: what is heard besides the drums; a GIF is silent.
        report: told how far it is.

    Raises:
        BackbeatError: a program is missing or fails, or the file cannot be written.
    """
    path = Path(path)
    check_film(path)
    kind = path.suffix.lower()
    fps = min(fps, MOST_FPS[kind])
    times = np.arange(source.start, source.end, 1.0 / fps)
    with tempfile.TemporaryDirectory(prefix="backbeat-film-") as folder:
        report(0.0, "making the page")
        page = Path(folder) / "page.html"
        page.write_text(page_of(source, min(fps, 60.0), extras), encoding="utf-8")
        sound = Path(folder) / "sound.wav"
        if kind == ".mp4":
            heard = _sound(performance_of(source), extras, source.start)
            sound.write_bytes(wav_bytes(heard))
        made = Path(folder) / f"film{kind}"
        _encode(_pictures(page, times, SIZES[kind], report), made, sound, fps)
        with replacing(path) as file, made.open("rb") as movie:
            shutil.copyfileobj(movie, file)
    return Recording(path, path.stat().st_size)


def still(
    browser: Browser, source: PlaybackSource, page: str | Path, time: float
) -> bytes:
    """A JPEG of a source at a time.

    Args:
        browser: as large as the picture.
        source: what to show.
        page: HTML to write on the way.
        time: when [s].
    """
    Path(page).write_text(page_of(source), encoding="utf-8")
    browser.open(page, READY)
    browser.run(DRESS)
    browser.run(SEEK.format(time=round(time, 4)))
    return browser.picture()


def _sound(performance: Performance, extras: SoundExtras, start: float) -> np.ndarray:
    """(n, 2) sound from the film's beginning on."""
    notes, music = performance.heard(extras), performance.music
    sound = mixed(notes, performance.duration, extras.backing, music, performance.kit)
    shift = round(-start * RATE)
    if shift >= 0:
        return np.vstack([np.zeros((shift, 2)), sound])
    return sound[-shift:]


def _pictures(
    page: Path, times: np.ndarray, size: tuple[int, int], report: Report
) -> Iterator[bytes]:
    """JPEGs of a recording at times [s]."""
    with Browser(*size) as browser:
        browser.open(page, READY)
        browser.run(DRESS)
        for k, t in enumerate(times):
            browser.run(SEEK.format(time=round(float(t), 4)))
            yield browser.picture()
            report((k + 1) / len(times), f"picture {k + 1} of {len(times)}")


def _encode(pictures: Iterator[bytes], path: Path, sound: Path, fps: float) -> None:
    """Has ffmpeg make a film of pictures, and of sound where there is some."""
    command = ["ffmpeg", "-loglevel", "error", "-y", "-f", "image2pipe", "-c:v"]
    command += ["mjpeg", "-framerate", f"{fps:g}", "-i", "-"]
    if path.suffix == ".gif":
        palette = "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse"
        command += ["-vf", palette, "-loop", "0"]
    else:
        command += ["-i", str(sound), "-c:v", "libx264", "-pix_fmt", "yuv420p"]
        command += ["-crf", "20", "-c:a", "aac", "-movflags", "+faststart", "-shortest"]
    with tempfile.TemporaryFile() as complaints:
        ffmpeg = subprocess.Popen(
            [*command, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=complaints,
        )
        assert ffmpeg.stdin is not None
        try:
            for picture in pictures:
                ffmpeg.stdin.write(picture)
            ffmpeg.stdin.close()
            code = ffmpeg.wait()
        except BrokenPipeError:
            code = ffmpeg.wait() or 1
        except BaseException:
            ffmpeg.kill()
            ffmpeg.wait()
            raise
        if code:
            complaints.seek(0)
            lines = complaints.read().decode(errors="replace").strip().splitlines()
            why = gist(lines[-1]) if lines else f"it ended with code {code}"
            raise BackbeatError(f"ffmpeg could not make the film: {why}")
