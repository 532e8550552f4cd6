"""Notebooks run from top to bottom, show what they promise, and are stored clean."""

import ast
import base64
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import nbformat
import numpy as np
import pytest
from jupyter_client import AsyncKernelManager
from jupyter_client.kernelspec import KernelSpecManager
from matplotlib.image import imread
from nbclient import NotebookClient
from nbformat import NotebookNode

from behaviors.behavior import Behavior

CHECKOUT = Path(__file__).parents[2]
NOTEBOOKS = sorted((CHECKOUT / "notebooks").glob("*.ipynb"))
# What a notebook's parameters are here, so that it takes seconds and not minutes.
SHORTER = {
    "01_the_robot": {},
    "02_author_a_behavior": {"BEATS": 8},
    "03_optimize_and_certify": {},
    "04_track_it": {"DURATION": 2.0},
    "05_push_it": {"DURATION": 4.5},
    "06_a_drummed_run": {"DURATION": 6.0},
    "07_drumming_analyzed": {"DURATION": 6.0},
    "08_task_space": {"DURATION": 1.0},
    "09_robustness_cards": {"SEEDS": 1},
}
# Those that simulate or analyze for longer are not run every day.
LONG = (
    "05_push_it",
    "07_drumming_analyzed",
    "08_task_space",
    "09_robustness_cards",
)
# Data is drawn in color and axes are gray: of a figure that shows anything, this
# share is in color, and of empty axes nothing is.
COLORED = 0.003

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
every_notebook_in_time = pytest.mark.parametrize(
    "path",
    [
        pytest.param(p, id=p.stem, marks=[pytest.mark.slow] * (p.stem in LONG))
        for p in NOTEBOOKS
    ],
)


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS


@every_notebook
def test_a_notebook_is_stored_clean(path: Path) -> None:
    """Nothing is stored that differs from one evaluation or one editor to the next."""
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert notebook.metadata.language_info == {"name": "python"}
    for cell in notebook.cells:
        # A name that somebody chose, not eight random digits.
        assert cell.id.replace("-", "").isalpha(), cell.id
        assert set(cell.metadata) <= {"tags"}, cell.id
    for cell in code_cells(notebook):
        assert cell.outputs == [], cell.id
        assert cell.execution_count is None, cell.id


class OwnKernel(AsyncKernelManager):
    """Starts kernels in the interpreter of the tests.

    With no folder to look for kernels in, Jupyter is left with the one that belongs
    to the interpreter it runs in; an installed `python3` may be any other.
    """

    def __init__(self, **settings: object) -> None:
        specs = KernelSpecManager(kernel_dirs=[])
        super().__init__(kernel_spec_manager=specs, **settings)


@pytest.fixture
def execute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[NotebookNode], None]:
    """Runs a notebook with this checkout, in a folder of its own."""
    # What Jupyter and IPython write, and what they would read, stays there too.
    for name in ("JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    monkeypatch.setenv("PYTHONPATH", str(CHECKOUT))

    def run(notebook: NotebookNode) -> None:
        client = NotebookClient(
            notebook, kernel_manager_class=OwnKernel, kernel_name="python3", timeout=300
        )
        client.execute(cwd=tmp_path)

    return run


def parameters(notebook: NotebookNode) -> tuple[NotebookNode, dict[str, object]]:
    """The cell whose values may be replaced, tagged as papermill has it; its values."""
    (cell,) = (c for c in notebook.cells if "parameters" in c.metadata.get("tags", ()))
    values: dict[str, object] = {}
    exec(cell.source, {"Path": Path}, values)
    return cell, values


def promised_figures(cell: NotebookNode) -> int:
    """One if the cell ends with a plot."""
    last = ast.unparse(ast.parse(cell.source).body[-1])
    return int(last.startswith(("plt.show(", "plot_")))


def promised_recordings(cell: NotebookNode) -> int:
    """One if the cell ends with something on the stage."""
    return int(ast.unparse(ast.parse(cell.source).body[-1]).startswith("show("))


def recordings(cell: NotebookNode) -> list[str]:
    """Frames that play without a port: all of the page is in them."""
    shown = [output.get("data", {}).get("text/html", "") for output in cell.outputs]
    return [html for html in shown if html.startswith("<iframe ") and "srcdoc=" in html]


def pictures(cell: NotebookNode) -> list[np.ndarray]:
    """(height, width, 3) pictures that a cell has put out, 0 to 1."""
    encoded = [output.get("data", {}).get("image/png") for output in cell.outputs]
    images = [imread(BytesIO(base64.b64decode(data))) for data in encoded if data]
    return [image[..., :3] for image in images]


def colored_share(picture: np.ndarray) -> float:
    return float((np.ptp(picture, axis=2) > 0.3).mean())


@pytest.mark.notebook
@every_notebook_in_time
def test_a_notebook_runs_and_shows_its_figures(
    path: Path,
    tmp_path: Path,
    execute: Callable[[NotebookNode], None],
    library_folder: Path,
    built: Callable[[str], Behavior],
) -> None:
    notebook = nbformat.read(path, as_version=4)
    cell, values = parameters(notebook)
    folders = [value for value in values.values() if isinstance(value, Path)]
    assert not any(folder.is_absolute() for folder in folders)
    if "BEHAVIOR" in values:
        built(str(values["BEHAVIOR"]))
    places = {"LIBRARY": library_folder, "OUT": tmp_path / "out"}
    changes = SHORTER[path.stem] | {n: p for n, p in places.items() if n in values}
    assert set(changes) <= set(values)
    for name, value in changes.items():
        cell.source += f"\n{name} = type({name})({str(value)!r})"
    cell.source += "\nimport sys; print(sys.executable)"

    execute(notebook)

    assert cell.outputs[0].text.strip() == sys.executable
    for cell in code_cells(notebook):
        complaints = [o.text for o in cell.outputs if o.get("name") == "stderr"]
        assert not complaints, f"{cell.id}: {complaints}"
        shown = pictures(cell)
        assert len(shown) == promised_figures(cell), cell.id
        assert all(colored_share(p) > COLORED for p in shown), cell.id
        played = recordings(cell)
        assert len(played) == promised_recordings(cell), cell.id
        assert all("meshcat" in page.lower() for page in played), cell.id
    assert sum(map(promised_figures, code_cells(notebook))) > 0
    assert "OUT" not in values or list((tmp_path / "out").iterdir())
