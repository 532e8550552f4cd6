"""Performing: a live show from its first frame to its last."""

from collections.abc import Callable
from typing import Protocol

from backbeat.behaviors.library.behavior import Behavior
from backbeat.stage.live.playback import Playback
from backbeat.stage.players.editing import EditRequest
from backbeat.stage.players.player import Player
from backbeat.stage.players.repertoire import Repertoire
from backbeat.stream.server import JointStream


class Terminal(Protocol):
    """Where a show says what goes on."""

    def progress(self, step: int, steps: int, what: str) -> None:
        """A step of making a simulation is under way; 0 of any number for none."""

    def say(self, sentence: str) -> None:
        """Prints a sentence."""


def _report(player: Player, terminal: Terminal) -> None:
    made = player.preparation
    terminal.progress(*((0, 1, "") if made is None else made.progress))
    if news := player.economy.news():
        terminal.say(news)


def perform(
    behavior: Behavior,
    repertoire: Repertoire,
    playback: Playback,
    announce: Callable[[str], None],
    stream: JointStream | None = None,
    terminal: Terminal | None = None,
) -> EditRequest | None:
    """Plays until Ctrl-C or, where no page is waited for, until the end.

    Args:
        behavior: what to begin with.
        repertoire: what pages may choose from.
        playback: how it begins.
        announce: called with the URL, once, before anything moves.
        stream: told of joint states and torques; None for nothing.
        terminal: told of what is made and what is saved; None for nothing.

    Returns:
        What a page has asked to edit; None where it is just the end.

    Raises:
        BackbeatError: the port is taken, or the behavior may not be simulated.
    """
    player = Player(behavior, repertoire, playback, stream)
    try:
        announce(player.show.url)
        while not player.is_over:
            player.frame()
            if terminal is not None:
                _report(player, terminal)
    finally:
        player.close()
    return EditRequest(player.edits, player.show.port) if player.edits else None
