"""Every kind of file: what its schema declares is what is read, refused and told."""

import json
import re
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

import pytest
import yaml
from jsonschema import Draft202012Validator

from backbeat.cli.author.schema import file_schemas, reader_of, schema_text
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.schema import fit
from backbeat.models.common.yaml_file import load_tree, parse_yaml
from backbeat.models.common.yaml_lines import YamlLines

SCHEMAS = file_schemas()
CHECKOUT = Path(__file__).parents[2]
# Files that ship, and those of the documentation, of all kinds with a schema.
FOLDERS = (
    *("behaviors/specifications", "behaviors/specifications/scores"),
    *("behaviors/setlists", "behaviors/retargeting/maps", "docs/how_to", "models/kit"),
    *("models/robots/atlas", "models/robots/t1", "models/robots/ur10"),
    *("mpc/sweep/card", "mpc/sweep/specifications", "mpc/weights"),
)
# How far beyond a limit a wrong value is.
BEYOND = 1e-3
NUMBERS = {float: "must be a number", int: "must be a whole number"}


def places(kind, path=()):
    """Every key below a schema: a path of keys to it, its type, and its metadata."""
    hints = get_type_hints(kind)
    for item in fields(kind):
        own, inside = (*path, item.name), hints[item.name]
        yield own, inside, item.metadata
        # What is in a list or mapping is tried in one that has nothing else.
        while not is_dataclass(inside) and get_args(inside):
            members = [part for part in get_args(inside) if part is not NoneType]
            step = {list: (0,), dict: ("some",)}.get(get_origin(inside), ())
            own, inside = (*own, *step), members[-1]
        if is_dataclass(inside):
            yield from places(inside, own)


def tree_of(path, value):
    """Plain data that has one value, at a path."""
    for step in reversed(path):
        value = [value] if step == 0 else {step: value}
    return value


def wrong_values(kind, told: Mapping):
    """Values that a key refuses, each with a part of the sentence."""
    options = [part for part in get_args(kind) if part is not NoneType]
    if NoneType not in get_args(kind) and kind is not Any and len(options) < 2:
        yield None, "is empty; it must be"
    if len(options) == 1 and NoneType in get_args(kind):
        (kind,) = options
    if kind in NUMBERS:
        yield "much", f"is 'much'; it {NUMBERS[kind]}"
        yield True, "is true; it must be"
        if kind is float:
            yield float("nan"), "is nan; it must be"
            yield float("inf"), "is inf; it must be"
        for name, way in {"ge": -1, "le": 1, "gt": -1, "lt": 1}.items():
            if name in told:
                step = 1 if kind is int else BEYOND * max(1.0, abs(told[name]))
                yield told[name] + way * step, "; it must be (from|>|<)"
        yield from ((told[n], "; it must be") for n in ("gt", "lt") if n in told)
    elif kind is bool:
        yield "maybe", "is 'maybe'; it must be true or false"
    elif kind is str:
        yield 5.5, "is 5.5; it must be a text"
        if "choices" in told:
            wrong = f"{told['choices'][-1]}x"
            yield wrong, f"'{wrong}'; did you mean .*{told['choices'][-1]}"
    elif get_origin(kind) is list:
        yield 3, "is 3; it must be a list"
        if "min_length" in told:
            yield [0] * (told["min_length"] + 1), "must be a list of"
    elif get_origin(kind) is dict or is_dataclass(kind):
        yield 3, "is 3; it must be keys with values"


@contextmanager
def refused(path, sentence):
    """What is done inside is refused with a sentence, the file and the key."""
    with pytest.raises(BackbeatError, match=sentence) as caught:
        yield
    assert caught.value.path == path
    assert "mine.yaml" in str(caught.value)


@pytest.mark.parametrize("kind", SCHEMAS)
def test_every_key_refuses_what_it_does_not_declare(kind):
    schema, tried = SCHEMAS[kind], 0
    assert parse_yaml(schema, "{}", "mine.yaml") == schema()
    for path, inside, told in places(schema):
        for value, sentence in wrong_values(inside, told):
            with refused(path, sentence):
                fit(schema, tree_of(path, value), "mine.yaml")
            tried += 1
        near = (*path[:-1], f"{path[-1]}x")
        text = yaml.safe_dump({"_": 1, **tree_of(near, 1)}, sort_keys=False)
        with refused(near, f"unknown key in mine.*did you mean .*{path[-1]}"):
            parse_yaml(schema, text, "mine.yaml")
        lines = text.splitlines()
        assert near[-1] in lines[YamlLines(text).line(near) - 1]
    assert tried > len(fields(schema))


@pytest.mark.parametrize("kind", SCHEMAS)
def test_an_editor_is_told_all_that_is_declared(kind):
    told = json.loads(schema_text(kind))
    assert told["title"].startswith(kind)
    parts = [told, *told["$defs"].values()]
    for part in parts:
        assert part["additionalProperties"] is False
    assert list(told["properties"]) == [item.name for item in fields(SCHEMAS[kind])]
    named = re.findall(r'"#/\$defs/([^"]+)"', json.dumps(told))
    assert set(named) == set(told["$defs"])


@pytest.mark.parametrize("folder", FOLDERS)
def test_an_editor_finds_no_fault_in_files_that_ship(folder):
    files = sorted((CHECKOUT / folder).glob("*.yaml"))
    assert files
    for path in files:
        tree = load_tree(path)
        reader = reader_of(path)
        schema = SCHEMAS[tree["kind"]] if reader is None else reader.schema
        (kind,) = (name for name, one in SCHEMAS.items() if one is schema)
        validator = Draft202012Validator(json.loads(schema_text(kind)))
        assert [
            f"{e.json_path}: {e.message}" for e in validator.iter_errors(tree)
        ] == []
        misspelt = {f"{key}x": value for key, value in tree.items()}
        assert not validator.is_valid(misspelt)


def test_schema_lists_and_prints(backbeat):
    assert backbeat("schema")[1].split() == list(SCHEMAS)
    code, out, _ = backbeat("schema", "scenario")
    friction = json.loads(out)["properties"]["friction"]
    assert code == 0
    assert (friction["minimum"], friction["maximum"]) == (0.01, 10)
    assert friction["description"].startswith("Friction coefficient between soles")
    code, _, said = backbeat("schema", "sceanrio")
    assert code == 2
    assert "did you mean scenario" in said


@pytest.mark.parametrize("kind", ["dance", "drumming", "posture"])
def test_a_new_file_names_its_schema(backbeat, tmp_path, kind):
    for name in ("one", "two"):
        assert backbeat("new", kind, name, "--folder", tmp_path)[0] == 0
    made = [p for p in tmp_path.rglob("*.yaml")]
    assert len(made) == (4 if kind == "drumming" else 2)
    for path in made:
        first = path.read_text().partition("\n")[0]
        link = first.removeprefix("# yaml-language-server: $schema=")
        schema = json.loads((path.parent / Path(link)).read_text())
        Draft202012Validator(schema).validate(load_tree(path))
