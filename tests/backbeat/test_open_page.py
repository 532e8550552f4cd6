"""Pages open in a browser only where somebody can see it."""

import webbrowser

import pytest

from backbeat.cli.common import browser
from backbeat.cli.common.browser import has_display, open_page


@pytest.mark.parametrize(
    ("environment", "platform", "expected"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ""}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({}, "darwin", True),
    ],
)
def test_a_display_is_looked_for(environment, platform, expected):
    assert has_display(environment, platform) is expected


class Seen(webbrowser.BaseBrowser):
    def __init__(self, pages):
        super().__init__("seen")
        self.pages = pages

    def open(self, url, new=0, autoraise=True):
        self.pages.append(url)
        return True


@pytest.mark.parametrize("display", [True, False])
def test_a_page_opens_where_there_is_a_display(monkeypatch, display):
    pages = []
    monkeypatch.setattr(browser, "has_display", lambda: display)
    monkeypatch.setattr(webbrowser, "get", lambda: Seen(pages))
    opened = open_page("http://127.0.0.1:7000/")
    if opened is not None:
        opened.join()
    assert pages == (["http://127.0.0.1:7000/"] if display else [])


def test_a_browser_of_the_terminal_does_not_take_it(monkeypatch):
    monkeypatch.setattr(browser, "has_display", lambda: True)
    monkeypatch.delenv("BROWSER", raising=False)
    monkeypatch.setattr(webbrowser, "get", lambda: webbrowser.GenericBrowser("lynx"))
    assert open_page("http://127.0.0.1:7000/") is None


def test_without_any_browser_the_address_has_to_do(monkeypatch):
    def none():
        raise webbrowser.Error("could not locate runnable browser")

    monkeypatch.setattr(browser, "has_display", lambda: True)
    monkeypatch.setattr(webbrowser, "get", none)
    assert open_page("http://127.0.0.1:7000/") is None
