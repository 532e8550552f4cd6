"""Sentences that a user sees speak of things as of things, in the field's words.

They are the strings of the product that are no docstrings, the strings of the
JavaScript, the text and the hints of HTML, and the texts and strings of notebooks.
"""

import ast
import re
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("models", "optimization", "behaviors", "mpc", "backbeat")
OLD = re.compile(
    r"\b(who|whom|nobody|somebody|anybody|everybody|dearest|askew|as usual"
    r"|(got|gets?) over|what it says|wants?|knows?|foresees?|foreseen|blow)\b",
    re.IGNORECASE,
)
# Sentences about people, of whom one may speak so.
PEOPLE = ("who may do what with the takes", "when anybody taps at 100 BPM")
# Literals of JavaScript; what a template computes is none.
LITERAL = re.compile(
    r'"((?:[^"\\\n]|\\.)*)"' r"|'((?:[^'\\\n]|\\.)*)'" r"|`((?:[^`\\]|\\.)*)`"
)
COMMENT = re.compile(r"/\*.*?\*/|(?:(?<=\s)|^)//[^\n]*", re.DOTALL | re.MULTILINE)
COMPUTED = re.compile(
    r"\$\{(?:[^{}]|\{[^{}]*\})*\}|\{\{.*?\}\}|\{[%#].*?[%#]\}", re.DOTALL
)
HINT = re.compile(r'\b(?:title|aria-label|placeholder|alt)="([^"]*)"')
HIDDEN = re.compile(r"<(script|style)\b.*?</\1>|<!--.*?-->|<[^>]*>", re.DOTALL)


def of_python(text):
    """Strings that are no docstrings; a single word is the name of a value."""
    tree = ast.parse(text)
    docs = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in docs
        and " " in node.value.strip()
    ]


def of_javascript(text):
    found = LITERAL.findall(COMMENT.sub("", text))
    return [COMPUTED.sub("", "".join(literal)) for literal in found]


def of_html(text):
    text = COMPUTED.sub("", text)
    return [*HINT.findall(text), HIDDEN.sub("\n", text)]


def of_notebook(text):
    cells = nbformat.reads(text, as_version=4).cells
    code = [s for c in cells if c.cell_type == "code" for s in of_python(c.source)]
    return [*code, *(c.source for c in cells if c.cell_type == "markdown")]


READERS = {
    ".py": of_python,
    ".js": of_javascript,
    ".html": of_html,
    ".ipynb": of_notebook,
}


def old_words(sentence):
    """Words of a sentence that the field has others for."""
    plain = " ".join(sentence.split())
    for allowed in PEOPLE:
        plain = plain.replace(allowed, "")
    return [match[0] for match in OLD.finditer(plain)]


@pytest.mark.parametrize("kind", READERS)
def test_sentences_are_in_the_words_of_the_field(kind):
    folders = ("notebooks",) if kind == ".ipynb" else PACKAGES
    paths = [p for f in folders for p in sorted((ROOT / f).rglob(f"*{kind}"))]
    sentences = [(p, s) for p in paths for s in READERS[kind](p.read_text())]
    assert len(paths) > 3
    assert len(sentences) > 30
    found = [
        f"{path.relative_to(ROOT)}: {words} in {' '.join(sentence.split())[:200]!r}"
        for path, sentence in sentences
        if (words := old_words(sentence))
    ]
    assert not found, "\n".join(found)


def test_old_words_are_found_where_a_user_sees_them():
    planted = {
        ".py": '"""Who is pushed."""\nlabel, key = f"nobody is {who}", "who"\n',
        ".js": 'const who = 1; // Who is it?\nx.title = "Nobody"; y = `${who} is on`;',
        ".html": '<p title="Nobody">fine</p><script>const who = 1;</script>{{ who }}',
    }
    for kind, text in planted.items():
        found = [word for s in READERS[kind](text) for word in old_words(s)]
        assert [word.lower() for word in found] == ["nobody"], kind
    assert old_words("the robot got over it, as\nusual") == ["got over", "as usual"]
    assert not old_words("a known weight, blown up; whole notes")
