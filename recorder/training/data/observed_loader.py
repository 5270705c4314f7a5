"""Observes what a data loader gives to a loop: the iterators that a loop creates of it report their batches.

A loop iterates over the loader itself, so iter() has to be observed: the class of the loader gets another __iter__ for
as long as one of its objects is observed.
"""

import functools
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Protocol


class IteratorObserver(Protocol):
    """Receives what one iterator of a loader does."""

    def give(self, batch: Any) -> None:
        """Take a batch that the loop receives."""

    def end(self, *, is_exhausted: bool) -> None:
        """Take the end of the iterator: it has no further batch, or the loop has left it."""


NewObserver = Callable[[], IteratorObserver]
_lock = threading.Lock()
_loaders: dict[int, tuple["weakref.ref[Any]", NewObserver]] = {}
"""The observed loaders by their ids: they need not be hashable."""
_numbers: dict[type, int] = {}
"""How many loaders of a class are observed."""


def observe_loader(loader: Any, new_observer: NewObserver) -> Callable[[], None]:
    """Report the iterators of a loader from now on; return a function that ends this.

    Nothing is reported of iterators, and of objects of builtin classes, lists for example: their classes cannot be
    changed.

    Args:
        loader: the data loader.
        new_observer: called when an iterator is created, returns what receives its batches.
    """
    kind = type(loader)
    if isinstance(loader, Iterator) or not hasattr(kind, "__iter__"):
        return _nothing
    with suppress(TypeError), _lock:  # Classes without weak references or with a fixed __iter__.
        reference = weakref.ref(loader)
        if not _numbers.get(kind):
            _replace_iter(kind)
        _numbers[kind] = _numbers.get(kind, 0) + 1
        _loaders[id(loader)] = reference, new_observer
        return functools.partial(_stop, kind, id(loader))
    return _nothing


def unobserved(loader: Any) -> Iterator[Any]:
    """Return an iterator of a loader that is not reported."""
    iterator = iter(loader)
    return iterator.iterator if isinstance(iterator, ObservedIterator) else iterator


def _nothing() -> None:
    """Do nothing."""


def _stop(kind: type, key: int) -> None:
    with _lock:
        if _loaders.pop(key, None) is None:
            return
        _numbers[kind] -= 1
        if not _numbers[kind]:
            del _numbers[kind]
            _restore_iter(kind)


def _replace_iter(kind: type) -> None:
    original: Callable[[Any], Iterator[Any]] = kind.__iter__  # type: ignore[attr-defined]

    @functools.wraps(original)
    def observed_iter(self: Any) -> Iterator[Any]:
        iterator = original(self)
        # Not of subclasses, whose __iter__ calls this one: what they give is what the loop receives.
        reference, new_observer = _loaders.get(id(self), (None, None)) if type(self) is kind else (None, None)
        if reference is None or new_observer is None or reference() is not self:
            return iterator
        return ObservedIterator(iterator, new_observer())

    observed_iter._toposcope_own = vars(kind).get("__iter__")  # type: ignore[attr-defined]
    kind.__iter__ = observed_iter  # type: ignore[attr-defined]


def _restore_iter(kind: type) -> None:
    replaced: Any = vars(kind).get("__iter__")
    if not hasattr(replaced, "_toposcope_own"):  # Another package has replaced it since.
        return
    if replaced._toposcope_own is None:
        del kind.__iter__  # type: ignore[attr-defined]
    else:
        kind.__iter__ = replaced._toposcope_own  # type: ignore[attr-defined]


class ObservedIterator:
    """An iterator with the attributes and batches of another one."""

    def __init__(self, iterator: Iterator[Any], observer: IteratorObserver) -> None:
        """Report what the iterator gives to the observer."""
        self.iterator, self._observer = iterator, observer
        # Called when the loop drops this object.
        weakref.finalize(self, observer.end, is_exhausted=False).atexit = False

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        try:
            batch = next(self.iterator)
        except StopIteration:
            self._observer.end(is_exhausted=True)
            raise
        self._observer.give(batch)
        return batch

    def __len__(self) -> int:
        return len(self.iterator)  # type: ignore[arg-type]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.iterator, name)
