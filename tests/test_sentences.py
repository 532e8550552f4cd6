"""Sentences of errors are for people: no module looks something up in one."""

from pathlib import Path

import pytest

from tests.sentences import readers

CHECKOUT = Path(__file__).parents[1]
PACKAGES = ("models", "optimization", "behaviors", "mpc", "backbeat")
MAKERS = {CHECKOUT / "models" / "common" / "errors.py"}


def test_no_module_reads_the_sentence_of_another():
    files = [f for p in PACKAGES for f in (CHECKOUT / p).rglob("*.py")]
    assert len(files) > 500
    found = readers({f: f.read_text() for f in files}, MAKERS)
    assert not found, [f"{file.relative_to(CHECKOUT)}:{line}" for file, line in found]


HEAD = """\
class OurError(BackbeatError):
    pass

def try_it():
    try:
        run()
    except {caught} as error:
        {line}
"""


@pytest.mark.parametrize(
    "line",
    [
        "return 'unknown' in str(error)",
        "return error.args[0] == 'unknown drum'",
        "return re.search('line', str(error))",
        "return PATTERN.search(f'{error}')",
        "return str(error).strip().partition(': ')[2]",
        "return error.fault.startswith('song')",
        "text, n = str(error), 1; return 'drum' not in text",
        "raise OurError(f'so: {error}'.removesuffix('.'))",
        "return [f.sentence.split('; ') for f in error.findings]",
        "return look(str(error))\ndef look(said):\n    return 'drum' in said",
        "return self.look(1, said=str(error))\n"
        "def look(self, n, said):\n    return deeper(said)\n"
        "def deeper(text):\n    return re.sub('a', 'b', text)",
    ],
)
@pytest.mark.parametrize(
    "caught", ["BackbeatError", "(OSError, OurError)", "Exception"]
)
def test_what_reads_in_a_sentence_is_found(line, caught):
    assert readers({"planted.py": HEAD.format(caught=caught, line=line)})


@pytest.mark.parametrize(
    "line",
    [
        "return error.code == 'unknown-name' and error.subject in known",
        "return error.reworded(f'song: {error}')",
        "return tell(str(error))\ndef tell(said):\n    print(said.rstrip())",
        "return OurError(f'{path}: {error}', line=error.line)",
    ],
)
def test_what_hands_a_sentence_on_is_let_be(line):
    assert not readers({"planted.py": HEAD.format(caught="BackbeatError", line=line)})


def test_what_another_program_says_has_no_fields():
    line = "return 'literal-string' in str(error)"
    assert not readers({"planted.py": HEAD.format(caught="RuntimeError", line=line)})
