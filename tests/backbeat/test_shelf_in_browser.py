"""The first page: something plays, and a shelf of behaviors is beside it."""

from dataclasses import replace

import pytest

from backbeat.behaviors.library.store import Library
from backbeat.stage.live.playback import Playback
from backbeat.stage.players.player import Player
from backbeat.stage.players.repertoire import Repertoire
from tests.backbeat.page_turns import Driven
from tests.backbeat.performances import swaying

pytestmark = pytest.mark.browser


def test_something_plays_beside_a_shelf_that_is_searched(window, tmp_path):
    library = Library(tmp_path)
    library.save(swaying(20.0))
    other = replace(swaying(4.0), name="drums", kind="drumming")
    library.save(other)
    player = Player(library.load("sway"), Repertoire(library), Playback(chooses=True))
    try:
        window.page.goto(player.show.url, wait_until="commit")
        driven, run = Driven(window, player), window.run
        driven.until(lambda: run("Boolean(window.backbeat?.state?.().playing)"))
        driven.until(lambda: player.transport.time > 0.2)
        assert run("document.querySelector('dialog.chooser').open")
        # A figure of each, by kind.
        driven.until(
            lambda: run("document.querySelectorAll('.chooser svg').length") == 2
        )
        assert run("document.querySelectorAll('.chooser svg line').length") > 30
        titles = (
            "[...document.querySelectorAll('.chooser h3')].map((h) => h.textContent)"
        )
        assert run(titles) == ["drumming", "posture"]
        window.page.fill(".chooser .search", "drum")
        cards = "[...document.querySelectorAll('.chooser [data-choice]')]"
        assert run(f"{cards}.map((card) => card.dataset.choice)") == ["atlas/drums"]
        # Keys that are typed into the search do nothing else.
        window.page.press(".chooser .search", "l")
        driven.until(lambda: run(f"{cards}.length") == 0)
        assert player.transport.loops
        window.page.fill(".chooser .search", "")
        driven.click(".chooser [data-choice='atlas/drums']")
        driven.until(lambda: run("backbeat.state().choice") == "atlas/drums")
        assert player.transport.is_playing
        window.leave()
    finally:
        player.close()
