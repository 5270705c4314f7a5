"""What the loops need of a network: the protocol for users without a framework, and the steps of any network."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol, runtime_checkable

from toposcope.recorder.adapters import adapter, framework_name, is_module
from toposcope.recorder.training.batch import parts_of, samples_of
from toposcope.recorder.values.foreign import shown

AMP_LEVELS = ("O0", "O1", "O2", "O3", "auto")


@runtime_checkable
class TrainableNetwork(Protocol):
    """A network of any kind that can train itself by a step; what `Model` takes besides PyTorch modules."""

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
        """Set the network to its evaluation mode; return what sets it back."""

    def microbatches(self, batch: Any, size: int | None) -> list[Any]:
        """Split a batch into microbatches of size samples."""

    def samples(self, batch: Any) -> int:
        """Return the number of samples of a batch, 0 when unknown."""

    def zero_grad(self) -> None:
        """Forget the gradients."""

    def forward(self, batch: Any) -> Any:
        """Return the outputs of a batch."""

    def loss(self, outputs: Any, batch: Any) -> Any:
        """Return the loss of outputs."""

    def backward(self, loss: Any, share: float) -> None:
        """Add the gradients of share * loss."""

    def step(self) -> None:
        """Let the optimizer take its step."""

    def net_outputs(self, losses: list[Any], shares: list[float], outputs: Any) -> Any:
        """Return what the step gave, for callbacks: its loss, or a tuple that begins with it."""

    def eval_forward(self, batch: Any) -> tuple[Any, Any, Any]:
        """Return the loss (or None), the outputs and the labels of a batch, without gradients."""

    def predict(self, batch: Any) -> Any:
        """Return the outputs of a batch of inputs, without gradients."""


class OwnSteps:
    """The steps of a TrainableNetwork, whose training step is one piece: it runs as the forward pass."""

    def __init__(self, network: TrainableNetwork, loss_fn: Any = None) -> None:
        self._network = network

    def begin_training(self) -> None:
        """Do nothing: the methods of the network say which mode is meant."""

    zero_grad = step = begin_training

    def begin_evaluation(self) -> Callable[[], None]:
        """Do nothing, and return what does nothing."""
        return self.begin_training

    def microbatches(self, batch: Any, size: int | None) -> list[Any]:
        """Return the batch as it is; ValueError when it should be split, which only the network could do."""
        if size is not None:
            raise ValueError(f"The step of a {type(self._network).__name__} cannot be split into microbatches.")
        return [batch]

    def samples(self, batch: Any) -> int:
        """Return the length of the first part of the batch."""
        return samples_of(batch)

    def forward(self, batch: Any) -> Any:
        """Train one step."""
        return self._network.train_step(*parts_of(batch))

    def loss(self, outputs: Any, batch: Any) -> Any:
        """Return the loss of the step that was trained."""
        return outputs[0] if isinstance(outputs, tuple | list) else outputs

    def backward(self, loss: Any, share: float) -> None:
        """Do nothing: it is done."""

    def net_outputs(self, losses: list[Any], shares: list[float], outputs: Any) -> Any:
        """Return what train_step() returned."""
        return outputs

    def eval_forward(self, batch: Any) -> tuple[Any, Any, Any]:
        """Return what eval_step() returns; TypeError when these are no three things."""
        result = self._network.eval_step(*parts_of(batch))
        if not isinstance(result, tuple) or len(result) != 3:
            raise TypeError(f"eval_step() returns (loss or None, outputs, labels), not {shown(result)}.")
        return result

    def predict(self, batch: Any) -> Any:
        """Call network.predict() with the parts of batch; TypeError when there is no such method."""
        predict: Callable[..., Any] | None = getattr(self._network, "predict", None)
        if predict is None:
            raise TypeError(f"A {type(self._network).__name__} has no method predict().")
        return predict(*parts_of(batch))


def steps_of(network: Any, **parts: Any) -> Steps:
    """Return the steps of a PyTorch module or of a TrainableNetwork.

    Args:
        network: the one or the other.
        parts: loss_fn, optimizer, amp_level, ... as TorchSteps takes them.

    Raises:
        TypeError: network is neither, or a part is of another type.
        ValueError: amp_level is another one, or a part has no effect.
    """
    if (level := parts.get("amp_level", "O0")) not in AMP_LEVELS:
        raise ValueError(f"amp_level is one of {', '.join(map(repr, AMP_LEVELS))}; not {shown(level)}.")
    if parts.get("loss_fn") is not None and not callable(parts["loss_fn"]):
        raise TypeError(f"loss_fn is a function of outputs and labels, not {shown(parts['loss_fn'])}.")
    if is_module(network):
        steps: Steps = adapter("torch", "steps").TorchSteps(network, **parts)
        return steps
    if isinstance(network, TrainableNetwork):
        for name, without in (("amp_level", "O0"), ("loss_scale", None), ("eval_network", None)):
            if parts.get(name, without) != without:
                raise ValueError(f"{name} is for PyTorch modules: a {type(network).__name__} trains itself.")
        return OwnSteps(network)
    if framework_name(network) == "mindspore":
        raise TypeError("A MindSpore Cell trains in mindspore.Model: pass bridge(...) of our callbacks to it.")
    raise TypeError(
        "network is a torch.nn.Module or has the methods train_step, eval_step, parameters and load_parameters; "
        f"{shown(network)} is neither."
    )


def checked_schedulers(schedulers: Any) -> list[Any]:
    """Return one or several schedulers as a list; TypeError when one has no method step()."""
    given = list(schedulers) if isinstance(schedulers, list | tuple) else [] if schedulers is None else [schedulers]
    for scheduler in given:
        if not callable(getattr(scheduler, "step", None)):
            raise TypeError(f"schedulers are of torch.optim.lr_scheduler, one or several; not {shown(scheduler)}.")
        if type(scheduler).__name__ == "ReduceLROnPlateau":
            raise TypeError("torch's ReduceLROnPlateau wants a metric at each step: use ours, which is a callback.")
    return given
