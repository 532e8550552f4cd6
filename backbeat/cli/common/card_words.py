"""Robustness cards in words, for commands that are about to run something."""

from pathlib import Path

from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.library.stored import Stored
from backbeat.mpc.sweep.card.robustness import card_path, read_card
from backbeat.mpc.sweep.table import sources


def card_words(library: Library, name: str | Stored, robot: str = "") -> str:
    """The headline of a behavior's card; "" when there is none.

    A card of another build, or of other sources, says so.

    Raises:
        BackbeatError: the file of the card is no card.
    """
    card = read_card(card_path(library.path(name, robot)))
    if card is None:
        return ""
    key = library.key(name, robot)
    if card.is_about(key, sources()):
        return card.headline
    which = "build" if card.behavior_key != key else "version"
    return f"{card.headline}; of an earlier {which}"


def predicted(library: str | Path, behavior: Behavior) -> str:
    """What is to be expected of a behavior, before it is run; "" when not known.

    Raises:
        BackbeatError: the file of the card is no card.
    """
    words = card_words(Library(library), behavior.name, behavior.robot)
    return f"{behavior.title} survives {words} (backbeat card)" if words else ""
