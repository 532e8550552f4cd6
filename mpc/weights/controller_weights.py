"""ControllerWeights: all weights, gains and thresholds of both controllers."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.predictive.recovery import STEPPING, Recovery
from backbeat.mpc.weights.reading import under_current_names
from backbeat.mpc.whole_body.programs.tasks import STANCE_GAINS, WholeBodyGains
from backbeat.optimization.terms.changes import changed, check_own
from backbeat.optimization.terms.checks import check_numbers
from backbeat.optimization.terms.declared import (
    declarations,
    declared_fields,
    key_of,
)
from backbeat.optimization.terms.user_file import UserFile, user_file_of


@dataclass(frozen=True)
class ControllerWeights:
    """Weights, gains and thresholds of both controllers, at a scale of one.

    Attributes:
        predictive: of the predictive program, before settings of plans adapt them.
        whole_body: of the whole-body program.
        stance: the same where all feet stand and none may step.
        recovery: when and how to step.
    """

    predictive: PredictiveWeights = field(default_factory=PredictiveWeights)
    whole_body: WholeBodyGains = field(default_factory=WholeBodyGains)
    stance: WholeBodyGains = STANCE_GAINS
    recovery: Recovery = STEPPING

    @classmethod
    def of(cls, weights: "AnyWeights") -> "ControllerWeights":
        """All of them, also where only those of the predictive program are given."""
        if isinstance(weights, PredictiveWeights):
            return cls(weights)
        return weights or cls()

    def changed(self, told: Mapping[str, Any], where: str) -> "ControllerWeights":
        """These weights but for some, checked.

        Args:
            told: values by section and key.
            where: names their source in errors.

        Raises:
            BackbeatError: a value that makes no sense.
        """
        if not told:
            return self
        sections, own = dict(told), told.get("own", {})
        sections.pop("own", None)
        check_own(own, self.own_keys() or None, where)
        new = {
            name: changed(numbers, {**sections.get(name, {}), **own})
            for name, numbers in vars(self).items()
        }
        return replace(self, **new).check(where)

    @classmethod
    def with_terms(cls, terms: UserFile | None) -> "ControllerWeights":
        """Those that ship, with the terms of a file of the user's own, if any."""
        if terms is None:
            return cls()
        gains = terms.kind(WholeBodyGains)
        predictive = terms.kind(PredictiveWeights)
        return cls(predictive(), gains(), gains(**vars(STANCE_GAINS)))

    def own_keys(self) -> list[str]:
        """Keys of terms of the user's own, in either program."""
        usual = ControllerWeights()
        found = {
            key_of(item): None
            for section, numbers in vars(self).items()
            for item in declared_fields(numbers)
            if item.name not in declarations(getattr(usual, section))
        }
        return list(found)

    def own_terms(self) -> dict[str, str] | None:
        """What files keep of terms of the user's own; None without any."""
        kinds = {type(numbers) for numbers in vars(self).values()}
        if not (own := kinds - {PredictiveWeights, WholeBodyGains, Recovery}):
            return None
        kind = min(own, key=lambda item: item.__name__)
        file = user_file_of(kind)
        return {"class": kind.__name__} if file is None else file.story()

    def check(self, where: str) -> "ControllerWeights":
        """Returns the weights if they make sense.

        Raises:
            BackbeatError: they do not.
        """
        for section, numbers in vars(self).items():
            check_numbers(numbers, f"{where}: {section}")
        self.predictive.check()
        recovery = self.recovery
        if not (recovery.intervals and recovery.urgent and recovery.count):
            raise BackbeatError(
                f"{where}: recovery: intervals, urgent and count are at least 1"
            )
        return self

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Plain data by section and key."""
        found = {}
        for section, numbers in vars(self).items():
            values = asdict(numbers)
            found[section] = {key_of(f): values[f.name] for f in fields(numbers)}
        return found


def check_elsewhere(weights: ControllerWeights | PredictiveWeights, where: str) -> None:
    """Refuses terms of a user's own where another process would need their code.

    Args:
        weights: of both programs, or of the predictive program.
        where: what that process is.

    Raises:
        BackbeatError: there are some.
    """
    if terms := ControllerWeights.of(weights).own_terms():
        name = terms.get("class") or terms["file"]
        raise BackbeatError(
            f"{name} has terms of its own, which {where} does not have; run both "
            "controllers in the simulation"
        )


# What callables take: all of them, those of the predictive program alone, or None for
# those that ship.
AnyWeights = ControllerWeights | PredictiveWeights | None
SECTIONS = tuple(item.name for item in fields(ControllerWeights))


def read_all_weights(
    data: Mapping[str, Any],
    where: str,
    base: ControllerWeights | None = None,
) -> ControllerWeights:
    """Weights from plain data, as run files have them.

    Files of earlier versions have those of the predictive program alone, and none of
    the sections; the others are then those that ship.

    Args:
        data: by section and key.
        where: names the source in errors.
        base: those that ship, with terms of one's own; None for none of them.

    Raises:
        BackbeatError: an unknown name, or an invalid value.
    """
    base = base or ControllerWeights()
    told = dict(data) if any(s in data for s in SECTIONS) else {"predictive": data}
    told["predictive"] = under_current_names(told.get("predictive", {}), where)
    for section, values in told.items():
        if section not in SECTIONS:
            raise unknown_name(f"section of {where}", section, SECTIONS)
        known = [key_of(item) for item in fields(getattr(base, section))]
        for name in values:
            if name not in known:
                raise unknown_name(f"key of {section} in {where}", name, known)
    return base.changed(told, where)
