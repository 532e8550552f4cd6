"""Robustness cards in words, for commands that are about to run something."""

from pathlib import Path

from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.store import Library
from backbeat.mpc.sweep.card.robustness import card_path, read_card
from backbeat.mpc.sweep.table import sources


def card_words(library: Library, name: str) -> str:
    """The headline of a behavior's card; "" when there is none.

    A card of another build, or of other sources, says so.

    Raises:
        BackbeatError: the file of the card is no card.
    """
    card = read_card(card_path(library.folder, name))
    if card is None:
        return ""
    if card.is_about(library.key(name), sources()):
        return card.headline
    which = "build" if card.behavior_key != library.key(name) else "version"
    return f"{card.headline}; of an earlier {which}"


def predicted(library: str | Path, behavior: Behavior) -> str:
    """What is to be expected of a behavior, before it is run; "" when not known.

    Raises:
        BackbeatError: the file of the card is no card.
    """
    words = card_words(Library(library), behavior.name)
    return f"{behavior.name} survives {words} (backbeat card)" if words else ""
