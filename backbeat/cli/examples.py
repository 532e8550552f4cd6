"""Two examples of every subcommand, which its help ends with."""

EXAMPLES: dict[str, tuple[str, str]] = {
    "demo": ("backbeat demo", "backbeat demo --out /tmp/demo --jobs 2"),
    "doctor": ("backbeat doctor", "backbeat doctor --json"),
    "new": ("backbeat new dance my-dance", "backbeat new posture bow --robot g1"),
    "author": ("backbeat author", "backbeat author my-song.yaml"),
    "import": (
        "backbeat import walk.csv --robot g1",
        "backbeat import takes/ --robot g1 --output library-of-takes --jobs 2",
    ),
    "schema": ("backbeat schema", "backbeat schema scenario"),
    "check": ("backbeat check my-dance.yaml", "backbeat check evening.yaml --fix"),
    "build": ("backbeat build stand march", "backbeat build my-dance.yaml --watch"),
    "list": ("backbeat list", "backbeat list --robot g1"),
    "info": ("backbeat info march", "backbeat info march --costs costs.svg"),
    "moves": ("backbeat moves", "backbeat moves --folder dances"),
    "track": (
        "backbeat track march --push 2,0,60,0",
        "backbeat track march --engine mujoco --state sampled --seed 1",
    ),
    "play": (
        "backbeat play march",
        "backbeat play --drive --robot g1",
    ),
    "sweep": (
        "backbeat sweep stance-pushes --seeds 5",
        "backbeat sweep my-sweep.yaml --engine mujoco --jobs 2",
    ),
    "tune": (
        "backbeat tune my-tuning.yaml",
        "backbeat tune my-tuning.yaml --trials 20 --output out/tuning",
    ),
    "card": ("backbeat card march", "backbeat card march --sample --engine mujoco"),
    "replay": (
        "backbeat replay out/march.run.parquet",
        "backbeat replay a.parquet --anyway",
    ),
    "serve": ("backbeat serve march --port 7000", "backbeat serve --library library"),
    "report": (
        "backbeat report march",
        "backbeat report out/march.run.parquet -o run.html",
    ),
    "compare": (
        "backbeat compare a.parquet b.parquet",
        "backbeat compare a.parquet b.parquet --output difference.html",
    ),
    "explain": (
        "backbeat explain out/march.run.parquet --at 2.5",
        "backbeat explain out/march.run.parquet --at 2.5 --costs costs.svg",
    ),
    "figure": ("backbeat figure --list", "backbeat figure kit --format svg"),
    "export": (
        "backbeat export march --output march.csv",
        "backbeat export groove --wav groove.wav --click",
    ),
    "adopt": (
        "backbeat adopt robot.urdf",
        "backbeat adopt robot.urdf --picture soles.png",
    ),
    "lint": ("backbeat lint robot.urdf", "backbeat lint robot.urdf --fix"),
    "model": ("backbeat model report atlas", "backbeat model diff a.urdf b.urdf"),
}
