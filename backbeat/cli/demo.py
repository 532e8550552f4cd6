"""`backbeat demo`: builds, tracks and records what Backbeat is about."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backbeat.cli.common.options import LIBRARY, LibraryFolder

if TYPE_CHECKING:
    from backbeat.mpc.scenario.specification import Scenario
    from backbeat.mpc.simulation.run import SimulationRun

PROGRAM = {
    "posture-tour": "Posture tour",
    "groove": "Groove",
    "outstanding": "Outstanding, seated",
    "outstanding-standing": "Outstanding, standing",
}


def command(
    library: LibraryFolder = LIBRARY,
    out: Annotated[Path, typer.Option(help="Folder for runs and pages.")] = Path("out"),
    contact_model: Annotated[
        str, typer.Option(help="Contact model: lagged, sap, similar or continuous.")
    ] = "lagged",
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1, help="Behaviors to build in parallel; by default one per core."
        ),
    ] = None,
) -> None:
    """Shows what Backbeat does: posture, dance and drums, in closed loop.

    Everything built or run is on disk as soon as it is done: a demo that was
    interrupted goes on where it was.
    """
    from backbeat.behaviors.library.store import Library
    from backbeat.cli.author.build import build_behaviors, report_failures
    from backbeat.cli.common.console import remarks
    from backbeat.cli.common.results import print_results
    from backbeat.models.common.atomic_file import check_place
    from backbeat.stage.recording.acts import record_show
    from backbeat.stage.recording.html import record_behavior

    page = out / "demo.html"
    check_place(page)
    scenarios = {name: _scenario(name, contact_model) for name in PROGRAM}
    remarks.print(
        "Plans four behaviors, then tracks each with the full robot in contact."
    )
    runs: list[SimulationRun] = []
    results = []
    opener, *others = PROGRAM
    for names in ([opener], others):
        report_failures(build_behaviors(names, library, jobs=jobs))
        if names == [opener]:
            plan = Library(library).load(opener)
            first = record_behavior(plan, out / f"{opener}.html")
            remarks.print(f"A first look at a plan while the rest is made: {first}")
        for name in names:
            run, metrics = _perform(scenarios[name], library, out)
            runs.append(run)
            results.append(metrics)
    print_results(results)
    show = record_show(zip(PROGRAM.values(), runs, strict=True), page)
    print(f"Open it in a browser: {show}")
    if any(m["fell"] or m["strained_joints"] for m in results):
        raise typer.Exit(1)


def _scenario(name: str, contact_model: str) -> "Scenario":
    from backbeat.mpc.scenario.specification import Scenario

    return Scenario.of(behavior=name, contact_model=contact_model).check()


def _perform(
    scenario: "Scenario", library: Path, out: Path
) -> "tuple[SimulationRun, dict[str, object]]":
    """Tracks a behavior and stores the run."""
    from backbeat.behaviors.library.store import Library
    from backbeat.cli.common.console import progress_bar, remarks
    from backbeat.mpc.analysis.metrics import run_metrics
    from backbeat.mpc.runs.earlier import keep_earlier
    from backbeat.mpc.runs.file import save_run
    from backbeat.mpc.simulation.simulate import run_scenario

    name = scenario.behavior
    behavior = Library(library).load(name)
    with progress_bar(f"track {name}") as report:
        run = run_scenario(
            scenario, behavior, progress=lambda share: report(share, "in closed loop")
        )
        report(1.0, "measuring")
        metrics = run_metrics(run)
    path = out / f"{name}.run.parquet"
    if earlier := keep_earlier(path, run):
        remarks.print(f"the earlier run is now {earlier}")
    save_run(run, path, metrics)
    return run, metrics
