"""Handlers that a ToposcopeLogger attaches to engines of Ignite; their arguments are those of Ignite's handlers."""

import numbers
from typing import Any

from ignite.handlers.base_logger import BaseOptimizerParamsHandler, BaseOutputHandler, BaseWeightsHandler

from toposcope.recorder.frameworks.adapter_guard import guarded_hooks
from toposcope.recorder.values.wrapped import Histogram, Text


@guarded_hooks("__call__")
class OutputHandler(BaseOutputHandler):
    """Records the metrics, the output and attributes of the state of an engine, under "<tag>/<name>".

    The numbers of an engine that does not run the training are results of an evaluation: callbacks receive them, and
    the lineage contains the last ones.
    """

    def __call__(self, engine: Any, logger: Any, event_name: Any) -> None:
        """Record at the step of global_step_transform; by default the number of the event."""
        values = self._setup_output_metrics_state_attrs(engine, log_text=True, key_tuple=False)
        step = self.global_step_transform(engine, event_name)
        logger.log(
            {name: Text(value) if isinstance(value, str) else value for name, value in values.items()}, step, engine
        )
        logger.evaluate({name: value for name, value in values.items() if isinstance(value, numbers.Real)}, engine)


@guarded_hooks("__call__")
class OptimizerParamsHandler(BaseOptimizerParamsHandler):
    """Records a parameter of each group of an optimizer, the learning rate for example, as "<tag>/lr/group_<i>"."""

    def __call__(self, engine: Any, logger: Any, event_name: Any) -> None:
        """Record at the number of the event."""
        prefix = f"{self.tag}/" if self.tag else ""
        groups = enumerate(self.optimizer.param_groups)
        values = {f"{prefix}{self.param_name}/group_{i}": float(group[self.param_name]) for i, group in groups}
        logger.log(values, engine.state.get_event_attrib_value(event_name), engine)


@guarded_hooks("__call__")
class WeightsHistHandler(BaseWeightsHandler):
    """Records histograms of the parameters of a network, as "<tag>/weights/<parameter>"."""

    def __call__(self, engine: Any, logger: Any, event_name: Any) -> None:
        """Record at the number of the event."""
        values = {_tag(self.tag, "weights", name): Histogram(weight.detach()) for name, weight in self.weights}
        logger.log(values, engine.state.get_event_attrib_value(event_name), engine)


@guarded_hooks("__call__")
class GradsHistHandler(BaseWeightsHandler):
    """Records histograms of the gradients of a network, as "<tag>/grads/<parameter>"; those that there are."""

    def __call__(self, engine: Any, logger: Any, event_name: Any) -> None:
        """Record at the number of the event."""
        weights = [(name, weight) for name, weight in self.weights if weight.grad is not None]
        values = {_tag(self.tag, "grads", name): Histogram(weight.grad.detach()) for name, weight in weights}
        logger.log(values, engine.state.get_event_attrib_value(event_name), engine)


def _tag(prefix: str | None, kind: str, name: str) -> str:
    return "/".join([*([prefix] if prefix else []), kind, *name.split(".")])
