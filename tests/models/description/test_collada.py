"""COLLADA: read as another reader does, and safe whatever is in the file."""

from io import BytesIO

import collada
import numpy as np
import pytest

from backbeat.models.common.errors import BackbeatError
from backbeat.models.meshing.collada import read_collada

# A pyramid of four triangles.
POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float) / 10
FACES = POINTS[[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]]


def dae(faces, more="", unit=0.01):
    """A COLLADA file in centimeters, its node lifted by 2 cm, its up axis y."""
    numbers = " ".join(f"{x / unit:g}" for x in faces.ravel())
    order = " ".join(map(str, range(3 * len(faces))))
    return f"""<?xml version="1.0"?>
    <COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
    <asset><unit name="centimeter" meter="{unit}"/><up_axis>Y_UP</up_axis></asset>
    <library_effects><effect id="e"><profile_COMMON><technique sid="t"><lambert>
      <diffuse><color>0.8 0.4 0.2 1</color></diffuse></lambert></technique>
      </profile_COMMON></effect></library_effects>
    <library_materials><material id="m"><instance_effect url="#e"/></material>
    </library_materials>
    <library_geometries><geometry id="g"><mesh><source id="s">
      <float_array id="a" count="{faces.size}">{numbers}</float_array>
      <technique_common><accessor source="#a" count="{faces.size // 3}" stride="3">
      <param name="X" type="float"/><param name="Y" type="float"/>
      <param name="Z" type="float"/></accessor></technique_common></source>
      <vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
      <triangles count="{len(faces)}" material="M">
      <input semantic="VERTEX" source="#v" offset="0"/><p>{order}</p></triangles>{more}
      </mesh></geometry></library_geometries>
    <library_visual_scenes><visual_scene id="w"><node><translate>0 0 2</translate>
      <instance_geometry url="#g"><bind_material><technique_common>
      <instance_material symbol="M" target="#m"/></technique_common></bind_material>
      </instance_geometry></node></visual_scene></library_visual_scenes>
    <scene><instance_visual_scene url="#w"/></scene></COLLADA>""".encode()


def test_collada_is_read_with_unit_place_and_color():
    (surface,) = read_collada(dae(FACES), "x")
    np.testing.assert_allclose(surface.corners, FACES + [0, 0, 0.02], atol=1e-6)
    assert surface.color == (0.8, 0.4, 0.2)


BROKEN = {
    "empty": b"",
    "cut": dae(FACES)[:600],
    "no scene": b"<COLLADA/>",
    "no number": dae(FACES).replace(b"0.8 0.4", b"red 0.4"),
    "beyond its points": dae(FACES).replace(b"<p>0 1", b"<p>0 99"),
    "no triangles": dae(FACES[:0]),
}


@pytest.mark.parametrize("raw", BROKEN.values(), ids=BROKEN)
def test_what_is_no_collada_is_a_sentence(raw):
    with pytest.raises(BackbeatError, match=r"^part (is no COLLADA|has no triangles)"):
        read_collada(raw, "part")


# A house of a square, a triangle and a strip, twice in a scene of turned nodes.
HOUSE = """<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema"
 version="1.4.1">
<asset><unit meter="0.5"/></asset><library_geometries><geometry id="g"><mesh>
<source id="s"><float_array id="a" count="18">{numbers}</float_array><technique_common>
<accessor source="#a" count="6" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor>
</technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<polylist count="2"><input semantic="VERTEX" source="#v" offset="0"/>
<input semantic="NORMAL" source="#s" offset="1"/><vcount>4 3</vcount>
<p>0 0 1 0 2 0 3 0 3 1 4 1 5 1</p></polylist>
<polygons count="1"><input semantic="VERTEX" source="#v" offset="0"/>
<p>0 1 2 4 5</p></polygons>
</mesh></geometry></library_geometries>
<library_nodes><node id="n"><rotate>0 0 1 35</rotate><scale>1 2 3</scale>
<instance_geometry url="#g"/></node></library_nodes>
<library_visual_scenes><visual_scene id="w">
<node><translate>1 2 3</translate><rotate>0.6 0.8 0 70</rotate><node>
<matrix>0 -1 0 4 1 0 0 5 0 0 1 6 0 0 0 1</matrix><instance_geometry url="#g"/></node>
<instance_node url="#n"/></node><instance_geometry url="#g"/></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#w"/></scene></COLLADA>"""


# Of numpy, about the matrices of the other reader.
@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_a_scene_is_read_as_pycollada_reads_it():
    """The reader of another hand has the same triangles in the same places."""
    numbers = np.random.default_rng(0).uniform(-1, 1, 18)
    raw = HOUSE.format(numbers=" ".join(map(str, numbers))).encode()
    ours = np.concatenate([s.corners for s in read_collada(raw, "x")])
    file, theirs = collada.Collada(BytesIO(raw)), []
    for part in file.scene.objects("geometry"):
        for primitive in part.primitives():
            triangles = primitive.triangleset()
            theirs.append(0.5 * triangles.vertex[triangles.vertex_index])
    theirs = np.concatenate(theirs)
    assert len(ours) == len(theirs) == 2 * (2 + 1 + 3)
    np.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_strips_and_fans_are_triangles():
    """A square of two triangles either way, seen from the same side."""
    square = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], float)
    for kind, order in (("tristrips", "0 1 2 3"), ("trifans", "0 1 3 2")):
        raw = dae(
            FACES,
            f"""<{kind} count="1"><input semantic="VERTEX" source="#v"
          offset="0"/><p>{order}</p></{kind}>""",
        )
        raw = raw.replace(
            b'<float_array id="a" count="36">',
            b'<float_array id="a">'
            + " ".join(f"{x:g}" for x in square.ravel()).encode()
            + b" ",
        )
        *_, surface = read_collada(raw, "x")
        a, b, c = surface.corners.transpose(1, 0, 2)
        area = 0.5 * np.cross(b - a, c - a) / 0.01**2
        np.testing.assert_allclose(area, [[0, 0, 0.5]] * 2, atol=1e-9)


def scene(nodes):
    """A scene that shows nodes which show others, ten times each."""
    return (
        dae(FACES)
        .replace(
            b"<library_visual_scenes>",
            f"<library_nodes>{nodes}</library_nodes><library_visual_scenes>".encode(),
        )
        .replace(b"<translate>", b'<instance_node url="#n0"/><translate>')
    )


def copies(k, count=10):
    copy = f'<instance_node url="#n{k + 1}"/>'
    return f'<node id="n{k}">{copy * count}</node>'


FIGURE = '<node id="n9"><instance_geometry url="#g"/></node>'
HOSTILE_DAE = {
    "a circle": (scene('<node id="n0"><instance_node url="#n0"/></node>'), "circle"),
    "a bomb of nodes": (scene("".join(map(copies, range(9))) + FIGURE), "too many"),
    "deep": (b"<COLLADA>" + b"<a>" * 500 + b"</a>" * 500 + b"</COLLADA>", "deep"),
    "an entity": (
        b'<!DOCTYPE C [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + dae(FACES)[21:],
        "document type",
    ),
    "a corner below zero": (
        dae(FACES).replace(b"<p>0 1", b"<p>-1 1"),
        "a corner that is not there",
    ),
    "beyond all numbers": (dae(FACES).replace(b"<p>", b"<p>nan "), "no number"),
    "an endless stride": (
        dae(FACES).replace(b'offset="0"', b'offset="123456789"'),
        "offsets",
    ),
}


@pytest.mark.parametrize(("raw", "said"), HOSTILE_DAE.values(), ids=HOSTILE_DAE)
def test_hostile_collada_is_refused_at_once(raw, said):
    with pytest.raises(BackbeatError, match=f"^part is no COLLADA file.*{said}"):
        read_collada(raw, "part")
