import threading

import numpy as np
import pytest

from backbeat.stage.live import LiveShow
from backbeat.stage.takes import PlannedTake
from tests.backbeat.performances import drumming

pytestmark = pytest.mark.browser


def test_a_live_page_shows_what_is_drawn_and_notices_the_end(window):
    take = PlannedTake(drumming(True, 4.0))
    show = LiveShow(take, None)
    try:
        for t in np.linspace(0.5, 1.3, 60):
            show.note_tips(take.moment(t))
        show.draw(take.moment(1.3), 0.0, "0.8 × real time")
        window.open(show.url)
        window.wait_for("document.querySelector('.now').innerText.includes('0:01.3')")
        assert show.is_watched
        said = window.page.inner_text("#overlay")
        for words in ("drums", "base welded", "0.8 × real time", "bar 1", "Hold"):
            assert words in said
        first = window.picture()
        assert first.std() > 0.08
        trail = "viewer.scene_tree.find(['stick trails', 'l_stick_tip', '<object>'])"
        assert window.run(f"{trail}.object.geometry.index.count") > 100

        show.draw(take.moment(1.6), 0.0)
        window.wait_for("document.querySelector('.now').innerText.includes('0:01.6')")
        moved = np.abs(first - window.picture()).max(2) > 0.1
        assert 0.001 < moved.mean() < 0.5
    finally:
        show.close()
    window.wait_for("document.querySelector('.remark').textContent.includes('over')")
    # That nobody answers any more is what this part is about.
    window.errors.clear()
    assert threading.active_count() < 10
