"""Questions that readers of such software ask, and where the answers are found.

They were written down from threads of users before the pages were. Each is answered
below a heading of a page that the start page's navigation has, and found by one search.
"""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import PurePosixPath
from urllib.parse import quote

import pytest
import snowballstemmer

from backbeat.stage.recording.browser import find_chromium
from tests.docs.pages import DOCS

# Question, page and heading of its answer, and what a reader would search for.
QUESTIONS = [
    (
        "Which control and planning rates does it run at, and with what delays?",
        "explanation/overview.md#rates-and-delays",
        "rates delays",
    ),
    (
        "Does a slow computer change the result of a simulation?",
        "explanation/overview.md#online",
        "real-time factor",
    ),
    (
        "How do I use my own robot?",
        "how_to/own_robot.md#1-describe-it",
        "robot ten minutes",
    ),
    (
        "Which elements of my URDF are ignored?",
        "how_to/descriptions.md#support",
        "URDF support",
    ),
    (
        "Which constraint makes my motion infeasible?",
        "how_to/debug_a_motion.md#build-and-read-the-message",
        "motion found debug",
    ),
    ("Why did my robot fall?", "how_to/debug_a_fall.md#when", "debug fall"),
    (
        "How do I change a weight, and see what it did?",
        "how_to/change_a_weight.md#one-run-with-one-without",
        "change weight",
    ),
    (
        "How do I add a cost without forking the source?",
        "how_to/add_a_cost.md#the-term",
        "add a cost",
    ),
    (
        "How do I compare my controller with the one that ships?",
        "how_to/own_controllers.md#",
        "LQR controller",
    ),
    (
        "How do I read torques of every joint from a log?",
        "how_to/runs.md#the-file",
        "run file columns",
    ),
    (
        "How do I open a run in Rerun, Foxglove or PlotJuggler?",
        "how_to/read_a_run.md#foxglove-rerun-and-plotjuggler",
        "rerun",
    ),
    (
        "How do I repeat a run bit for bit?",
        "how_to/runs.md#reproducing-a-run",
        "reproducing run",
    ),
    (
        "Is contact that of the schedule or that of the sensors?",
        "explanation/recovery.md#touchdown",
        "touchdown",
    ),
    (
        "Is my recorded motion feasible, do its feet slide or float?",
        "how_to/recordings.md#feasible-as-it-is",
        "feasible recording",
    ),
    (
        "How does the controller adapt the timing of steps?",
        "explanation/predictive_program.md#timing-and-phase",
        "time dilation",
    ),
    (
        "What does the whole-body program minimize, and are there hidden terms?",
        "explanation/whole_body_program.md#tasks",
        "whole-body program tasks",
    ),
    (
        "How do I run the same controller in MuJoCo?",
        "how_to/engines.md#one-description",
        "mujoco",
    ),
    (
        "How do I record a video, and how large is a recording?",
        "how_to/stage.md#recordings-and-films",
        "recording film",
    ),
    (
        "How do I randomize friction, masses and delays?",
        "how_to/own_disturbances.md#",
        "disturbances",
    ),
    (
        "Which motors are strained by a motion for long?",
        "how_to/runs.md#strained-joints",
        "strained joints",
    ),
    (
        "How do I call the controllers from C++?",
        "how_to/other_process.md#",
        "c++",
    ),
    (
        "How does a drum track in MIDI become a show?",
        "how_to/midi_show.md#build-and-listen",
        "midi",
    ),
    (
        "How large a push does it survive, and how often?",
        "how_to/cards.md#how-many-runs",
        "robustness",
    ),
    (
        "What is the mean of a metric such as com_error_mm?",
        "reference/metrics.md#all-metrics",
        "metrics",
    ),
]
PLACES = pytest.mark.parametrize(("question", "place", "words"), QUESTIONS)


def anchors(text):
    """Headings as GitHub names them."""
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", t.lower()).replace(" ", "-") for t in titles}


def navigation():
    """Pages that the start page's navigation has."""
    text = (DOCS / "index.md").read_text()
    listed = "\n".join(re.findall(r"```\{toctree\}\n(.*?)```", text, re.DOTALL))
    return {f"{name}.md" for name in re.findall(r"^([\w/.]+)$", listed, re.MULTILINE)}


def links(page):
    """Pages that a page links to."""
    found = re.findall(r"\]\(([\w/.]+\.md)", (DOCS / page).read_text())
    folder = PurePosixPath(page).parent
    paths = ((DOCS / folder / f).resolve() for f in found)
    return {str(p.relative_to(DOCS)) for p in paths if p.is_relative_to(DOCS)}


def clicks(place, start):
    """How many links lead from the start page to a page; 3 for more than two."""
    page = place.partition("#")[0]
    if page in start:
        return 1
    return 2 if any(page in links(p) for p in start if (DOCS / p).is_file()) else 3


def test_there_are_twenty():
    assert len({question for question, _, _ in QUESTIONS}) >= 20


@PLACES
def test_an_answer_is_below_its_heading_and_two_clicks_away(question, place, words):
    page, _, anchor = place.partition("#")
    assert not anchor or anchor in anchors((DOCS / page).read_text())
    assert clicks(place, navigation()) <= 2, question


def test_a_page_that_nothing_leads_to_is_three_clicks_away():
    assert clicks("how_to/own_robot.md", set()) == 3
    assert clicks("explanation/nowhere.md", navigation()) == 3


def found(index, words):
    """Pages in whose text or title the index of the search has all words."""
    stem = snowballstemmer.stemmer("english").stemWord
    pages = set(range(len(index["docnames"])))
    for word in re.findall(r"\w\w+", words.lower()):
        hits = (index[table].get(stem(word), []) for table in ("terms", "titleterms"))
        of_word = [[hit] if isinstance(hit, int) else hit for hit in hits]
        pages &= {page for part in of_word for page in part}
    return {index["docnames"][page] for page in pages}


@pytest.fixture(scope="module")
def index(site):
    """The index of the site's search."""
    text = (site[0] / "searchindex.js").read_text(encoding="utf-8")
    return json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))


@pytest.mark.slow
@PLACES
def test_an_answer_is_in_the_index_of_the_search(index, question, place, words):
    assert "docs/" + place.partition(".md")[0] in found(index, words), question
    assert found(index, f"{words} xylophone") == set()


def _missing(path, site):
    """Questions whose answer is not among the first ten that the search shows."""
    playwright, missing = pytest.importorskip("playwright.sync_api"), []
    with playwright.sync_playwright() as driver:
        options = {"executable_path": path, "args": ["--no-sandbox"]}
        browser = driver.chromium.launch(**options)
        page = browser.new_page()
        for question, place, words in QUESTIONS:
            page.goto(f"file://{site}/search.html?q={quote(words)}")
            page.wait_for_selector("#search-results li a")
            shown = page.locator("#search-results li a").evaluate_all(
                "links => links.map(a => a.getAttribute('href'))"
            )
            if not any(place.partition(".md")[0] in link for link in shown[:10]):
                missing.append((question, shown[:10]))
        browser.close()
    return missing


@pytest.mark.browser
def test_answers_are_among_the_first_ten_of_a_search(site):
    """Asked of the page of the search itself."""
    if (path := find_chromium()) is None:
        pytest.skip("no Chromium: apt install chromium")
    # Other tests of this process may have a browser, in whose thread there is no other.
    with ThreadPoolExecutor(1) as pool:
        missing = pool.submit(_missing, path, site[0]).result()
    assert missing == []
