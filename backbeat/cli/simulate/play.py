"""``backbeat play``: a behavior on the stage, in real time or as a recording."""

from backbeat.cli.common.browser import OpensBrowser
from backbeat.cli.common.options import (
    LIBRARY,
    LibraryFolder,
    OwnController,
    OwnTerms,
)
from backbeat.cli.common.other_robot import OfRobot
from backbeat.cli.common.stream_options import (
    StreamFormat,
    StreamPort,
    StreamRate,
    open_stream,
)
from backbeat.cli.simulate import play_options as options
from backbeat.cli.simulate.track_options import Weights


def command(
    name: options.BehaviorName = None,
    move: options.MoveName = None,
    library: LibraryFolder = LIBRARY,
    simulated: options.Simulated = False,
    drive: options.Drive = False,
    engine: options.EngineName = None,
    controller: OwnController = None,
    weights: Weights = None,
    terms: OwnTerms = None,
    kinematic: options.Kinematic = False,
    unverified: options.Unverified = False,
    task_space: options.TaskSpaceRobot = None,
    remote: options.Remote = None,
    speed: options.Speed = 1.0,
    loop: options.Loop = False,
    port: options.Port = None,
    record: options.RecordingFile = None,
    fps: options.FramesPerSecond = options.FPS,
    click: options.Click = False,
    latency_ms: options.Latency = 0.0,
    backing: options.Backing = None,
    wait: options.BrowserWait = True,
    opens: OpensBrowser = True,
    detail: options.Detail = "auto",
    robot: OfRobot = "",
    stream: StreamPort = None,
    stream_rate: StreamRate = None,
    stream_format: StreamFormat = None,
) -> None:
    """Shows a behavior in Meshcat: live with its controls, or as a recording."""
    # Drake takes half a second to load.
    from backbeat.cli.common.other_robot import placed_robot
    from backbeat.cli.common.port import check_port
    from backbeat.cli.simulate import performance
    from backbeat.stage.live.playback import Playback

    options.check_rates(speed, fps)
    check_port(port)
    subject = options.Subject(name, move, kinematic, placed_robot(robot))
    chooses = not (subject.is_named or drive)
    shown = speed, loop, wait, port, simulated, unverified, chooses, detail
    own = options.of_ones_own(controller, weights, terms)
    own |= {"engine": engine or options.usual_engine(drive), "is_driven": drive}
    playback = Playback(*shown, **own)
    recording = options.RecordingOptions(record, fps, click, latency_ms, backing)
    if task_space is not None:
        options.check_task_space(subject, playback, recording)
        with open_stream(stream, stream_rate, stream_format) as opened:
            where = library, port, wait, remote, opened, opens
            performance.play_task_space(task_space, *where)
        return
    options.refuse_remote(remote)
    options.check_performance(subject, playback, recording, stream is not None)
    behavior = performance.find_played(subject, playback, library)
    if record is not None:
        performance.write_recording(behavior, playback, recording)
        return
    with open_stream(stream, stream_rate, stream_format) as opened:
        performance.play_live(behavior, library, playback, opened, opens and wait)
