"""What is fed to readers: damaged bytes, edited trees, and what somebody thought of."""

import json
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any, TypeVar

import yaml
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

T = TypeVar("T")
Place = tuple[Any, ...]

NUMBERS = st.floats() | st.sampled_from([0.0, -1.0, 0.1, 0.5, 2.0, 8.0, 1e-320, 1e308])


@st.composite
def mostly(
    draw: st.DrawFn, usual: SearchStrategy[T], other: SearchStrategy[T], times: int = 6
) -> T:
    """One thing so many times as often as another."""
    return draw(other if draw(st.integers(0, times)) == times else usual)


def about(*usual: float) -> SearchStrategy[float]:
    """Mostly one of some usual numbers, and sometimes any."""
    return mostly(st.sampled_from(usual), NUMBERS)


TEXT = st.text(st.characters(codec="utf-8"), max_size=30)
SIGNS = "{}[]&*!|>%#-'\"\\0.~?:,=_<>/ \t\n\x00é\u2028"


@st.composite
def damaged(draw: st.DrawFn, *wholes: bytes) -> bytes:
    """A whole file with bytes changed, cut, put in or said twice."""
    data = bytearray(draw(st.sampled_from(wholes)))
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, max(len(data) - 1, 0)))
        some = draw(st.integers(1, 40))
        what = draw(st.sampled_from(["flip", "set", "cut", "put", "twice", "end"]))
        if what == "flip" and data:
            data[at] ^= 1 << draw(st.integers(0, 7))
        elif what == "set":
            data[at : at + 4] = draw(st.binary(min_size=1, max_size=4))
        elif what == "cut":
            del data[at : at + some]
        elif what == "put":
            data[at:at] = draw(st.binary(max_size=12))
        elif what == "twice":
            data[at:at] = data[at : at + some]
        else:
            del data[at:]
    return bytes(data)


def values(words: Sequence[str]) -> SearchStrategy[Any]:
    """Values of any kind, and trees of them; words are those of a format."""
    scalars = (
        st.none()
        | st.booleans()
        | st.integers(-(10**30), 10**30)
        | NUMBERS
        | TEXT
        | st.sampled_from([*words, "", "on", "1e400", "../../etc/passwd", "a" * 300])
    )
    return st.recursive(
        scalars,
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(st.sampled_from([*words, "x"]), inner, max_size=4)
        ),
        max_leaves=8,
    )


def _akin(value: Any, words: Sequence[str]) -> SearchStrategy[Any]:
    """Values of the kind of one that is there."""
    if isinstance(value, bool):
        return st.booleans()
    if isinstance(value, int):
        return st.integers(-3, 20) | st.integers()
    if isinstance(value, float):
        return about(*(share * value for share in (-1.0, 0.0, 0.5, 0.99, 1.01, 2.0)))
    if isinstance(value, str):
        return st.sampled_from([*words, value + value, value[:-1]]) | TEXT
    return values(words)


@st.composite
def edited(draw: st.DrawFn, *trees: Any, words: Sequence[str] = ()) -> Any:
    """A whole tree in which values are others, missing, moved or new."""
    tree = deepcopy(draw(st.sampled_from(trees)))
    known = sorted({*words, *(w for t in trees for w in _words(t))})
    anything = values(known)
    for _ in range(draw(st.sampled_from([0, 1, 1, 1, 2, 2, 4]))):
        places = list(_places(tree))
        if not places:
            break
        *way, last = draw(st.sampled_from(places))
        inside = tree
        for step in way:
            inside = inside[step]
        what = draw(st.sampled_from(["kind", "kind", "any", "drop", "move", "add"]))
        if what == "kind":
            inside[last] = draw(_akin(inside[last], known))
        elif what == "any":
            inside[last] = draw(anything)
        elif what == "drop":
            del inside[last]
        elif what == "move":
            inside[last] = deepcopy(_at(tree, draw(st.sampled_from(places))))
        elif isinstance(inside, dict):
            inside[draw(st.sampled_from([*known, "x"]))] = draw(anything)
        else:
            inside.append(draw(anything))
    return tree


def _places(tree: Any, way: Place = ()) -> Iterator[Place]:
    """Ways to everything in a tree."""
    inside = tree.items() if isinstance(tree, dict) else ()
    if isinstance(tree, list):
        inside = enumerate(tree)
    for key, value in inside:
        yield (*way, key)
        yield from _places(value, (*way, key))


def _at(tree: Any, place: Place) -> Any:
    for step in place:
        tree = tree[step]
    return tree


def _words(tree: Any) -> Iterator[str]:
    """Keys and short texts of a tree."""
    for place in _places(tree):
        value = _at(tree, place)
        yield from (x for x in (place[-1], value) if isinstance(x, str) and len(x) < 40)


def yaml_like(*texts: str, words: Sequence[str] = ()) -> SearchStrategy[bytes]:
    """YAML: edited trees of some texts, the texts damaged, or nothing like them."""
    trees = edited(*map(yaml.safe_load, texts), words=words)
    firsts = ["", *(text.partition("\n")[0] + "\n" for text in texts)]
    noise = st.builds(str.__add__, st.sampled_from(firsts), st.text(SIGNS, max_size=60))
    dumped = trees.map(lambda tree: yaml.safe_dump(tree).encode())
    others = st.one_of(
        damaged(*(text.encode() for text in texts)),
        noise.map(str.encode),
        st.binary(max_size=60),
    )
    return mostly(dumped, others, 2)


def json_like(*trees: Any, words: Sequence[str] = ()) -> SearchStrategy[bytes]:
    """JSON: edited trees, the same damaged, or nothing like them."""
    wholes = [json.dumps(tree).encode() for tree in trees]
    dumped = edited(*trees, words=words).map(lambda tree: json.dumps(tree).encode())
    others = st.one_of(
        values(words).map(lambda tree: json.dumps(tree).encode()),
        damaged(*wholes),
        st.binary(max_size=60),
    )
    return mostly(dumped, others, 2)


# --- what somebody thought of ---------------------------------------------------------

MB = 1_000_000
HOSTILE = {
    "nothing": b"",
    "one zero": b"\x00",
    "zeros": bytes(MB),
    "lines": b"\n" * 200_000,
    "blanks": b" " * 200_000,
    "one word": b"a" * 5 * MB,
    "not UTF-8": b"\xff\xfe\x00\xd8" * 1000,
    "half a letter": "é".encode()[:1],
    "a mark of order": b"\xef\xbb\xbf",
    "HTML": b"<!DOCTYPE html><html><body>404 not found</body></html>",
    "a pickle": b"cposix\nsystem\n(S'false'\ntR.",
}


def _bomb(begin: str, name: str, refer: str) -> bytes:
    """Lines of which each has twenty times the one before."""
    lines = [begin]
    for k in range(12):
        inner = ", ".join(20 * [refer.format(k)])
        lines.append(name.format(k + 1) + f"[{inner}]")
    return "\n".join(lines).encode() + b"\n"


HOSTILE_YAML = HOSTILE | {
    "an alias bomb": _bomb("a0: &a0 [x, x]", "a{0}: &a{0} ", "*a{0}"),
    "an alias of itself": b"name: &a [*a]\n",
    "a key of itself": b"&a {x: *a}: 1\n",
    "a merge of itself": b"name: &a {<<: *a}\n",
    "a thousand merges": b"a: &a {x: 1}\nb: {" + b"<<: *a, " * 1000 + b"}\n",
    "deep lists": b"a: " + b"[" * 3 * MB,
    "deep maps": b"a: " + b"{a: " * 100_000,
    "deep blocks": "".join(f"{k * ' '}a:\n" for k in range(1500)).encode(),
    "deep dashes": b"- " * 100_000,
    "many keys": "".join(f"k{k}: {k}\n" for k in range(3000)).encode(),
    "a key twice": b"name: a\nname: b\n",
    "a long key": b"? " + b"a" * MB + b"\n: 1\n",
    "a long number": b"bpm: " + b"9" * 100_000 + b"\n",
    "a number of sixty parts": b"seeds: " + b"59:" * 400 + b"59\n",
    "a date that is none": b"name: 2024-99-99\n",
    "a call": b"name: !!python/object/apply:os.system [false]\n",
    "a tag": b"!own {name: a}\n",
    "two documents": b"name: a\n---\nname: b\n",
    "another version": b"%YAML 9.9\n---\nname: a\n",
    "no text as key": b"{1: 2, null: 3, [a]: 4, 1.5: 5, true: 6}\n",
    "a list": b"[1, 2, 3]\n",
    "bytes": b"name: !!binary gIGC\n",
    "a set": b"name: !!set {a, b}\n",
}
HOSTILE_JSON = HOSTILE | {
    "deep lists": b"[" * MB,
    "deep maps": b'{"a":' * 100_000,
    "no number": b'{"do": NaN, "value": Infinity}',
    "a long number": b'{"value": ' + b"9" * 100_000 + b"}",
    "half a pair": b'{"do": "\\ud800"}',
    "a key twice": b'{"do": 1, "do": 2}',
    "null": b"null",
    "a list": b"[]",
}
