"""TorchSteps: forward pass, loss, backward pass and update of a PyTorch module, with autocast and loss scaling."""

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from inspect import signature
from typing import Any

from toposcope.recorder.frameworks.torch.training.loss_scale import LossScale
from toposcope.recorder.frameworks.torch.training.sampled_labels import sample_labels
from toposcope.recorder.training.data.batch import parts_of, samples_of
from toposcope.recorder.training.data.loss import first_output
from toposcope.recorder.values.arrays.foreign_values import short_repr


class TorchSteps:
    """The Steps of a module, with a loss function of the last part of the batch or with the module's own loss.

    * With loss_fn: `loss_fn(network(*inputs), label)`, where label is the last part of the batch. Of a tuple or a list
      that it returns, the first item is the loss, of a dict the item "loss".
    * Without: a module with a method loss(outputs, batch), Composer's convention, receives the whole batch; the output
      of any other module, or its first item, is the loss.

    Mixed precision is torch.autocast: float16 with scaled gradients on CUDA, bfloat16 on the CPU.

    An optimizer whose step() requires a closure, such as LBFGS, evaluates the network on the batch several times; the
    loss of the step is that of the first evaluation.
    """

    def __init__(
        self,
        network: Any,
        *,
        loss_fn: Any = None,
        optimizer: Any = None,
        amp_level: str = "O0",
        loss_scale_manager: Any = None,
        eval_network: Any = None,
        eval_indexes: Sequence[int] | None = None,
    ) -> None:
        self._torch: Any = sys.modules["torch"]
        if isinstance(loss_fn, type):
            raise TypeError(f"loss_fn is an object, {loss_fn.__name__}(), not the class.")
        if optimizer is not None and (isinstance(optimizer, type) or not hasattr(optimizer, "zero_grad")):
            raise TypeError(f"optimizer is one of torch.optim, or None; not {short_repr(optimizer)}.")
        if eval_network is not None and not isinstance(eval_network, self._torch.nn.Module):
            raise TypeError(f"eval_network is a torch.nn.Module or None, not {short_repr(eval_network)}.")
        self._network, self._loss_fn, self._optimizer = network, loss_fn, optimizer
        self._eval_network, self._eval_indexes = eval_network, eval_indexes
        # A method, not a module of that name inside the network.
        self._has_own_loss = loss_fn is None and callable(getattr(type(network), "loss", None))
        self._is_mixed, self._is_scaled = amp_level != "O0", amp_level != "O0" and loss_scale_manager is None
        self._takes_closure = optimizer is not None and _requires_closure(optimizer.step)
        if self._takes_closure and (self._is_scaled or loss_scale_manager is not None):
            raise ValueError(
                f"{type(optimizer).__name__} evaluates the loss several times in a step, which a scaled loss does not "
                "allow: use amp_level='O0' without a loss_scale_manager."
            )
        self._evaluated: list[tuple[Any, Any, float]] = []
        """The micro-batches of the step, with their losses and shares, for a closure."""
        self._newest_batch: Any = None
        self._scaler: Any = None
        self._loss_scale = LossScale(loss_scale_manager, optimizer)
        self._find_device()

    @property
    def precision(self) -> str:
        """The precision of the computation, as Composer names it."""
        return "fp32" if not self._is_mixed else "amp_fp16" if self._device.type == "cuda" else "amp_bf16"

    def begin_training(self) -> None:
        """Set the module to training mode; ValueError if the scales of the loss and of the optimizer differ."""
        self._loss_scale.check()
        self._find_device()
        self._network.train()

    def begin_evaluation(self) -> Callable[[], None]:
        """Set the module to evaluation mode; return a function that restores the mode of each of its submodules."""
        self._find_device()
        networks = [each for each in (self._network, self._eval_network) if each is not None]
        modes = [(module, module.training) for network in networks for module in network.modules()]
        for network in networks:
            network.eval()

        def restore() -> None:
            for module, is_training in modes:
                module.training = is_training

        return restore

    def _find_device(self) -> None:
        """Find the device of the module, which may be moved between two trainings."""
        self._device = next((tensor.device for tensor in self._network.parameters()), self._torch.device("cpu"))
        if self._is_scaled and self._scaler is None and self._device.type == "cuda":
            self._scaler = self._torch.amp.GradScaler(self._device.type)

    def microbatches(self, batch: Any, size: int | None) -> list[Any]:
        """Split the tensors of a batch into pieces of size samples."""
        number = self.samples(batch)
        if size is None or number <= size:
            return [batch]
        pieces = [_cut(batch, slice(start, start + size), number) for start in range(0, number, size)]
        if self.samples(pieces[0]) != size:
            raise ValueError(f"A batch of {number} samples cannot be cut into microbatches: {short_repr(batch)}.")
        return pieces

    def samples(self, batch: Any) -> int:
        """Return the number of samples in the batch."""
        return samples_of(batch)

    def zero_grad(self) -> None:
        """Clear the gradients."""
        self._evaluated = []
        self._loss_scale.begin_step(self._scaler)
        if self._optimizer is not None:
            self._optimizer.zero_grad()

    def forward(self, batch: Any) -> Any:
        """Return the outputs of the module."""
        self._newest_batch = batch if self._takes_closure else None
        batch = self._moved(batch)
        with self._precision():
            if self._has_own_loss:
                return self._network(batch)
            if self._loss_fn is None and isinstance(batch, Mapping):
                return self._network(**batch)
            return self._network(*self._inputs(batch))

    def loss(self, outputs: Any, batch: Any) -> Any:
        """Return the loss, a tensor without dimensions."""
        sample_labels(self._optimizer, self._loss_fn, outputs)
        with self._precision():
            loss = self._loss_of(outputs, self._moved(batch))
        return loss.mean() if hasattr(loss, "ndim") and loss.ndim else loss

    def backward(self, loss: Any, share: float) -> None:
        """Add the gradients of share * loss."""
        if self._takes_closure:
            self._evaluated.append((self._newest_batch, loss.detach(), share))
        scaled = loss * (share * self._loss_scale.factor)
        (scaled if self._scaler is None else self._scaler.scale(scaled)).backward()

    def step(self) -> None:
        """Run the optimizer's step."""
        if self._optimizer is None:
            return
        if self._scaler is not None:
            self._scaler.step(self._optimizer)
            self._scaler.update()
        elif self._takes_closure:
            self._optimizer.step(self._closure())
            self._evaluated = []
        elif self._loss_scale.is_to_update():
            self._optimizer.step()
        self._loss_scale.end_step()

    def _closure(self) -> Callable[[], Any]:
        """Return a function that computes the loss of the step and its gradients, which exist for the first call."""
        optimizer: Any = self._optimizer
        evaluated, is_first = self._evaluated, True

        def evaluate() -> Any:
            nonlocal is_first
            if is_first:
                is_first = False
                return sum(loss * share for _, loss, share in evaluated)
            optimizer.zero_grad()
            total: Any = 0.0
            for batch, _, share in evaluated:
                with self._torch.enable_grad():
                    loss = self.loss(self.forward(batch), batch) * share
                    loss.backward()
                total = total + loss.detach()
            return total

        return evaluate

    def net_outputs(self, losses: list[Any], shares: list[float], outputs: Any) -> Any:
        """Return the loss of the batch, detached; followed by the other outputs if the network returns its loss."""
        loss = sum(loss.detach() * share for loss, share in zip(losses, shares, strict=True))
        if self._loss_fn is None and not self._has_own_loss and isinstance(outputs, tuple | list):
            return (loss, *outputs[1:])
        return loss

    def eval_forward(self, batch: Any) -> tuple[Any, Any, Any]:
        """Return loss, outputs and labels; with an eval_network, those of its outputs that eval_indexes select."""
        batch = self._moved(batch)
        with self._torch.no_grad(), self._precision():
            if self._eval_network is not None:
                return self._of_eval_network(self._eval_network(*parts_of(batch)))
            if self._has_own_loss:
                own = getattr(self._network, "eval_forward", None)
                outputs = own(batch) if callable(own) else self._network(batch)
                return self._loss_of(outputs, batch), outputs, parts_of(batch)[-1]
            outputs = self.forward(batch)
            loss = self._loss_of(outputs, batch)
        predictions = outputs if self._loss_fn is not None else _without_loss(outputs)
        return loss.mean() if loss.ndim else loss, predictions, _labels_of(batch)

    def predict(self, batch: Any) -> Any:
        """Return the outputs of the module for a batch without labels."""
        batch = self._moved(batch)
        with self._torch.no_grad(), self._precision():
            if self._has_own_loss:
                return self._network(batch[0] if isinstance(batch, tuple) and len(batch) == 1 else batch)
            if self._loss_fn is None and isinstance(batch, Mapping):
                return self._network(**batch)
            return self._network(*parts_of(batch))

    def _inputs(self, batch: Any) -> tuple[Any, ...]:
        parts = parts_of(batch)
        return parts[:-1] if self._loss_fn is not None and len(parts) > 1 else parts

    def _loss_of(self, outputs: Any, batch: Any) -> Any:
        if self._loss_fn is not None:
            parts = parts_of(batch)
            result = self._loss_fn(outputs, parts[-1]) if len(parts) > 1 else self._loss_fn(outputs)
            return self._loss_in(result, "loss_fn returns")
        if self._has_own_loss:
            return self._network.loss(outputs, batch)
        return self._loss_in(outputs, "the network returns without loss_fn")

    def _loss_in(self, result: Any, source: str) -> Any:
        """Return the loss in a result: its item "loss", its first item, its attribute loss, or the result itself."""
        if isinstance(result, Mapping):
            if "loss" not in result:
                raise TypeError(
                    f"A dict that {source} has the key 'loss'; this one has {', '.join(map(repr, result))}."
                )
            loss = result["loss"]
        else:
            loss = first_output(result) if isinstance(result, tuple | list) else getattr(result, "loss", result)
        if not isinstance(loss, self._torch.Tensor):
            raise TypeError(f"What {source} is the loss, a tensor, or begins with it; not {short_repr(result)}.")
        return loss

    def _of_eval_network(self, outputs: Any) -> tuple[Any, Any, Any]:
        if self._eval_indexes is None:
            return outputs if isinstance(outputs, tuple) and len(outputs) == 3 else (None, outputs, None)
        loss, predicted, label = (outputs[index] if index >= 0 else None for index in self._eval_indexes)
        return loss, predicted, label

    def _precision(self) -> AbstractContextManager[Any]:
        if not self._is_mixed:
            return nullcontext()
        dtype = self._torch.float16 if self._device.type == "cuda" else self._torch.bfloat16
        autocast: AbstractContextManager[Any] = self._torch.autocast(self._device.type, dtype=dtype)
        return autocast

    def _moved(self, value: Any) -> Any:
        """Return value with its tensors moved to the network's device, and NumPy arrays converted to tensors."""
        if isinstance(value, self._torch.Tensor):
            return value if value.device == self._device else value.to(self._device)
        if hasattr(value, "to"):  # A packed sequence, or a batch of encodings.
            return value.to(self._device)
        if isinstance(value, Mapping):
            return {key: self._moved(item) for key, item in value.items()}
        if isinstance(value, tuple | list):
            return _like(value, [self._moved(item) for item in value])
        return self._torch.as_tensor(value, device=self._device) if hasattr(value, "__array__") else value


def _requires_closure(step: Callable[..., Any]) -> bool:
    """Return whether the step() of an optimizer cannot be called without a closure."""
    parameter = signature(step).parameters.get("closure")
    return parameter is not None and parameter.default is parameter.empty


def _like(items: Any, changed: list[Any]) -> Any:
    """Return changed items as a tuple, or as a named tuple of the same type."""
    return type(items)(*changed) if hasattr(items, "_fields") else tuple(changed)


def _without_loss(outputs: Any) -> Any:
    """Return the outputs besides the loss of a network that returns its loss, for the metrics."""
    if isinstance(outputs, tuple | list) and len(outputs) > 1:
        return outputs[1] if len(outputs) == 2 else tuple(outputs[1:])
    if isinstance(outputs, Mapping):
        return outputs.get("logits", outputs)
    return getattr(outputs, "logits", outputs)


def _labels_of(batch: Any) -> Any:
    """Return the item "labels" or "label" of a mapping, otherwise the last part of the batch."""
    if isinstance(batch, Mapping):
        return batch.get("labels", batch.get("label", parts_of(batch)[-1]))
    return parts_of(batch)[-1]


def _cut(batch: Any, piece: slice, number: int) -> Any:
    if isinstance(batch, Mapping):
        return {key: _cut(item, piece, number) for key, item in batch.items()}
    if isinstance(batch, tuple | list):
        return _like(batch, [_cut(item, piece, number) for item in batch])
    return batch[piece] if hasattr(batch, "__len__") and len(batch) == number else batch
