import threading
from dataclasses import replace

import numpy as np
import pytest

from backbeat.behaviors.building.incremental_build import (
    IncrementalBuild,
    UpdatedBehavior,
)
from backbeat.behaviors.library.store import Library
from backbeat.jobs.watching import Drafted, Performed, Refused
from backbeat.stage.live.show import LiveShow
from backbeat.stage.players.watched import WatchedShow
from backbeat.stage.sources.kinds import PlannedSource
from tests.backbeat.performances import drumming, swaying

pytestmark = pytest.mark.browser


def test_a_live_page_shows_what_is_drawn_and_notices_the_end(window):
    before = threading.active_count()
    take = PlannedSource(drumming(True, 4.0))
    show = LiveShow(take, None)
    try:
        for t in np.linspace(0.5, 1.3, 60):
            show.note_tips(take.frame_at(t))
        show.draw(take.frame_at(1.3), 0.0, "0.8 × real time")
        window.open(show.url)
        window.wait_for("document.querySelector('.now').innerText.includes('0:01.3')")
        assert show.is_watched
        said = window.page.inner_text("#overlay")
        for words in ("drums", "base welded", "0.8 × real time", "bar 1", "Hold"):
            assert words in said
        first = window.full_picture()
        trail = "viewer.scene_tree.find(['stick trails', 'l_stick_tip', '<object>'])"
        assert window.run(f"{trail}.object.geometry.index.count") > 100

        show.draw(take.frame_at(1.6), 0.0)
        window.wait_for("document.querySelector('.now').innerText.includes('0:01.6')")
        moved = np.abs(first - window.picture()).max(2) > 0.1
        assert 0.001 < moved.mean() < 0.5
    finally:
        show.close()
    window.wait_for("document.querySelector('.remark').textContent.includes('over')")
    # That nobody answers any more is what this part is about.
    window.errors.clear()
    # A browser keeps six connections at most; those of other tests may be left, too.
    assert threading.active_count() <= before + 6


def test_a_page_follows_what_is_written(window, tmp_path):
    """A preview, the motion that takes its place, and a mistake."""
    path = tmp_path / "mine.yaml"
    moves = "- {move: bounce, at: 2, beats: 4}"
    text = "kind: dance\nname: mine\nbeats: 12\nsummary: Mine.\ntracks:\n  legs:\n    "
    path.write_text(text + moves)
    draft = IncrementalBuild(path, Library(tmp_path)).read()
    urls = []
    show = WatchedShow(None, urls.append, lambda sentence: None)
    try:
        show.hear(Drafted(draft, (1.2, 3.6)))
        show.frame()
        window.open(urls[0])
        says = "document.querySelector('#overlay').innerText.includes"
        window.wait_for(f"{says}('kinematic preview: no forces')")
        window.wait_for(f"{says}('solving …')")
        behavior = replace(swaying(6.0), summary="A motion at last.")
        show.hear(Performed(UpdatedBehavior(behavior, 1.0, 2.0, 12, 3), 0.8))
        show.frame()
        window.wait_for(f"{says}('as planned') && {says}('A motion at last.')")
        show.hear(Refused("mine.yaml:7: too deep"))
        show.frame()
        window.wait_for(f"{says}('mine.yaml:7: too deep')")
        window.full_picture()
    finally:
        show.close()
    window.wait_for("document.querySelector('.remark').textContent.includes('over')")
    window.errors.clear()
