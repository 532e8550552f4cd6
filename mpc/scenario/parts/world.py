"""WorldSettings: contact with the ground, and what of the world is not as believed."""

from dataclasses import dataclass

from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.schema import key
from backbeat.models.contact.friction import SIMULATED_FRICTION
from backbeat.models.mjcf.contact import CONTACT_LAWS, FIRM
from backbeat.models.world.scene import (
    CONTACT_MODELS,
    CONTINUOUS,
    FEET,
    ContactSettings,
)
from backbeat.mpc.disturbances.model_mismatch import ModelMismatch, model_mismatch

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

    engine: str = key("drake", choices=ENGINES)
    """What simulates: drake, mujoco (an extra, see [Two engines](engines.md)), or own
    for [an engine of yours](own_engine.py)."""
    contact_model: str = key("lagged", choices=CONTACT_MODELS)
    """Drake's discrete contact approximation: lagged, sap or similar; or continuous,
    where the plant has no steps and `time_step` is that of sensors and motors."""
    mujoco_contact: str = key(FIRM, choices=tuple(CONTACT_LAWS))
    """How contact yields with engine mujoco: firm or soft."""
    feet: str = key("point", choices=FEET)
    """Contact of the soles with the ground: point (at the corners) or hydroelastic."""
    friction: float = key(SIMULATED_FRICTION, ge=0.01, le=10.0)
    """Friction coefficient between soles and ground."""
    mismatch: ModelMismatch = key(model_mismatch, name="world")
    """Model mismatch: differences between the world and the model of the controllers,
    see below."""

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

    def check(self, time_step: float) -> None:
        """Checks what goes together, and is not ignored.

        Args:
            time_step: of the simulation [s].

        Raises:
            BackbeatError: it does not.
        """
        for part in self.mismatch.parts:
            part.check()
        self._check_engine()
        self._check_step(time_step)

    def _check_step(self, time_step: float) -> None:
        """Refuses steps in which contact would yield otherwise than it is named.

        MuJoCo makes a time constant that is shorter than two steps as long as these.
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
