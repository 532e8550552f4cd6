"""RemotePlans: a system in place of a predictive controller in another process."""

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.systems.framework import Context

from backbeat.models.common.collectable_system import CollectableSystem, weak
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.remote.link import RemoteLink
from backbeat.mpc.remote.memory import RemoteMemory


class RemotePlans(CollectableSystem):
    """What stands in a diagram for a predictive controller in another process.

    .. pydrake_system::

        name: RemotePlans
        input_ports:
        - memory
        output_ports:
        - plan
        - memory

    The input is the `memory` of a RemoteController. `plan` and the output `memory` are
    a Plan and a Record, requested from the other process when they are read; when it
    is gone, the last ones received.
    """

    def __init__(self, link: RemoteLink) -> None:
        """Makes the stand-in over a connection."""
        super().__init__()
        self._link, first = link, link.record()
        made = RemoteMemory(*np.zeros((3, 0)))
        self._input = self.DeclareAbstractInputPort("memory", AbstractValue.Make(made))
        self.DeclareAbstractOutputPort(
            "plan", lambda: AbstractValue.Make(first.plan), weak(self._calc_plan)
        )
        self.DeclareAbstractOutputPort(
            "memory", lambda: AbstractValue.Make(first), weak(self._calc_memory)
        )

    def _calc_plan(self, context: Context, output: AbstractValue) -> None:
        plan: Plan = self.GetOutputPort("memory").Eval(context).plan
        output.set_value(plan)

    def _calc_memory(self, context: Context, output: AbstractValue) -> None:
        output.set_value(self._link.record())
