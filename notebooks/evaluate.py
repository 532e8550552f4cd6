"""Evaluates notebooks and stores what their cells put out; what `make notebooks` calls.

A reader on the web sees pictures so. They are kept small: figures as PNG files of few
colors, and in place of a recording, which has megabytes of program, a picture of it in
the browser. A hash of all code cells says what the outputs were made from: a notebook
with the same one is left as it is.
"""

import base64
import hashlib
import os
import sys
import tempfile
from html import unescape
from io import BytesIO
from pathlib import Path

import nbformat
from jupyter_client import AsyncKernelManager
from jupyter_client.kernelspec import KernelSpecManager
from nbclient import NotebookClient
from nbformat import NotebookNode
from PIL import Image

from backbeat.stage.recording.browser import Browser
from backbeat.stage.recording.film import DRESS, SEEK

CHECKOUT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((CHECKOUT / "notebooks").glob("*.ipynb"))
HASH = "evaluated"  # key in the metadata of a notebook
COLORS = 128  # of a picture of the web, the fewest that show no bands
SIZE = (900, 480)  # of a picture of a recording [pixels]
MINUTES = 30  # a cell may take


class OwnKernel(AsyncKernelManager):
    """Starts kernels in the interpreter that this runs in.

    With no folder to look for kernels in, Jupyter is left with the one that belongs
    to the interpreter it runs in; an installed `python3` may be any other.
    """

    def __init__(self, **settings: object) -> None:
        specs = KernelSpecManager(kernel_dirs=[])
        super().__init__(kernel_spec_manager=specs, **settings)


def code_hash(notebook: NotebookNode) -> str:
    """Hash of all that is evaluated; text cells may change without it."""
    sources = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    return hashlib.sha256("\0".join(sources).encode()).hexdigest()[:16]


def evaluate(notebook: NotebookNode, folder: Path, minutes: float = MINUTES) -> None:
    """Evaluates all cells in a folder, from top to bottom; outputs go into them."""
    client = NotebookClient(
        notebook,
        kernel_manager_class=OwnKernel,
        kernel_name="python3",
        timeout=60 * minutes,
    )
    client.execute(cwd=folder)


def tidy(notebook: NotebookNode) -> None:
    """Leaves of outputs what a reader sees, and small."""
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            page = data.get("text/html", "")
            if page.startswith("<iframe "):
                data["image/jpeg"] = picture_of(page)
                del data["text/html"]
            if "image/png" in data:
                data["image/png"] = small(data["image/png"])
    notebook.metadata = {
        "kernelspec": notebook.metadata.kernelspec,
        "language_info": {"name": "python"},
        HASH: code_hash(notebook),
    }


def small(picture: str) -> str:
    """A picture as PNG with few colors, both in base 64."""
    image = Image.open(BytesIO(base64.b64decode(picture))).convert("RGB")
    content = BytesIO()
    image.quantize(COLORS).save(content, "PNG", optimize=True)
    return base64.b64encode(content.getvalue()).decode()


def picture_of(frame: str) -> str:
    """A recording as the browser shows it half way through, as JPEG in base 64."""
    page = unescape(frame.partition('srcdoc="')[2].partition('" style="')[0])
    with tempfile.TemporaryDirectory() as folder, Browser(*SIZE) as browser:
        path = Path(folder) / "recording.html"
        path.write_text(page)
        browser.open(path, "window.backbeat && window.backbeat.time() > 0")
        browser.run(DRESS)
        ends = []
        for far in (-1e9, 1e9):
            browser.run(SEEK.format(time=far))
            ends.append(browser.run("window.backbeat.time()"))
        browser.run(SEEK.format(time=sum(ends) / 2))
        image = Image.open(BytesIO(browser.picture()))
    content = BytesIO()
    image.save(content, "JPEG", quality=80, optimize=True)
    return base64.b64encode(content.getvalue()).decode()


def main(names: list[str]) -> None:
    """Evaluates those that have changed, or those that are named."""
    os.environ["PYTHONPATH"] = str(CHECKOUT)
    with tempfile.TemporaryDirectory() as folder:
        # Notebooks keep their files beside the folder that they are evaluated in.
        place = Path(folder) / "notebooks"
        place.mkdir()
        for path in NOTEBOOKS:
            notebook = nbformat.read(path, as_version=4)
            if names and not any(path.stem.startswith(name) for name in names):
                continue
            if not names and notebook.metadata.get(HASH) == code_hash(notebook):
                continue
            print(f"evaluating {path.name}", flush=True)
            evaluate(notebook, place)
            tidy(notebook)
            nbformat.write(notebook, path)
    size = sum(path.stat().st_size for path in NOTEBOOKS)
    print(f"{len(NOTEBOOKS)} notebooks, {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main(sys.argv[1:])
