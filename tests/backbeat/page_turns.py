"""A player and the page that drives it, in turns."""

import contextlib


class Driven:
    """A player, and the page that drives it in turns with it."""

    def __init__(self, window, player):
        self.window, self.player, self.page = window, player, window.page

    def until(self, condition, frames=1000):
        """Plays on until something holds.

        What is counted are turns of both sides, not time: after each frame of the
        player the page gets a turn too, however long a loaded machine takes for it.
        """
        for _ in range(frames):
            if condition():
                return
            self.player.frame()
            self.give_turn()
        raise AssertionError(f"it never came in {frames} turns of player and page")

    def give_turn(self):
        """Waits until the page has done what was due, and timers of 10 ms."""
        try:
            self.window.run("new Promise((done) => setTimeout(done, 10))")
        except Exception:
            # A page that is replaced by another has no turns.
            self.page.wait_for_timeout(10)

    def shows_play(self):
        """Whether the page shows that it plays."""
        footer = "document.querySelector('#overlay footer')"
        return self.page.evaluate(f"{footer}.classList.contains('playing')")

    def click(self, selector):
        """Clicks without waiting for a picture, which a slow machine may not draw."""
        self.page.dispatch_event(selector, "click")

    def slide(self, selector, value):
        """Moves a slider as a hand does."""
        self.page.eval_on_selector(
            selector,
            "(s, x) => { s.value = x; s.dispatchEvent(new Event('input')); }",
            value,
        )

    def press(self, key):
        """Presses a key."""
        event = f"new KeyboardEvent('keydown', {{key: {key!r}, bubbles: true}})"
        self.window.run(f"document.body.dispatchEvent({event})")

    def leave(self):
        """Marks the page as it is, which another behavior replaces."""
        self.window.run("window.isLeft = true")

    def knows(self, name):
        """Whether the page shows a behavior, loaded anew since `leave`."""

        def ask():
            with contextlib.suppress(Exception):
                here = f"!window.isLeft && backbeat.state().choice === 'atlas/{name}'"
                return self.window.run(here)
            return False

        return ask

    def settings(self):
        """What holds in the simulation."""
        return self.player._state()["settings"]
