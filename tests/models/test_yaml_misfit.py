"""Where in a file of YAML a value does not fit, or a key is unknown."""

import time
from dataclasses import dataclass, field

import pytest

from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.yaml_file import parse_yaml


@dataclass
class Leaf:
    number: float = 0.0
    names: dict[str, list[int]] = field(default_factory=dict)


@dataclass
class Tree:
    title: str = ""
    leaf: Leaf = field(default_factory=Leaf)
    leaves: list[Leaf] = field(default_factory=list)
    tracks: dict[str, list[Leaf]] = field(default_factory=dict)
    places: list[list[float]] = field(default_factory=list)


@pytest.mark.parametrize(
    ("text", "path", "sentence"),
    [
        ("titel: a", ("titel",), "unknown key in t 'titel'; did you mean title?"),
        ("leaf: {numbr: 1}", ("leaf", "numbr"), "did you mean number?"),
        ("leaves: [{}, {nams: {}}]", ("leaves", 1, "nams"), "did you mean names?"),
        ("tracks: {a: [{}, {b: 1}]}", ("tracks", "a", 1, "b"), "unknown key in t 'b'"),
        ("1: a", ("1",), "unknown key in t '1'"),
        ("leaf: {number: much}", ("leaf", "number"), "'leaf' does not fit"),
        ("leaf: 1", ("leaf",), "'leaf' does not fit"),
        ("leaves: [{}, {}, {number: x}, {}]", ("leaves", 2, "number"), "'leaves'"),
        ("leaves: [{}, 3]", ("leaves", 1), "'leaves' does not fit"),
        ("tracks: {a: [], b: [{number: x}]}", ("tracks", "b", 0, "number"), "'tracks'"),
        ("leaf: {names: {a: [1], b: [1, x]}}", ("leaf", "names", "b", 1), "'leaf'"),
        ("title: a\nplaces: [[1], [2, x]]", ("places", 1, 1), "'places' does not fit"),
    ],
)
def test_what_does_not_fit_has_its_keys(text, path, sentence):
    with pytest.raises(BackbeatError) as caught:
        parse_yaml(Tree, text, "t")
    assert caught.value.path == path
    assert sentence in str(caught.value)


def test_a_broken_file_has_its_line():
    with pytest.raises(BackbeatError) as caught:
        parse_yaml(Tree, "title: a\nleaf: {\n", "t")
    assert caught.value.line == 3
    assert "t line 3: not valid YAML" in str(caught.value)


def test_the_last_of_many_is_found_in_time():
    text = "leaves:\n" + "- {number: 1}\n" * 900 + "- {number: x}\n"
    started = time.perf_counter()
    with pytest.raises(BackbeatError) as caught:
        parse_yaml(Tree, text, "t")
    assert caught.value.path == ("leaves", 900, "number")
    assert time.perf_counter() - started < 10.0
