"""TrainableNetwork, the protocol of networks without a framework, and Steps, through which the loops use a network."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol, runtime_checkable

from toposcope.recorder.adapters import adapter, framework_name, is_module
from toposcope.recorder.training.data.batch import parts_of, samples_of
from toposcope.recorder.values.arrays.foreign_values import short_repr

AMP_LEVELS = ("O0", "O1", "O2", "O3", "auto")


@runtime_checkable
class TrainableNetwork(Protocol):
    """A network of any kind that performs its own training steps; `Model` accepts it besides PyTorch modules."""

    def train_step(self, *batch: Any) -> Any:
        """Train one step on a batch; return the loss, or a tuple that begins with it."""

    def eval_step(self, *batch: Any) -> tuple[Any, Any, Any]:
        """Return the loss (or None), the outputs and the labels of a batch."""

    def parameters(self) -> Mapping[str, Any]:
        """Return the parameters by name, as arrays."""

    def load_parameters(self, parameters: Mapping[str, Any]) -> None:
        """Set the parameters."""


class Steps(Protocol):
    """The parts of a training step and an evaluation step, as the loops call them."""

    def begin_training(self) -> None:
        """Set the network to its training mode."""

    def begin_evaluation(self) -> Callable[[], None]:
        """Set the network to its evaluation mode; return a function that restores the previous mode."""

    def microbatches(self, batch: Any, size: int | None) -> list[Any]:
        """Split a batch into microbatches of size samples."""

    def samples(self, batch: Any) -> int:
        """Return the number of samples of a batch; 0 if unknown."""

    def zero_grad(self) -> None:
        """Reset the gradients."""

    def forward(self, batch: Any) -> Any:
        """Return the outputs of a batch."""

    def loss(self, outputs: Any, batch: Any) -> Any:
        """Return the loss of outputs."""

    def backward(self, loss: Any, share: float) -> None:
        """Add the gradients of share * loss."""

    def step(self) -> None:
        """Perform the optimizer's step."""

    def net_outputs(self, losses: list[Any], shares: list[float], outputs: Any) -> Any:
        """Return the result of the step for callbacks: its loss, or a tuple that begins with it."""

    def eval_forward(self, batch: Any) -> tuple[Any, Any, Any]:
        """Return the loss (or None), the outputs and the labels of a batch, without gradients."""

    def predict(self, batch: Any) -> Any:
        """Return the outputs of a batch of inputs, without gradients."""


class OwnSteps:
    """The steps of a TrainableNetwork, whose whole training step runs as the forward pass."""

    def __init__(self, network: TrainableNetwork, loss_fn: Any = None) -> None:
        self._network = network

    def begin_training(self) -> None:
        """Do nothing: the network has separate methods for training and evaluation."""

    zero_grad = step = begin_training

    def begin_evaluation(self) -> Callable[[], None]:
        """Do nothing, and return a function that does nothing."""
        return self.begin_training

    def microbatches(self, batch: Any, size: int | None) -> list[Any]:
        """Return the batch unchanged; ValueError if it should be split, which only the network could do."""
        if size is not None:
            raise ValueError(f"The step of a {type(self._network).__name__} cannot be split into microbatches.")
        return [batch]

    def samples(self, batch: Any) -> int:
        """Return the number of samples of a batch; 0 if unknown."""
        return samples_of(batch)

    def forward(self, batch: Any) -> Any:
        """Train one step."""
        return self._network.train_step(*parts_of(batch))

    def loss(self, outputs: Any, batch: Any) -> Any:
        """Return the loss of the training step."""
        return outputs[0] if isinstance(outputs, tuple | list) else outputs

    def backward(self, loss: Any, share: float) -> None:
        """Do nothing: forward() has done it."""

    def net_outputs(self, losses: list[Any], shares: list[float], outputs: Any) -> Any:
        """Return the result of train_step()."""
        return outputs

    def eval_forward(self, batch: Any) -> tuple[Any, Any, Any]:
        """Return the result of eval_step(); TypeError if it is not a tuple of three."""
        result = self._network.eval_step(*parts_of(batch))
        if not isinstance(result, tuple) or len(result) != 3:
            raise TypeError(f"eval_step() must return (loss or None, outputs, labels), not {short_repr(result)}.")
        return result

    def predict(self, batch: Any) -> Any:
        """Call network.predict() with the parts of batch; TypeError if there is no such method."""
        predict: Callable[..., Any] | None = getattr(self._network, "predict", None)
        if predict is None:
            raise TypeError(f"A {type(self._network).__name__} has no method predict().")
        return predict(*parts_of(batch))


def steps_of(network: Any, **parts: Any) -> Steps:
    """Return the steps of a PyTorch module or of a TrainableNetwork.

    Args:
        network: a torch.nn.Module or a TrainableNetwork.
        parts: loss_fn, optimizer, amp_level, ... as TorchSteps takes them.

    Raises:
        TypeError: network is neither, or a part has the wrong type.
        ValueError: amp_level is invalid, or a part is not supported for a TrainableNetwork.
    """
    if (level := parts.get("amp_level", "O0")) not in AMP_LEVELS:
        raise ValueError(f"amp_level must be one of {', '.join(map(repr, AMP_LEVELS))}, not {short_repr(level)}.")
    if parts.get("loss_fn") is not None and not callable(parts["loss_fn"]):
        raise TypeError(f"loss_fn must be a function of outputs and labels, not {short_repr(parts['loss_fn'])}.")
    if is_module(network):
        steps: Steps = adapter("torch", "steps").TorchSteps(network, **parts)
        return steps
    if isinstance(network, TrainableNetwork):
        for name, default in (
            ("amp_level", "O0"),
            ("loss_scale_manager", None),
            ("eval_network", None),
        ):
            if parts.get(name, default) != default:
                raise ValueError(
                    f"{name} is only supported for PyTorch modules: "
                    f"a {type(network).__name__} performs its own training steps."
                )
        return OwnSteps(network)
    if framework_name(network) == "mindspore":
        raise TypeError("Train a MindSpore Cell with mindspore.Model, and pass bridge(...) among its callbacks.")
    raise TypeError(
        "network must be a torch.nn.Module or have the methods train_step, eval_step, parameters and load_parameters; "
        f"{short_repr(network)} is neither."
    )


def checked_schedulers(schedulers: Any) -> list[Any]:
    """Return the schedulers as a list; TypeError if one has no method step() or is torch's ReduceLROnPlateau."""
    items = list(schedulers) if isinstance(schedulers, list | tuple) else [] if schedulers is None else [schedulers]
    for scheduler in items:
        if not callable(getattr(scheduler, "step", None)):
            raise TypeError(f"schedulers must be objects of torch.optim.lr_scheduler, not {short_repr(scheduler)}.")
        if type(scheduler).__name__ == "ReduceLROnPlateau":
            raise TypeError(
                "torch's ReduceLROnPlateau requires a metric at each step: use Toposcope's callback ReduceLROnPlateau."
            )
    return items
