"""Notebooks run from top to bottom, show what they promise, and hold what they show."""

import ast
import base64
import json
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from io import BytesIO
from pathlib import Path

import nbformat
import numpy as np
import pytest
from matplotlib.image import imread
from nbformat import NotebookNode

from backbeat.behaviors.library.behavior import Behavior
from notebooks.evaluate import HASH, NOTEBOOKS, code_hash, evaluate

CHECKOUT = Path(__file__).parents[2]
MOST_BYTES = 3_000_000  # of all notebooks
# What a notebook's parameters are here, so that it takes seconds and not minutes.
SHORTER = {
    "01_the_robot": {},
    "02_author_a_behavior": {"BEATS": 8},
    "03_optimize_and_certify": {},
    "04_track_it": {"DURATION": 1.0},
    "05_push_it": {"DURATION": 4.5},
    "06_a_drummed_run": {"DURATION": 6.0},
    "07_drumming_analyzed": {"DURATION": 6.0},
    "08_task_space": {"DURATION": 1.0},
    "09_robustness_cards": {"SEEDS": 1},
    "10_which_weights_matter": {"TRIALS": 5},
    "11_weights_and_pushes": {"WEIGHTS": 2, "PUSHES": 1},
    "12_own_controller": {"PUSHES": 2},
    "13_two_robots_two_engines": {"DURATION": 1.0},
}
# Of every day are one that authors and one that simulates; the others run at night, and
# every day what they import is there.
EVERY_DAY = ("02_author_a_behavior", "04_track_it")
# Data is drawn in color and axes are gray: of a figure that shows anything, this
# share is in color, and of empty axes nothing is.
COLORED = 0.003

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
every_notebook_in_time = pytest.mark.parametrize(
    "path",
    [
        pytest.param(p, id=p.stem, marks=[pytest.mark.slow] * (p.stem not in EVERY_DAY))
        for p in NOTEBOOKS
    ],
)


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS


@every_notebook
def test_a_notebook_is_stored_clean(path: Path) -> None:
    """Nothing is stored that differs from one evaluation or one editor to the next.

    Outputs do, and are there for who reads without evaluating.
    """
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert set(notebook.metadata) == {"kernelspec", "language_info", HASH}
    assert notebook.metadata.language_info == {"name": "python"}
    for cell in notebook.cells:
        # A name that somebody chose, not eight random digits.
        assert cell.id.replace("-", "").isalpha(), cell.id
        assert set(cell.metadata) <= {"tags"}, cell.id


@every_notebook
def test_a_title_is_a_question_that_the_page_of_notebooks_has(path: Path) -> None:
    first = nbformat.read(path, as_version=4).cells[0].source.splitlines()[0]
    assert first.startswith("# ")
    assert first.endswith("?")
    row = f"[{first.removeprefix('# ')}](../../notebooks/{path.name})"
    assert row in (CHECKOUT / "docs/tutorial/notebooks.md").read_text()


@every_notebook
def test_stored_outputs_are_those_of_the_stored_code(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    changed = f"{path.name} has changed since it was evaluated: make notebooks"
    assert notebook.metadata[HASH] == code_hash(notebook), changed
    cells = code_cells(notebook)
    assert [c.execution_count for c in cells] == [*range(1, len(cells) + 1)]
    for cell in cells:
        assert len(pictures(cell)) == promised_figures(cell), cell.id
        assert len(stills(cell)) == promised_recordings(cell), cell.id
        assert not recordings(cell), cell.id
        for output in cell.outputs:
            assert output.output_type != "error", cell.id
            assert output.get("name") != "stderr", cell.id
            said = json.dumps(output)
            assert str(Path.home()) not in said, cell.id
            assert "/tmp/" not in said, cell.id


@every_notebook
def test_what_a_notebook_imports_is_there(path: Path) -> None:
    notebook, found = nbformat.read(path, as_version=4), 0
    for cell in code_cells(notebook):
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.ImportFrom):
                module, found = import_module(str(node.module)), found + 1
                for name in (alias.name for alias in node.names):
                    assert hasattr(module, name), f"{cell.id}: {module}.{name}"
    assert found


def test_stored_pictures_are_small() -> None:
    assert sum(path.stat().st_size for path in NOTEBOOKS) < MOST_BYTES


def test_a_change_of_code_asks_for_an_evaluation() -> None:
    notebook = nbformat.read(NOTEBOOKS[0], as_version=4)
    stored = code_hash(notebook)
    text, code = notebook.cells[0], code_cells(notebook)[0]
    text.source += "Another word."
    assert code_hash(notebook) == stored
    code.source += "\nimport sys"
    assert code_hash(notebook) != stored


@pytest.fixture
def execute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[NotebookNode], None]:
    """Runs a notebook with this checkout, in a folder of its own."""
    # What Jupyter and IPython write, and what they would read, stays there too.
    for name in ("JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    monkeypatch.setenv("PYTHONPATH", str(CHECKOUT))

    return partial(evaluate, folder=tmp_path, minutes=5)


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


def stills(cell: NotebookNode) -> list[str]:
    """What is stored in place of recordings."""
    return [
        o.data["image/jpeg"] for o in cell.outputs if "image/jpeg" in o.get("data", {})
    ]


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
    for cell in code_cells(notebook):
        cell.outputs = []
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
