"""Draws are a function of seed, stream and number, in whatever order they are asked."""

import numpy as np

from backbeat.models.common.numbered_draws import NumberedDraws


def test_a_draw_is_that_of_a_generator_made_for_it():
    draws = NumberedDraws(3, stream=2)
    for number in (0, 5, 1, 5, 10**6):
        bits = np.random.Philox(key=[3, 2], counter=[0, number, 0, 0])
        wanted = np.random.Generator(bits).standard_normal(79)
        assert (draws.normal(number, 79) == wanted).all()


def test_seeds_and_streams_differ():
    draws = [NumberedDraws(*of).normal(4, 8) for of in ((0, 0), (1, 0), (0, 1))]
    assert len({x.tobytes() for x in draws}) == 3
