"""The options of `backbeat track`, and the scenario that they override."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from backbeat.cli.common.completion import behaviors, yaml_files

if TYPE_CHECKING:
    from backbeat.mpc.scenario.specification import Scenario

BehaviorName = Annotated[
    str, typer.Argument(help="Behavior in the library.", autocompletion=behaviors)
]
ScenarioFile = Annotated[
    Path | None,
    typer.Option(
        help="Scenario YAML; options below override it.", autocompletion=yaml_files
    ),
]
RunFile = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="Run file to write; an existing one is replaced. If not given, "
        "out/NAME.run.parquet, and an earlier run there is renamed.",
    ),
]
EngineName = Annotated[str | None, typer.Option(help="Engine: drake or mujoco.")]
ContactModel = Annotated[
    str | None, typer.Option(help="Contact model: lagged, sap, similar or continuous.")
]
TimeStep = Annotated[float | None, typer.Option(help="Plant step in s.")]
Friction = Annotated[
    float | None, typer.Option(help="Friction coefficient between soles and ground.")
]
State = Annotated[
    str | None,
    typer.Option(help="State that the controllers read: true, estimated or sampled."),
]
BeatPriority = Annotated[
    float | None,
    typer.Option(
        help="Priority of the beat over balance: 0 puts balance first, 1 "
        "holds the beat at any cost."
    ),
]
Duration = Annotated[
    float | None, typer.Option(help="End of the run, in s of the behavior's time.")
]
Pushes = Annotated[
    list[str] | None,
    typer.Option(
        help="Push the base, as TIME,X,Y,Z: time in s and impulse in N s "
        "along the world's axes, forward, left and up, over 0.1 s; may "
        "be repeated."
    ),
]
Planner = Annotated[
    str | None,
    typer.Option(
        help="Where plans are made: inside the simulation, or in a second process."
    ),
]
Preset = Annotated[
    str | None,
    typer.Option(
        help="Weights file that ships, beneath what the scenario gives: momentum.",
    ),
]
Remote = Annotated[
    str | None,
    typer.Option(help="HOST:PORT of a `backbeat serve` that controls the robot."),
]
Weights = Annotated[
    str | None,
    typer.Option(
        help="Weights, gains and thresholds of the controllers: a YAML file, or the "
        "name of one that ships (default). What the scenario gives counts before it.",
        autocompletion=yaml_files,
    ),
]
Seed = Annotated[int | None, typer.Option(help="Seed of all random numbers.")]


def given_weights(name: str | None) -> dict[str, Any]:
    """What a weights file gives, by section and key; nothing without one.

    Raises:
        BackbeatError: it cannot be read, or its values make no sense.
    """
    from backbeat.mpc.weights.files import load_weights

    return {} if name is None else load_weights(name)


def read_scenario(
    path: Path | None,
    pushes: list[str] | None,
    fields: dict[str, Any],
    weights: str | None = None,
) -> "Scenario":
    """The scenario of a file, or the usual one, with what options override, checked.

    Args:
        path: scenario YAML; None for the usual scenario.
        pushes: in place of those of the file, each TIME,X,Y,Z [s, N s].
        fields: values by key of the scenario; None where no option says anything.
        weights: weights file, for what the scenario does not give; None for none.

    Raises:
        BackbeatError: a value makes no sense, or no behavior is named.
    """
    from backbeat.models.common.errors import BackbeatError, located
    from backbeat.mpc.disturbances.kinds.push import read_push
    from backbeat.mpc.scenario.specification import Scenario, open_scenario

    told = {key: value for key, value in fields.items() if value is not None}
    if pushes:
        told["pushes"] = [read_push(text) for text in pushes]
    if path is None and not fields["behavior"]:
        raise BackbeatError("name a behavior, or a scenario that names one")
    scenario = (open_scenario(path) if path else Scenario()).changed(**told)
    timing = scenario.timing
    if fields["planner"] == "process" and timing.planning_time == 0:
        scenario = scenario.changed(planning_time=timing.plan_period)
    scenario = scenario.with_weights(given_weights(weights))
    with located(file=path):
        return scenario.check()
