"""What a schema declares is read, refused with its place, and written for editors."""

import json
import math
import random
import re
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

from backbeat.models.common import yaml_file
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.schema import check_values, key, span_of
from backbeat.models.common.schema_documents import json_schema, key_rows
from backbeat.models.common.yaml_file import parse_yaml


@dataclass
class Leaf:
    number: float = key(0.0, "m", ge=0, le=3)
    """How far [m]; 0 `stays`."""
    names: dict[str, list[int]] = key(dict)
    place: list[float] | None = key(None, "m", length=3)
    """[Where](there.md) it
    stands."""


@dataclass
class Tree:
    title: str = ""
    count: int = key(1, gt=0)
    side: str = key("left", choices=("left", "right"))
    is_on: bool = key(False)
    state: str | bool = "true"
    leaf: Leaf = field(default_factory=Leaf)
    leaves: list[Leaf] = field(default_factory=list)
    tracks: dict[str, list[Leaf]] = field(default_factory=dict)
    places: list[list[float]] = field(default_factory=list)


@pytest.mark.parametrize(
    ("text", "path", "sentence"),
    [
        ("titel: a", ("titel",), "unknown key in t 'titel'; did you mean title"),
        ("leaf: {numbr: 1}", ("leaf", "numbr"), "did you mean number?"),
        ("leaves: [{}, {nams: {}}]", ("leaves", 1, "nams"), "did you mean names?"),
        ("tracks: {a: [{}, {b: 1}]}", ("tracks", "a", 1, "b"), "unknown key in t 'b'"),
        ("count: no\ntitel: a", ("titel",), "unknown key in t 'titel'"),
        ("1: a", ("1",), "unknown key in t '1'"),
        (
            "leaf: {number: much}",
            ("leaf", "number"),
            "t: leaf.number is 'much'; it must be a number from 0 to 3 m",
        ),
        ("leaf: {number: 4}", ("leaf", "number"), "is 4; it must be from 0 to 3 m"),
        (
            "leaf: {number: .nan}",
            ("leaf", "number"),
            "nan; it must be from 0 to 3 m",
        ),
        ("leaf: {number: yes}", ("leaf", "number"), "is true; it must be a number"),
        ("leaf: {number:}", ("leaf", "number"), "is empty; it must be a number"),
        ("leaf: 1", ("leaf",), "leaf is 1; it must be keys with values"),
        ("leaf: {place: [1, 2]}", ("leaf", "place"), "[1, 2]; it must be a list of 3"),
        ("count: 0", ("count",), "t: count is 0; it must be > 0"),
        ("count: 1.5", ("count",), "is 1.5; it must be a whole number, > 0"),
        ("side: letf", ("side",), "unknown side in t 'letf'; did you mean left?"),
        ("is_on: 1", ("is_on",), "is_on is 1; it must be true or false"),
        ("state: 2", ("state",), "t: state is 2; it must be a text"),
        ("title: 5", ("title",), "t: title is 5; it must be a text"),
        ("leaves: [{}, {number: x}]", ("leaves", 1, "number"), "leaves[1].number"),
        ("leaves: [{}, 3]", ("leaves", 1), "leaves[1] is 3; it must be keys with"),
        ("tracks: {b: [{number: x}]}", ("tracks", "b", 0, "number"), "tracks.b[0]."),
        ("leaf: {names: {b: [1, x]}}", ("leaf", "names", "b", 1), "names.b[1] is 'x'"),
        ("title: a\nplaces: [[1], [2, x]]", ("places", 1, 1), "places[1][1] is 'x'"),
        ("places: 3", ("places",), "places is 3; it must be a list"),
    ],
)
def test_what_does_not_fit_has_its_keys(text, path, sentence):
    with pytest.raises(BackbeatError) as caught:
        parse_yaml(Tree, text, "t")
    assert caught.value.path == path
    assert sentence in str(caught.value)


def test_what_fits_is_read():
    text = "{count: 2, leaf: {number: 1e-3, place: [1, 2, 3]}, state: true, _x: [1]}"
    tree = parse_yaml(Tree, text, "t")
    assert tree == Tree(count=2, leaf=Leaf(1e-3, place=[1.0, 2.0, 3.0]), state=True)
    assert isinstance(tree.leaf.place[0], float)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (Tree(leaf=Leaf(-1.0)), "run: leaf.number is -1.0; it must be from 0 to 3 m"),
        (Tree(leaves=[Leaf(), Leaf(math.inf)]), "leaves[1].number is inf"),
        (Tree(side="up"), "unknown side in run 'up'; known: left, right"),
        (Tree(leaf=Leaf(place=[1.0])), "leaf.place is [1.0]; it must be a list of 3"),
    ],
)
def test_values_set_in_python_are_checked(wrong, sentence):
    check_values(Tree(leaf=Leaf(3.0)), "run")
    with pytest.raises(BackbeatError, match=sentence.replace("[", r"\[")):
        check_values(wrong, "run")


def test_an_editor_gets_all_that_is_declared():
    schema = json.loads(json.dumps(json_schema(Tree, "trees")))
    number = schema["$defs"]["Leaf"]["properties"]["number"]
    assert schema["title"] == "trees"
    assert not schema["additionalProperties"]
    assert (number["minimum"], number["maximum"], number["default"]) == (0, 3, 0)
    assert number["description"] == "How far [m]; 0 `stays`. From 0 to 3."
    place = schema["$defs"]["Leaf"]["properties"]["place"]
    assert place["description"] == "Where it stands [m]."
    assert schema["properties"]["side"]["enum"] == ["left", "right"]
    assert schema["properties"]["leaves"]["items"] == {"$ref": "#/$defs/Leaf"}


@dataclass
class Branch(Leaf):
    size: float = key(2.0, "cm", gt=0, lt=5)
    """How thick."""


def test_a_table_has_every_key():
    assert list(key_rows(Branch, Leaf))[2:] == [
        "| `size` | `2` | How thick [cm]. > 0 and < 5. |"
    ]
    assert len(list(key_rows(Branch))) == 6
    assert span_of({"ge": 1, "unit": "s"}) == ">= 1 s"
    assert not span_of({})


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


def test_both_parsers_read_the_same_from_spoiled_files():
    """What ships, with some letters changed: the same tree, or the same refusal."""
    packages = Path(yaml_file.__file__).resolve().parents[2]
    files = sorted(packages.glob("behaviors/**/*.yaml"))
    texts = [path.read_text()[:600] for path in files]
    draw, letters = random.Random(1), "09ax .-+:[]{}#&*!|>'\"%,\n\t~?=eE"
    read = refused = 0
    for _ in range(400):
        text = list(draw.choice(texts))
        for _ in range(draw.randint(1, 4)):
            text[draw.randrange(len(text))] = draw.choice(letters)
        spoiled = "".join(text)
        try:
            slow = yaml.load(spoiled, Loader=yaml_file._Loader)
        except yaml.YAMLError as error:
            refused += 1
            with pytest.raises(yaml.YAMLError, match=re.escape(error.problem)):
                yaml_file._parsed(spoiled)
        except ValueError as error:
            with pytest.raises(ValueError, match=re.escape(str(error))):
                yaml_file._parsed(spoiled)
        else:
            read += 1
            assert repr(yaml_file._parsed(spoiled)) == repr(slow)
    assert min(read, refused) > 50
