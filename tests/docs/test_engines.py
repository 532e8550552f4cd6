"""The page on engines has what its command measures."""

import re
from pathlib import Path

import pytest

from benchmarks.engines import CONTACTS, HEAD, Yielding, measure

PAGE = (Path(__file__).parents[2] / "docs/how_to/engines.md").read_text()
# As close as two machines come: sinking and rebound [mm], creep [um/s], impact.
LEAST, SHARE = (0.002, 1.0, 0.02, 0.5), 0.05


def numbers(row):
    """Sinking, creep, rebound and impact of a row."""
    return [float(cell.split()[0]) for cell in row.strip("| \n").split("|")[1:]]


def test_the_table_has_a_row_for_every_contact():
    assert HEAD in PAGE
    table = PAGE.partition(HEAD)[2].strip().partition("\n\n")[0]
    names = [row.split("|")[1].strip() for row in table.splitlines()]
    assert names == [name for name, _, _ in CONTACTS]
    assert numbers(Yielding(1e-3, 2e-6, 3e-3, 4.0).row("x")) == [1.0, 2.0, 3.0, 4.0]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "make", "contact"), CONTACTS)
def test_a_contact_is_as_the_page_has_it(name, make, contact):
    if name.startswith("MuJoCo"):
        pytest.importorskip("mujoco", reason="the extra mujoco is not installed")
    (told,) = re.findall(rf"^\| {re.escape(name)} \|.*$", PAGE, re.MULTILINE)
    row = measure(make, contact).row(name)
    for least, a, b in zip(LEAST, numbers(told), numbers(row), strict=True):
        assert a == pytest.approx(b, rel=SHARE, abs=least), row
