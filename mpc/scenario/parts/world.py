"""WorldSettings: contact with the ground, and what of the world is not as believed."""

from dataclasses import dataclass, field

from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.mjcf.contact import CONTACT_LAWS, FIRM
from backbeat.models.world.scene import (
    CONTACT_MODELS,
    CONTINUOUS,
    FEET,
    ContactSettings,
)
from backbeat.mpc.scenario.model_mismatch import ModelMismatch
from backbeat.mpc.scenario.setting_event import RANGES

# Engines that are here, and how they are written; `own` is one that is handed in.
ENGINE_TITLES = {"drake": "Drake", "mujoco": "MuJoCo"}
SHIPPED_ENGINES = tuple(ENGINE_TITLES)
ENGINES = (*SHIPPED_ENGINES, "own")


def engine_title(engine: str) -> str:
    """An engine's name as it is written."""
    return ENGINE_TITLES.get(engine, "an engine of its own")


@dataclass(frozen=True)
class WorldSettings:
    """The world that is simulated."""

    # What moves the robot in its world: drake, mujoco, or own for an engine of yours.
    engine: str = "drake"
    # Drake's discrete contact approximation: lagged, sap or similar; or continuous,
    # where the plant has no steps and `time_step` is that of sensors and motors.
    contact_model: str = "lagged"
    # How contact yields with engine mujoco: firm or soft.
    mujoco_contact: str = FIRM
    # What soles touch the ground with: point (at the corners) or hydroelastic.
    feet: str = "point"
    # Friction coefficient between soles and ground.
    friction: float = 0.8
    # How the world differs from what the controllers believe: `world` in files.
    mismatch: ModelMismatch = field(
        default_factory=ModelMismatch, metadata={"key": "world"}
    )

    @property
    def engine_words(self) -> str:
        """Engine and contact, in words."""
        law = self.mujoco_contact if self.engine == "mujoco" else self.contact_model
        contact = f", {law} contact" if self.engine in SHIPPED_ENGINES else ""
        return engine_title(self.engine) + contact

    @property
    def is_continuous(self) -> bool:
        """Whether the plant has no steps."""
        return self.contact_model == CONTINUOUS

    @property
    def contact(self) -> ContactSettings:
        """How contact is simulated."""
        return ContactSettings(self.contact_model, self.friction, self.feet)

    def check(self) -> None:
        """Raises a BackbeatError when its values make no sense."""
        self._check_engine()
        if self.contact_model not in CONTACT_MODELS:
            raise unknown_name("contact model", self.contact_model, CONTACT_MODELS)
        if self.feet not in FEET:
            raise unknown_name("kind of feet", self.feet, FEET)
        least, most = RANGES["friction"]
        if not least <= self.friction <= most:
            raise BackbeatError(
                f"scenario: friction is {self.friction}; it must be from {least} to "
                f"{most:g}"
            )
        self.mismatch.check()

    def check_step(self, time_step: float) -> None:
        """Refuses steps in which contact would yield otherwise than it is named.

        MuJoCo makes a time constant that is shorter than two steps as long as these.

        Args:
            time_step: of the simulation [s].

        Raises:
            BackbeatError: they are too long.
        """
        if self.engine != "mujoco":
            return
        constant = CONTACT_LAWS[self.mujoco_contact].solref[0]
        if 2.0 * time_step > constant * (1.0 + 1e-9):
            raise BackbeatError(
                f"scenario: time_step is {time_step:g}, and mujoco_contact "
                f"{self.mujoco_contact} has a time constant of {constant:g} s, which "
                f"needs steps of at most {0.5 * constant:g} s; choose a shorter "
                "time_step, or mujoco_contact: soft"
            )

    def _check_engine(self) -> None:
        """Refuses what another engine has, and this one would ignore."""
        if self.engine not in ENGINES:
            raise unknown_name("engine", self.engine, ENGINES)
        if self.mujoco_contact not in CONTACT_LAWS:
            raise unknown_name("mujoco_contact", self.mujoco_contact, CONTACT_LAWS)
        if self.engine != "mujoco" and self.mujoco_contact != FIRM:
            raise BackbeatError(
                f"scenario: mujoco_contact is {self.mujoco_contact} and engine is "
                f"{self.engine}; choose engine: mujoco, or leave mujoco_contact out"
            )
        usual = WorldSettings.contact_model, WorldSettings.feet
        if self.engine == "drake" or (self.contact_model, self.feet) == usual:
            return
        key = "feet" if self.contact_model == usual[0] else "contact_model"
        raise BackbeatError(
            f"scenario: {key} {getattr(self, key)} is Drake's, and engine is "
            f"{self.engine}, which has mujoco_contact {' or '.join(CONTACT_LAWS)} and "
            "feet point; choose engine: drake for it"
        )
