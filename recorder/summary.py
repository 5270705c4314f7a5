"""Summary operators: what a network calls in its forward pass to have a value of its own recorded.

    from toposcope.recorder import summary

    class Net(torch.nn.Module):
        def forward(self, images):
            hidden = self.body(images)
            summary.histogram("hidden", hidden)
            summary.image("images", images)
            return self.head(hidden)

An operator keeps the newest value of its tag, on the value's own device and detached from its gradient; the copy to the
host is made when the value is recorded. It returns None, takes no part in the gradient, and does nothing

* where nobody collects: 0.3 microseconds;
* in eval mode, and between the steps that are recorded;
* while a graph is traced: by torch.compile (the compiled network records nothing), torch.export, torch.jit.trace,
  torch.fx, on fake and meta tensors, and while a CUDA graph is captured;
* within paused(), as when a loss landscape evaluates the network.

Under torch.func.grad values are kept; under torch.vmap none can be read afterwards, and recording skips them with a
line in the log. torch.jit.script and MindSpore's graphs cannot compile these functions; MindSpore has its own.

Differences from MindSpore's operators: in eval mode nothing is kept at all; scalars, tensors and images are those of
SummaryRecord.add_value(), Python numbers and NumPy arrays too.

A recorder or callback collects with an OperatorValues of its own:

    values = OperatorValues()
    values.open()              # as the training begins, or `with collecting(values):`
    values.is_active = False   # between the steps to record: calls cost next to nothing
    values.plugins = ("scalar", "image", "histogram")  # without "tensor", where no tensors are wanted
    for plugin, tag, value in values.take():  # before recording the step
        ...
    values.close()             # as it ends
"""

import sys
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, Optional

from toposcope.recorder import log
from toposcope.recorder.arguments import checked_name

OPERATOR_PLUGINS = ("scalar", "tensor", "image", "histogram")
"""Kinds of values that the operators know."""


class OperatorValue(NamedTuple):
    """What a summary operator saw when its network ran."""

    plugin: str
    tag: str
    value: object
    """A detached copy on the device of the original."""


class OperatorValues:
    """The newest values of the operators that one recorder collects.

    The recorder whose values were opened last in the same context (contextvars: a thread or an asyncio task) gets what
    is called there, alone. A thread that opened none, as those in which DataParallel runs its replicas and autograd its
    hooks, gives to the innermost of the open ones when each was opened inside the one before; when several recorders
    collect side by side, nobody can know whose its values are, and they are dropped.
    """

    def __init__(self) -> None:
        self.is_active = True
        """Whether values are wanted at present."""
        self.mode = "train"
        """Phase of the network; values are kept in "train" only."""
        self.plugins: Collection[str] = OPERATOR_PLUGINS
        """Kinds of values that are wanted at present."""
        self._is_open = False
        self._outer: OperatorValues | None = None
        self._kept: dict[tuple[str, str], object] = {}
        self._warned: set[tuple[str, str]] = set()

    def open(self) -> None:
        """Begin to collect in this context and the threads that have no collector of their own.

        Raises:
            ValueError: it is open.
        """
        if self._is_open:
            raise ValueError("These operator values are collected already: close() comes before the next open().")
        self._outer = _nearest_open(_own.get())
        self._is_open = True
        _own.set(self)
        _opened(self)

    def close(self) -> None:
        """Drop the values and collect no more; the recorder that was opened before goes on. Closing again does nothing.

        It may be called from another context than open(), and in any order with those of other recorders.
        """
        self._is_open = False
        self._kept = {}
        if _own.get() is self:
            _own.set(_nearest_open(self))
        _closed(self)

    @property
    def is_filled(self) -> bool:
        """Whether there is something to take."""
        return bool(self._kept)

    def take(self) -> list[OperatorValue]:
        """Return the newest value of every plugin and tag since the last call, the first called first."""
        taken, self._kept = self._kept, {}
        return [OperatorValue(plugin, tag, value) for (plugin, tag), value in list(taken.items())]

    def put(self, plugin: str, tag: str, value: object) -> None:
        """Keep a copy of value if it is wanted; what goes wrong is logged, once a tag."""
        if not self.is_active or self.mode != "train" or plugin not in self.plugins:
            return
        try:
            if not _is_traced(value):
                self._kept[plugin, tag] = _copied(value)
        except Exception as error:  # The value's own methods, which may want memory: no reason to stop a forward pass.
            if (plugin, tag) not in self._warned:
                self._warned.add((plugin, tag))
                log.warn("summary.%s(%r): skipped, the value could not be kept: %s", plugin, tag, error)


def scalar(name: str, value: object) -> None:
    """Have a number recorded.

    Args:
        name: the tag.
        value: a number, or an array or tensor of any framework that holds one real number.

    A value that is no scalar is logged when it would be recorded, and skipped: so with the other operators.

    Raises:
        TypeError: name is no str or empty.
    """
    _put("scalar", name, value)


def tensor(name: str, value: object) -> None:
    """Have a tensor recorded.

    Args:
        name: the tag.
        value: an array or tensor of any framework, shape and dtype.

    Raises:
        TypeError: name is no str or empty.
    """
    _put("tensor", name, value)


def image(name: str, value: object) -> None:
    """Have images recorded.

    Args:
        name: the tag.
        value: an array or tensor of shape (N, C, H, W), or another one that SummaryRecord.add_value() takes.

    Raises:
        TypeError: name is no str or empty.
    """
    _put("image", name, value)


def histogram(name: str, value: object) -> None:
    """Have the distribution of a tensor's elements recorded.

    Args:
        name: the tag.
        value: an array or tensor of any framework and shape, of real numbers.

    Raises:
        TypeError: name is no str or empty.
    """
    _put("histogram", name, value)


@contextmanager
def collecting(values: OperatorValues) -> Iterator[OperatorValues]:
    """Collect into values within the block."""
    values.open()
    try:
        yield values
    finally:
        values.close()


@contextmanager
def paused() -> Iterator[None]:
    """Make the operators of this context do nothing within the block: its forward passes are no training."""
    nowhere = OperatorValues()
    nowhere.is_active = False
    with collecting(nowhere):
        yield


_own: ContextVar[Optional["OperatorValues"]] = ContextVar("toposcope_operator_values", default=None)
_open: list[OperatorValues] = []
_of_threads: OperatorValues | None = None  # Of those that have none of their own.
_lock = threading.RLock()  # Garbage that is collected within may close a recorder.


def _put(plugin: str, name: str, value: object) -> None:
    if type(name) is not str or not name:
        name = checked_name(name)
    # First of all: Dynamo, which runs this symbolically and makes it a constant, knows no context variables.
    torch = sys.modules.get("torch")
    if torch is not None and torch.compiler.is_dynamo_compiling():
        return
    values = _nearest_open(_own.get()) or _of_threads
    if values is not None:
        values.put(plugin, name, value)


def _nearest_open(values: OperatorValues | None) -> OperatorValues | None:
    """Return values or, if they are closed, those around them that are not."""
    while values is not None and not values._is_open:
        values = values._outer
    return values


def _opened(values: OperatorValues) -> None:
    with _lock:
        _open.append(values)
        _choose_for_threads()


def _closed(values: OperatorValues) -> None:
    with _lock:
        if values in _open:
            _open.remove(values)
            _choose_for_threads()


def _choose_for_threads() -> None:
    global _of_threads
    around = [_nearest_open(values._outer) for values in _open]
    innermost = [values for values in _open if values not in around]
    _of_threads = innermost[0] if len(innermost) == 1 else None


def _copied(value: Any) -> object:
    """Return a copy on value's device, without waiting for it.

    Not the detached value itself, whose memory is the original's: the activation that follows may work in place, and
    the optimizer will, before the step is recorded. On a device the copy is queued like any other operation.
    """
    if isinstance(value, list | tuple):
        return [_copied(item) for item in value]
    detached = value.detach() if hasattr(value, "detach") else value
    copy: Callable[[], object] | None = getattr(detached, "clone", None) or getattr(detached, "copy", None)
    return detached if copy is None else copy()


def _is_traced(value: Any) -> bool:
    """Say whether PyTorch runs the network for its graph, of which a copy would be a part, or value holds nothing."""
    torch = sys.modules.get("torch")
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
