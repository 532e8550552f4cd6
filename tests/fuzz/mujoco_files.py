"""Inputs for the reader of MJCF: made up, too much, or wrong in one place."""

from collections.abc import Iterator

BODY = (
    '<body name="{name}"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    '<joint name="j{name}" range="-1 1"/>{inside}</body>'
)
FREE = '<body name="base"><freejoint/><inertial pos="0 0 0" mass="1" {inertia}/>{in_it}'


def model(in_it: str = "", before: str = "", inertia: str = "") -> str:
    """A model with some things in its base, and before its world."""
    body = FREE.format(in_it=in_it, inertia=inertia or 'diaginertia="1 1 1"')
    return f"<mujoco>{before}<worldbody>{body}</body></worldbody></mujoco>"


def nested(depth: int) -> str:
    """Bodies in bodies."""
    text = ""
    for i in range(depth):
        text = BODY.format(name=f"b{i}", inside=text)
    return text


def mjcf_inputs() -> Iterator[tuple[str, str]]:
    """What each is, and its text."""
    yield "no world", "<mujoco/>"
    yield "another root", "<robot/>"
    yield "a base alone", model()
    yield "bodies nested 50 deep", model(nested(50))
    yield "bodies nested 2000 deep", model(nested(2000))
    yield "many bodies", model("".join(BODY.format(name=f"b{i}", inside="")
                                       for i in range(3000)))  # fmt: skip
    yield "a model that includes itself", model(before='<include file="model.xml"/>')
    yield "an include elsewhere", model(before='<include file="/etc/passwd"/>')
    yield "an include of nothing", model(before="<include/>")
    yield (
        "classes in classes",
        model(before="<default>" * 40 + "<joint damping='1'/>" + "</default>" * 40),
    )
    yield "an unknown class", model('<geom class="none" size="1"/>')
    for what, geom in {
        "no size": "<geom/>",
        "a size of nothing": '<geom size=""/>',
        "an endless size": '<geom size="inf"/>',
        "a size below zero": '<geom type="box" size="-1 1 1"/>',
        "a line without length": '<geom type="capsule" size="1" fromto="0 0 0 0 0 0"/>',
        "an unknown mesh": '<geom type="mesh" mesh="none"/>',
        "an unknown shape": '<geom type="teapot" size="1"/>',
        "a quaternion of zeros": '<geom size="1" quat="0 0 0 0"/>',
        "three of four": '<geom size="1" quat="1 0 0"/>',
        "axes along each other": '<geom size="1" xyaxes="1 0 0 1 0 0"/>',
        "no axis": '<geom size="1" zaxis="0 0 0"/>',
        "unknown turns": '<geom size="1" euler="1e308 1e308 1e308"/>',
    }.items():
        yield what, model(geom)
    yield "an impossible inertia", model(inertia='diaginertia="1 1 9"')
    yield "half of an inertia", model(inertia='fullinertia="1 2 3"')
    yield (
        "a sequence of none",
        model('<geom size="1" euler="1 2 3"/>', '<compiler eulerseq="abc"/>'),
    )
    yield (
        "a joint that follows itself",
        model(
            BODY.format(name="b", inside=""),
            '<equality><joint joint1="jb" joint2="jb"/></equality>',
        ),
    )
    yield (
        "a joint that follows nothing",
        model(
            BODY.format(name="b", inside=""),
            '<equality><joint joint1="jb"/></equality>',
        ),
    )
    yield "names twice", model(BODY.format(name="b", inside="") * 2)
    yield "a name that steers", model(BODY.format(name="&#x9b;b", inside=""))
    yield "entities", '<!DOCTYPE m [<!ENTITY a "b">]><mujoco>&a;</mujoco>'
