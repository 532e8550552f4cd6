"""The palette of an authored dance in a browser: a picture of each move."""

import pytest

from backbeat.behaviors.dance.vocabulary.move_file import shipped_moves
from tests.backbeat.test_author_in_browser import SHORT, authored, open_page

pytestmark = [pytest.mark.browser, pytest.mark.slow]
__all__ = ["authored"]
# Bounding box of the lines of a move [pixels of the page].
BOX = """document.querySelector('[data-move="%s"] svg path:not(.other)')
    .getBoundingClientRect().%s"""


def test_each_move_has_a_picture_that_is_kept(window, authored, tmp_path):
    (tmp_path / "short.yaml").write_text(SHORT)
    open_page(window, authored("short.yaml").url)
    window.page.click("#timeline .add")
    moves = len(shipped_moves())
    window.wait_for(
        f"document.querySelectorAll('#timeline .moves svg circle').length === {moves}"
    )
    # What a move does is seen: arms that are raised go to both sides.
    wide, usual = (window.run(BOX % (move, "width")) for move in ("raise", "bounce"))
    assert wide > 1.4 * usual
    row = window.page.locator('[data-move="raise"]').bounding_box()
    picture = window.page.locator('[data-move="raise"] svg').bounding_box()
    assert picture["height"] <= row["height"]
    assert len(list((tmp_path / "library" / ".pictures").glob("*.json"))) == 1
