"""TaskSpaceSystem: gains and switches of task space as a parameter of a Context."""

from pydrake.common.value import AbstractValue
from pydrake.systems.framework import Context

from backbeat.models.common.collectable_system import CollectableSystem
from backbeat.mpc.task_space.law import TaskSpaceSettings


class TaskSpaceSystem(CollectableSystem):
    """Base of the controller in task space and of what stands here for a remote one."""

    def __init__(self, settings: TaskSpaceSettings) -> None:
        """Declares the parameter, with the settings at the start."""
        super().__init__()
        self._settings = self.DeclareAbstractParameter(AbstractValue.Make(settings))

    def set_settings(self, context: Context, settings: TaskSpaceSettings) -> None:
        """Changes gains and switches from now on.

        Raises:
            BackbeatError: unknown way at limits.
        """
        parameters = context.get_mutable_parameters()
        parameters.get_mutable_abstract_parameter(int(self._settings)).set_value(
            settings.check()
        )

    def settings(self, context: Context) -> TaskSpaceSettings:
        """Gains and switches in force."""
        parameter = context.get_parameters().get_abstract_parameter(int(self._settings))
        found: TaskSpaceSettings = parameter.get_value()
        return found
