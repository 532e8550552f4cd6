"""A diagram that nobody uses any more goes, with all that is in it."""

import gc
import importlib
import pkgutil

import numpy as np
import pytest
from pydrake.common.value import AbstractValue
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder, LeafSystem, ValueProducer

import backbeat
from backbeat.models.common.collectable_system import FEW, CollectableSystem, weak
from backbeat.mpc.analysis.hand_studies import of_task
from backbeat.mpc.control.task_space_setup import task_space_behavior
from backbeat.mpc.disturbances.kinds.setting_event import SettingEvent
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.serving.session import ControllerSession
from backbeat.mpc.simulation.diagram import build_closed_loop
from backbeat.mpc.simulation.simulate import run_scenario, run_task_space
from backbeat.stage.live.simulation import LiveSimulation

SLOW = pytest.mark.slow
SHORT = {"behavior": "stand", "duration": 0.1, "lead_in": 0.1}


class Counter(CollectableSystem):
    """Counts, with one of everything that is declared."""

    def __init__(self):
        super().__init__()
        self.told = self.DeclareVectorInputPort("told", 1)
        self.DeclareDiscreteState(1)
        twice = self.DeclareCacheEntry(
            "twice",
            ValueProducer(lambda: AbstractValue.Make(0.0), weak(self._calc_twice)),
        )
        self.twice = twice.cache_index()
        self.DeclareVectorOutputPort("twice", 1, weak(self._calc))
        self.DeclarePeriodicDiscreteUpdateEvent(0.1, 0.0, weak(self._update))

    def _calc_twice(self, context, output):
        output.set_value(2 * context.get_discrete_state_vector()[0])

    def _calc(self, context, output):
        output.SetFromVector([self.get_cache_entry(self.twice).Eval(context)])

    def _update(self, context, state):
        count = context.get_discrete_state_vector().value() + self.told.Eval(context)
        state.set_value(count)


def alive():
    """Systems and plants that are left when all that can go has gone."""
    # What is freed may have held something else.
    while gc.collect():
        pass
    kinds = (CollectableSystem, MultibodyPlant)
    return {id(x): type(x).__name__ for x in gc.get_objects() if isinstance(x, kinds)}


def left_by(act):
    """Names of what is left of doing something for the second time."""
    act()
    before = alive()
    act()
    return sorted(name for i, name in alive().items() if i not in before)


def test_a_system_goes_with_its_diagram():
    def count():
        builder = DiagramBuilder()
        counter = builder.AddSystem(Counter())
        builder.ExportInput(counter.get_input_port())
        builder.ExportOutput(counter.get_output_port())
        diagram = builder.Build()
        simulator = Simulator(diagram)
        context = simulator.get_mutable_context()
        diagram.get_input_port().FixValue(context, [3.0])
        simulator.AdvanceTo(0.35)
        assert diagram.get_output_port().Eval(context).tolist() == [24.0]

    assert left_by(count) == []


def test_a_system_stays_while_somebody_simulates_it():
    def make():
        builder = DiagramBuilder()
        builder.ExportInput(builder.AddSystem(Counter()).get_input_port())
        diagram = builder.Build()
        simulator = Simulator(diagram)
        diagram.get_input_port().FixValue(simulator.get_mutable_context(), [1.0])
        return simulator

    simulator = make()
    assert "Counter" in alive().values()
    simulator.AdvanceTo(0.35)
    state = simulator.get_context().get_discrete_state_vector()
    assert state.value().tolist() == [4.0]


def test_a_method_that_is_not_weak_keeps_its_system():
    """Were it not so, none of this would be needed any more."""

    class Kept(CollectableSystem):
        def __init__(self):
            super().__init__()
            self.DeclareVectorOutputPort("one", 1, self._calc)

        def _calc(self, context, output):
            output.SetFromVector([1.0])

    assert left_by(Kept) == ["Kept"]


def test_all_systems_of_ours_can_go():
    for module in pkgutil.walk_packages(backbeat.__path__, "backbeat."):
        importlib.import_module(module.name)
    found, ours = list(LeafSystem.__subclasses__()), []
    while found:
        kind = found.pop()
        found += kind.__subclasses__()
        if kind.__module__.startswith("backbeat."):
            ours.append(kind)
    assert len(ours) > 15
    assert [k for k in ours if not issubclass(k, CollectableSystem)] == []


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({"state": "estimated", "actuator_lag": 0.005}, id="estimated"),
        pytest.param({"feet": "hydroelastic"}, id="hydroelastic", marks=SLOW),
        pytest.param({"contact_model": "continuous"}, id="continuous", marks=SLOW),
        pytest.param({"joint_friction": 0.03}, id="rubbing", marks=SLOW),
        pytest.param({"events": [SettingEvent(0.05, tempo=0.9)]}, id="event"),
    ],
)
def test_a_run_leaves_no_system(built, settings):
    scenario = Scenario.of(**SHORT, **settings)

    def run():
        assert np.isfinite(run_scenario(scenario, built("stand")).x).all()

    assert left_by(run) == []


@SLOW
def test_drumming_leaves_no_system(built):
    scenario = Scenario.of(behavior="outstanding", duration=0.2, lead_in=0.1)

    def drum():
        assert run_scenario(scenario, built("outstanding")).members

    assert left_by(drum) == []


def test_a_show_that_is_over_leaves_no_system(built):
    def play():
        scenario = Scenario.of(behavior="outstanding", lead_in=0.1)
        live = LiveSimulation(built("outstanding"), scenario)
        live.advance(0.1)
        live.restart()
        live.advance(0.05)
        live.close()

    assert left_by(play) == []


def test_a_session_of_a_server_leaves_no_system(built):
    def serve():
        ControllerSession(built("stand"), Scenario.of(**SHORT)).close()

    assert left_by(serve) == []


def test_a_hand_that_follows_its_target_leaves_no_system():
    def follow():
        assert len(run_task_space(of_task("ur10", 0.2)).t)

    assert left_by(follow) == []


def test_diagrams_that_are_built_one_after_the_other_do_not_pile_up():
    """Without anybody else who looks for them."""
    gc.disable()
    try:
        scenario, most = of_task("ur10", 0.2).check(), 0
        behavior = task_space_behavior(scenario)
        for _ in range(4 * FEW):
            build_closed_loop(behavior, scenario)
            kinds = [type(x).__name__ for x in gc.get_objects()]
            most = max(most, kinds.count("TaskSpaceController"))
    finally:
        gc.enable()
    assert 1 <= most <= 2 * FEW + 1
