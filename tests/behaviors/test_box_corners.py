"""Corners of boxes: what spheres along a box leave out keeps away too."""

import numpy as np

from backbeat.behaviors.drumming.specification import DrummingSpecification
from backbeat.behaviors.specification.kinds import find_specification, read_any
from backbeat.models.collision.making import CORNER
from backbeat.models.collision.shapes import BOX


def test_corners_of_hands_keep_away_from_the_other_hand_alone():
    path = find_specification("outstanding-standing")
    specification, _ = read_any(path)
    assert isinstance(specification, DrummingSpecification)
    model = specification.plan(path.parent).problem.collisions
    corners = [i for i, f in enumerate(model.spheres) if f.part == CORNER]
    boxes = {s.name: s for s in model.solids if s.kind == BOX}
    assert len(corners) == 16
    for i in corners:
        sphere = model.spheres[i]
        own = boxes[sphere.link]
        p = own.X_PS.inverse().multiply(sphere.frame.p_PF)
        np.testing.assert_allclose(np.abs(p), own.size)
        (met,) = (model.solids[j].name for j in np.flatnonzero(model.pairs[i]))
        assert {met, sphere.link} == {"l_hand", "r_hand"}
