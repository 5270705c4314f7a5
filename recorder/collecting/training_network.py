"""TrainingNetwork: where the parameters, gradients and learning rates of a training come from."""

import operator
import sys
from collections.abc import Mapping
from typing import Any
from weakref import ref

from toposcope.recorder.adapters import framework_name, is_jax_array
from toposcope.recorder.framework import Framework, framework_of
from toposcope.recorder.training.state.loop_sources import LoopSources


class TrainingNetwork:
    """The network and the optimizer of a training, and the functions that a user-written loop supplies for them.

    Arrays of JAX never change. Parameters that are still the arrays from the beginning of the training are those of a
    functional loop, which trains others: they are not returned.
    """

    def __init__(self, params: Mapping[str, Any], framework: Framework) -> None:
        """Use the network, the optimizer and the functions in the params of a training that begins."""
        self._network, self._optimizer = params.get("network"), params.get("optimizer")
        self._framework = framework
        self._is_watched = "loop_sources" in params
        self.sources: LoopSources = params.get("loop_sources") or LoopSources()
        # A network without a framework may have a learning rate itself.
        self._rate_owner = self._network if self._optimizer is None else self._optimizer
        is_known = framework_name(self._rate_owner) != "plain"
        self._rate_framework = framework_of(self._rate_owner) if is_known else framework
        self.rates_are_of_last_step = self._rate_framework.rates_are_of_last_step
        """Whether learning_rates() returns the rates that the last step used, not those that the next step will use."""
        self.is_found: dict[str, bool] = {}
        """Whether the newest call returned "parameters", "gradients" and "the learning rate"; absent if none did."""
        # A compiled function of JAX, such as a schedule of Optax, returns arrays that nobody else has.
        self._are_rates_new = framework_name(self.sources.learning_rate) == "jax"
        self._is_unchanged: bool | None = None
        self._has_no_rates = False
        self._first_arrays = None if self.sources.parameters else self._jax_arrays()

    @property
    def is_unchanged(self) -> bool:
        """Whether the parameters were still the arrays from the beginning when they were last looked at."""
        return self._compare() if self._is_unchanged is None else self._is_unchanged

    def parameters(self) -> dict[str, Any]:
        """Return the current parameters by name; none if they are unknown."""
        if (function := self.sources.parameters) is not None:
            source = function()
            parameters = framework_of(source).parameters(source, self._optimizer)
        else:
            is_current = not self._compare()
            parameters = self._framework.parameters(self._network, self._optimizer) if is_current else {}
        self.is_found["parameters"] = bool(parameters)
        return parameters

    def gradients(self) -> dict[str, Any]:
        """Return the current gradients by name; none if they are unknown.

        Raises:
            ValueError: there are parameters and none has a gradient, in a training that cannot supply them otherwise.
        """
        if (function := self.sources.gradients) is not None:
            source = function()
            gradients = framework_of(source).parameters(source, None)
        else:
            gradients = self._framework.gradients(self._network, self._optimizer)
            if not gradients and not self._is_watched and self.parameters():
                raise ValueError("no parameter has a gradient.")
        self.is_found["gradients"] = bool(gradients)
        return gradients

    def learning_rates(self, finished_steps: int) -> list[Any]:
        """Return the learning rate of each group: numbers, and arrays that have not been read from their device.

        Args:
            finished_steps: how many steps of the training were finished before the one that uses the rates.
        """
        rates = self._rates(finished_steps)
        if not self._are_rates_new:
            rates = [rate if type(rate) is float else _kept(rate) for rate in rates]
        self.is_found["the learning rate"] = bool(rates)
        return rates

    def _rates(self, finished_steps: int) -> list[Any]:
        if (function := self.sources.learning_rate) is not None:
            rate = function(finished_steps)
            return list(rate) if isinstance(rate, list | tuple) else [rate]
        if self._has_no_rates or self.is_unchanged:
            return []
        rates = self._rate_framework.learning_rates(self._rate_owner)
        if not rates and self.sources.parameters is not None:
            source = self.sources.parameters()
            rates = framework_of(source).learning_rates(source)
        # Not looked for again: the state of an optimizer may be large.
        self._has_no_rates = self._is_watched and not rates
        return rates

    def _compare(self) -> bool:
        """Return whether the parameters are the arrays from the beginning; once they are others, that is final."""
        self._is_unchanged = False
        if self._first_arrays:
            now = self._framework.parameters(self._network, self._optimizer).values()
            arrays = [array() for array in self._first_arrays]
            self._is_unchanged = len(now) == len(arrays) and all(map(operator.is_, now, arrays))
        if not self._is_unchanged:
            self._first_arrays = None
        return self._is_unchanged

    def _jax_arrays(self) -> list[ref[Any]]:
        """Return references to the parameters if they are arrays of JAX."""
        if "jax" not in sys.modules:
            return []
        try:
            arrays = self._framework.parameters(self._network, self._optimizer).values()
        except Exception:  # Logged when they are collected.
            return []
        return [ref(array) for array in arrays] if all(map(is_jax_array, arrays)) else []


def _kept(rate: Any) -> Any:
    """Return a learning rate that does not change until it is read; its device is not waited for."""
    if is_jax_array(rate):
        return rate.copy()  # The loop may give the buffer of its state to the next step.
    return rate.read_value() if hasattr(rate, "read_value") else rate  # A variable of TensorFlow.
