"""Opening a page in the user's browser, where there is one to look at."""

import os
import sys
import threading
import webbrowser
from collections.abc import Mapping
from typing import Annotated

import typer

OpensBrowser = Annotated[
    bool,
    typer.Option(
        "--open/--no-open",
        help="Open the page in the browser, if there is a display.",
    ),
]


def has_display(
    environment: Mapping[str, str] = os.environ, platform: str = sys.platform
) -> bool:
    """Whether a window that is opened here can be seen."""
    if platform in ("darwin", "win32"):
        return True
    return any(environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def open_page(url: str) -> threading.Thread | None:
    """Opens a page in the browser, in a thread; None where there is none to look at."""
    if not has_display():
        return None
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        # The address that is printed has to do.
        return None
    # A browser of the terminal would take that away from the command.
    if type(browser) is webbrowser.GenericBrowser and "BROWSER" not in os.environ:
        return None
    opening = threading.Thread(target=browser.open, args=(url,), daemon=True)
    opening.start()
    return opening


def announce(url: str) -> None:
    """Tells where to look."""
    typer.echo(f"On stage at {url}  (Ctrl-C ends the show)")


def announce_and_open(url: str) -> None:
    """Tells where to look, and opens it there."""
    announce(url)
    open_page(url)
