"""Start-up: with numba 101 compilations of the demo took 370 s of a slow processor."""

import pytest

from benchmarks.startup import first_and_second_start

# A fifth of that, for all functions, and nothing to speak of afterwards [s].
FIRST, SECOND = 74.0, 1.0


@pytest.mark.benchmark
def test_everything_compiles_once_and_in_a_fifth_of_the_time(capsys):
    first, second = first_and_second_start()
    with capsys.disabled():
        print(
            f"\nfirst start: {first.seconds:.1f} s of processor, {first.libraries} "
            f"library of {first.functions} functions; then {second.seconds:.2f} s"
        )
    assert first.libraries == 1
    assert second.libraries == 0
    assert first.functions == second.functions
    assert first.seconds < FIRST
    assert second.seconds < SECOND
