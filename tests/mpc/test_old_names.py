"""Names of earlier versions are read for one more, and one sentence says so."""

from dataclasses import asdict, fields

import numpy as np
import pandas as pd
import pytest

from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.runs.file import OLD_COLUMNS, _under_current_names
from backbeat.mpc.weights.controller_weights import read_all_weights
from backbeat.mpc.weights.reading import OLD_NAMES

OWN = PredictiveWeights(min_phase_rate=0.8, max_step_length=(0.4, 0.5), com=40.0)


def test_weights_by_old_names_are_those_by_new_ones(caplog):
    before = {new: old for old, new in OLD_NAMES.items()}
    assert set(before) <= {field.name for field in fields(PredictiveWeights)}
    data = {before.get(name, name): value for name, value in asdict(OWN).items()}
    assert read_all_weights(data, "the weights").predictive == OWN
    (said,) = caplog.messages
    assert "slowest (now min_phase_rate)" in said


def test_weights_by_new_names_need_no_sentence(caplog):
    assert read_all_weights(asdict(OWN), "the weights").predictive == OWN
    assert not caplog.messages


def test_a_weight_under_both_names_is_refused():
    both = {"hurry": 40.0, "max_phase_rate_change": 30.0}
    with pytest.raises(BackbeatError, match="hurry is the old name of max_phase_rate"):
        read_all_weights(both, "the weights")


@pytest.mark.parametrize(("old", "new"), OLD_COLUMNS.items())
def test_columns_by_old_names(old, new, caplog):
    frame = pd.DataFrame({"t": [0.0, 0.1], old: [0.5, 1.0]})
    found = _under_current_names(frame, "a.run.parquet")
    assert list(found.columns) == ["t", new]
    assert np.array_equal(found[new], frame[old])
    (said,) = caplog.messages
    assert f"{old} (now {new})" in said
