"""Summary operators: functions that a network calls in its forward pass to record intermediate values.

    from toposcope.recorder import summary

    class Net(torch.nn.Module):
        def forward(self, images):
            hidden = self.body(images)
            summary.histogram("hidden", hidden)
            summary.image("images", images)
            return self.head(hidden)

An operator keeps the newest value of its tag, on the device of the value and detached from the gradient; the value is
copied to the host when it is recorded. It returns None, has no effect on the gradient, and does nothing

* if no recorder collects values (0.3 microseconds);
* in eval mode, and between the steps that are recorded;
* while a graph is traced: by torch.compile (the compiled network records nothing), torch.export, torch.jit.trace or
  torch.fx, on fake and meta tensors, and while a CUDA graph is captured;
* within paused(), which is used when a loss landscape evaluates the network.

Under torch.func.grad values are kept. Under torch.vmap they cannot be read afterwards: recording skips them with a log
message. torch.jit.script and MindSpore's graph mode cannot compile these functions; MindSpore has its own operators.

Differences from MindSpore's operators: in eval mode nothing is kept, and all values that SummaryRecord.add_value()
accepts are accepted, including Python numbers and NumPy arrays.

A recorder or callback collects values with an OperatorValues:

    values = OperatorValues()
    values.open()              # at the beginning of the training, or `with collecting(values):`
    values.is_active = False   # between recorded steps: calls cost next to nothing
    values.plugins = ("scalar", "image", "histogram")  # without "tensor", for example
    for plugin, tag, value in values.take():  # before recording the step
        ...
    values.close()             # at the end of the training
"""

import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, Optional

from toposcope.recorder import log
from toposcope.recorder.arguments import checked_name
from toposcope.recorder.imported import imported

OPERATOR_PLUGINS = ("scalar", "tensor", "image", "histogram")
"""The plugins that have an operator."""


class OperatorValue(NamedTuple):
    """A value that a summary operator has kept."""

    plugin: str
    tag: str
    value: object
    """A detached copy, on the device of the original."""


class OperatorValues:
    """The newest operator values, by plugin and tag, that one recorder collects.

    In a context (of contextvars: a thread or an asyncio task), only the object that was opened last there receives
    values. A thread that has opened none, such as those of DataParallel's replicas and of autograd's hooks, passes its
    values to the innermost open object, provided that all open objects are nested. If several recorders collect
    independently, the receiver of such values is ambiguous, and they are dropped.
    """

    def __init__(self) -> None:
        self.is_active = True
        """Whether values are collected at present."""
        self.mode = "train"
        """Phase of the network, "train" or "eval"; values are kept in "train" only."""
        self.plugins: Collection[str] = OPERATOR_PLUGINS
        """Plugins whose values are collected at present."""
        self._is_open = False
        self._outer: OperatorValues | None = None
        self._values: dict[tuple[str, str], object] = {}
        self._warned: set[tuple[str, str]] = set()

    def open(self) -> None:
        """Start collecting values in this context, and in threads that have opened no other object.

        Raises:
            ValueError: the object is open already.
        """
        if self._is_open:
            raise ValueError("These operator values are collected already: call close() before the next open().")
        self._outer = _nearest_open(_current.get())
        self._is_open = True
        _current.set(self)
        _register(self)

    def close(self) -> None:
        """Drop the values and stop collecting; the object that was opened before resumes. Closing twice has no effect.

        May be called from another context than open(), and in any order relative to other objects.
        """
        self._is_open = False
        self._values = {}
        if _current.get() is self:
            _current.set(_nearest_open(self))
        _unregister(self)

    @property
    def is_filled(self) -> bool:
        """True if there are values to take."""
        return bool(self._values)

    def take(self) -> list[OperatorValue]:
        """Return the newest value of each plugin and tag since the last call, in the order of their first calls."""
        values, self._values = self._values, {}
        return [OperatorValue(plugin, tag, value) for (plugin, tag), value in list(values.items())]

    def put(self, plugin: str, tag: str, value: object) -> None:
        """Keep a copy of value if it is to be collected; errors are logged, once per plugin and tag."""
        if not self.is_active or self.mode != "train" or plugin not in self.plugins:
            return
        try:
            if not _is_traced(value):
                self._values[plugin, tag] = _copy(value)
        except Exception as error:  # Copying may fail, for lack of memory for example; the forward pass continues.
            if (plugin, tag) not in self._warned:
                self._warned.add((plugin, tag))
                log.warn("summary.%s(%r): skipped, the value cannot be copied: %s", plugin, tag, error)


def scalar(name: str, value: object) -> None:
    """Record a number.

    An invalid value is skipped, with a log message, when it would be recorded; so with the other operators.

    Args:
        name: the tag.
        value: a real number, or an array or tensor of any framework with one real element.

    Raises:
        TypeError: name is empty or not a str.
    """
    _put("scalar", name, value)


def tensor(name: str, value: object) -> None:
    """Record a tensor.

    Args:
        name: the tag.
        value: an array or tensor of any framework, with any shape and dtype.

    Raises:
        TypeError: name is empty or not a str.
    """
    _put("tensor", name, value)


def image(name: str, value: object) -> None:
    """Record images.

    Args:
        name: the tag.
        value: an array or tensor of shape (N, C, H, W), or any other image that SummaryRecord.add_value() accepts.

    Raises:
        TypeError: name is empty or not a str.
    """
    _put("image", name, value)


def histogram(name: str, value: object) -> None:
    """Record the histogram of the elements of a tensor.

    Args:
        name: the tag.
        value: an array or tensor of real numbers, of any framework and shape.

    Raises:
        TypeError: name is empty or not a str.
    """
    _put("histogram", name, value)


@contextmanager
def collecting(values: OperatorValues) -> Iterator[OperatorValues]:
    """Collect operator values in *values* within the block."""
    values.open()
    try:
        yield values
    finally:
        values.close()


@contextmanager
def paused() -> Iterator[None]:
    """Disable the operators of this context within the block, whose forward passes are not part of the training."""
    inactive = OperatorValues()
    inactive.is_active = False
    with collecting(inactive):
        yield


_current: ContextVar[Optional["OperatorValues"]] = ContextVar("toposcope_operator_values", default=None)
_open: list[OperatorValues] = []
_of_other_threads: OperatorValues | None = None  # For threads that have opened none.
_lock = threading.RLock()  # Reentrant: while it is held, the garbage collector may close a recorder.


def _put(plugin: str, name: str, value: object) -> None:
    if type(name) is not str or not name:
        name = checked_name(name)
    # Before anything else: Dynamo, which evaluates this check at compile time, does not support context variables.
    torch = imported("torch")
    if torch is not None and torch.compiler.is_dynamo_compiling():
        return
    values = _nearest_open(_current.get()) or _of_other_threads
    if values is not None:
        values.put(plugin, name, value)


def _nearest_open(values: OperatorValues | None) -> OperatorValues | None:
    """Return values if they are open, else the nearest open ones that enclose them."""
    while values is not None and not values._is_open:
        values = values._outer
    return values


def _register(values: OperatorValues) -> None:
    with _lock:
        _open.append(values)
        _choose_for_threads()


def _unregister(values: OperatorValues) -> None:
    with _lock:
        if values in _open:
            _open.remove(values)
            _choose_for_threads()


def _choose_for_threads() -> None:
    global _of_other_threads
    enclosing = [_nearest_open(values._outer) for values in _open]
    innermost = [values for values in _open if values not in enclosing]
    _of_other_threads = innermost[0] if len(innermost) == 1 else None


def _copy(value: Any) -> object:
    """Return a detached copy on the device of value, without synchronizing with the device.

    A detached value shares the memory of the original, which the next layer or the optimizer may change in place before
    the step is recorded. On a device the copy is queued like any other operation.
    """
    if isinstance(value, list | tuple):
        return [_copy(item) for item in value]
    detached = value.detach() if hasattr(value, "detach") else value
    copy: Callable[[], object] | None = getattr(detached, "clone", None) or getattr(detached, "copy", None)
    return detached if copy is None else copy()


def _is_traced(value: Any) -> bool:
    """Return whether PyTorch is tracing a graph, which would include the copy, or value has no data."""
    torch = imported("torch")
    if torch is None or not isinstance(value, (torch.Tensor, torch.fx.Proxy)):
        return False
    return bool(
        isinstance(value, torch.fx.Proxy)
        or value.is_meta
        or hasattr(value, "fake_mode")
        or torch.compiler.is_compiling()
        or torch.jit.is_tracing()
        or torch.fx.experimental.proxy_tensor.get_proxy_mode() is not None
        or (value.is_cuda and torch.cuda.is_current_stream_capturing())
    )
