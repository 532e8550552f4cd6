"""Descriptions with something done to them that no author would do."""

import random

from lxml import etree

NASTY = (
    *("", " ", "0", "-1", "1e999", "-1e-320", "nan", "inf", "-inf", "5kg", "0x10"),
    *("1,2,3", "1 2", "1 2 3 4 5 6 7", "${x}", "$(find y)", "true", "world", "/"),
    *("x" * 3000 + ".obj", "package://" + "x" * 3000 + "/a.obj", "package://%00/a.dae"),
    *(
        "a%00.dae",
        "a.",
        ".dae",
        "package://../a.obj",
        "package:///a.obj",
        "://",
        "a://",
    ),
    *("..", "package://", "package://a/b.obj", "http://a/b.obj", "file:///", "é\u2028"),
    *("x" * 3000, "%s%n", "a\nb", "<", "1e308", "00000", "+", ".", "1_000", "٣"),
)


def mutated(raw: bytes, random_: random.Random) -> bytes:
    """A text with one to five changes, of its tree or of its bytes."""
    if random_.random() < 0.15:
        return _of_bytes(raw, random_)
    root = etree.fromstring(raw)
    for _ in range(random_.randint(1, 5)):
        _of_tree(root, random_)
    return etree.tostring(root)


def _of_bytes(raw: bytes, random_: random.Random) -> bytes:
    at = random_.randrange(len(raw))
    return random_.choice(
        (
            lambda: raw[:at],
            lambda: raw[:at] + bytes([random_.randrange(256)]) + raw[at + 1 :],
            lambda: raw[:at] + raw[at + random_.randrange(200) :],
            lambda: raw[:at] + raw[at : at + 100] + raw[at:],
            lambda: raw.replace(b'"', b"'", random_.randrange(1, 50)),
            lambda: raw.replace(b"link", b"joint", random_.randrange(1, 9)),
        )
    )()


def _of_tree(root, random_: random.Random) -> None:
    elements = [e for e in root.iter("*") if e is not root] or [root]
    element, other = random_.choice(elements), random_.choice(elements)
    change = random_.choice(
        (_value,) * 6 + (_drop, _double, _move, _rename, _text, _gap)
    )
    change(element, other, root, random_)


def _value(element, other, root, random_):
    if element.attrib:
        key = random_.choice(sorted(element.attrib))
        values = [v for e in root.iter("*") for v in e.attrib.values()]
        value = random_.choice((*NASTY, *random_.sample(values, min(9, len(values)))))
        element.set(key, value)


def _gap(element, other, root, random_):
    if element.attrib:
        del element.attrib[random_.choice(sorted(element.attrib))]


def _drop(element, other, root, random_):
    if element.getparent() is not None:
        element.getparent().remove(element)


def _double(element, other, root, random_):
    if element.getparent() is not None:
        element.getparent().append(etree.fromstring(etree.tostring(element)))


def _move(element, other, root, random_):
    if element not in other.iterancestors() and element is not other:
        other.append(element)


def _rename(element, other, root, random_):
    element.tag = random_.choice((other.tag, "nothing", f"{element.tag}s"))


def _text(element, other, root, random_):
    element.text = random_.choice([n for n in NASTY if n.isprintable()])
