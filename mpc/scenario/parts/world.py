"""WorldSettings: contact with the ground, and what of the world is not as believed."""

from dataclasses import dataclass, field

from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.world.scene import (
    CONTACT_MODELS,
    CONTINUOUS,
    FEET,
    ContactSettings,
)
from backbeat.mpc.scenario.model_mismatch import ModelMismatch
from backbeat.mpc.scenario.setting_event import RANGES


@dataclass(frozen=True)
class WorldSettings:
    """The world that is simulated."""

    # Drake's discrete contact approximation: lagged, sap or similar; or continuous,
    # where the plant has no steps and `time_step` is that of sensors and motors.
    contact_model: str = "lagged"
    # What soles touch the ground with: point (at the corners) or hydroelastic.
    feet: str = "point"
    # Friction coefficient between soles and ground.
    friction: float = 0.8
    # How the world differs from what the controllers believe: `world` in files.
    mismatch: ModelMismatch = field(
        default_factory=ModelMismatch, metadata={"key": "world"}
    )

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
