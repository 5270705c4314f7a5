"""LoopEpochs: which batches of its loader a loop has trained, and where its epochs end."""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from toposcope.recorder import log
from toposcope.recorder.training.data.batch import samples_of, tokens_of
from toposcope.recorder.training.data.observed_loader import ObservedIterator, observe_loader, unobserved
from toposcope.recorder.training.data.position import EpochPlace, begin_epoch
from toposcope.recorder.training.state.state import State


class Trained(NamedTuple):
    """Batches that a loop has trained."""

    number: int
    samples: int
    tokens: int


class _Iteration:
    """One iteration over the loader: the sizes of the batches that it has given and that were not trained."""

    def __init__(
        self,
        loader: Any,
        on_batch: Callable[["_Iteration"], None],
        on_end: Callable[["_Iteration"], None],
        skipped: int = 0,
        is_stopping: Callable[[], bool] = lambda: False,
    ) -> None:
        self._loader, self._on_batch, self._on_end, self._is_stopping = loader, on_batch, on_end, is_stopping
        self.given = self.skipped = skipped
        """Batches that the loop has received, and those of them that an earlier process had trained."""
        self.steps = 0
        """Calls of step() that stand for batches of this iteration."""
        self.sizes: deque[tuple[int, int]] = deque()
        """Samples and tokens of each batch; first those that the iteration before has left."""
        self.is_over = False
        """Whether the loader has ended, or the loop has left it."""

    def give(self, batch: Any) -> None:
        self.given += 1
        self.sizes.append((samples_of(batch), tokens_of(batch, self._loader)))
        self._on_batch(self)

    def end(self, *, is_exhausted: bool) -> None:
        # An epoch that the loop leaves because the training is to stop is continued by another process.
        if not self.is_over and (is_exhausted or not self._is_stopping()):
            self.is_over = True
            if is_exhausted:
                self._on_end(self)


class LoopEpochs:
    """Follows the loader of a loop.

    A call of step() stands for as many batches as the network was called with since the last one, but for no more than
    the loader has given: a loop may fetch batches in advance, and call its network several times for a batch. A further
    call for the same batch stands for none. If the calls of the network cannot be observed, it stands for one batch,
    until the loader has given twice as many: from then on for all of them. An epoch ends with the last batch that the
    loader gives, or that its length announces, or when the loop leaves the loader. If the iterators of the loader
    cannot be observed, a call of step() stands for one batch, and the length ends an epoch.
    """

    def __init__(self, state: State, on_end: Callable[[], None], *, is_length_given: bool) -> None:
        """Prepare; begin() begins.

        Args:
            state: its dataloader_len is the length of an epoch: batches, or calls of step() if the user gave it.
            on_end: called when the last batch of an epoch has been trained and the loader reports its end.
            is_length_given: whether the user gave the length.
        """
        self._state, self._on_end, self.is_length_given = state, on_end, is_length_given
        self._thread = threading.current_thread()
        self._newest: _Iteration | None = None
        self._followed: _Iteration | None = None
        self._calls_of_epoch = 0
        self._takes_all = self._is_warned = self._is_place_known = False
        self._is_length_exact = True
        self._stop: Callable[[], None] | None = None
        self.length: int | None = None
        """Batches, or calls of step(), of an epoch; None: unknown."""

    def begin(self) -> None:
        """Observe the loader."""
        loader = self._state.train_dataloader
        length = self._state.dataloader_len
        self.length = None if length is None else int(length)
        self._thread = threading.current_thread()
        self._calls_of_epoch = int(self._state.timestamp.batch_in_epoch)
        self._is_length_exact = not _is_iterable_dataset(loader)
        self._stop = observe_loader(loader, lambda: _Iteration(loader, self._receive, self._end_if_trained))

    def end(self) -> None:
        """Stop observing."""
        if self._stop is not None:
            self._stop()
        self._newest = self._followed = None

    def batches(self) -> Iterator[Any]:
        """Return an iterator over the batches of the loader; see WatchedRun.batches()."""
        state, position, loader = self._state, self._state.position, self._state.train_dataloader
        skipped = 0
        if position is not None and position.batches and not position.is_over:
            skipped, state.timestamp = position.batches, position.set_counts_in_epoch(state.timestamp)
            self._calls_of_epoch = int(state.timestamp.batch_in_epoch)
        iterator = begin_epoch(state, lambda _: unobserved(loader))
        self._is_place_known = True
        iteration = _Iteration(
            loader, self._receive, self._end_if_trained, skipped, lambda: self._state.is_stop_requested
        )
        return ObservedIterator(iterator, iteration)

    def place(self) -> EpochPlace:
        """Return how far the epoch has been trained; of loops that do not use batches() only whether it is over."""
        if not self._state.timestamp.batch_in_epoch.value:
            return EpochPlace(0, is_over=False)
        followed = self._followed if self._is_place_known else None
        ahead = 0 if followed is None else len(followed.sizes)
        return EpochPlace(0 if followed is None else followed.given - ahead, self.is_over(), ahead > 0)

    def follow(self, calls: int) -> bool:
        """Follow the iteration of the newest batch; return whether it is another one than that of the epoch so far.

        Args:
            calls: of the network since the last call of step().
        """
        newest, followed = self._newest, self._followed
        if newest is None or newest is followed or (newest.is_over and not newest.sizes):
            return False
        self._followed = newest
        if followed is None:
            return False
        self._find_accumulation(followed)
        # Batches without a step: their gradients are part of the next one.
        number = len(followed.sizes) if self._takes_all else min(calls, len(followed.sizes))
        newest.sizes.extendleft(followed.sizes.pop() for _ in range(number))
        return True

    def take(self, calls: int | None) -> Trained | None:
        """Return the batches that a call of step() stands for; None: one, whose size is unknown here.

        Args:
            calls: of the network since the last call; None: they are not observed.
        """
        self._calls_of_epoch += 1
        followed = self._followed
        if followed is None or (followed.is_over and not followed.sizes):
            self._warn_of_several_calls(calls)
            return None
        if not followed.sizes:  # A part of the last batch, or that batch once more.
            self._is_length_exact = False  # Its last batch may have parts, too.
            return Trained(0, 0, 0)
        followed.steps += 1
        number = len(followed.sizes) if calls is None and self._takes_all else min(calls or 1, len(followed.sizes))
        sizes = [followed.sizes.popleft() for _ in range(number)]
        samples = 0 if any(not each for each, _ in sizes) else sum(each for each, _ in sizes)
        return Trained(number, samples, sum(tokens for _, tokens in sizes))

    def is_over(self) -> bool:
        """Return whether the epoch ends with the batch that was trained last."""
        followed = self._followed
        if self.is_length_given or followed is None:
            return self.length is not None and self._calls_of_epoch >= self.length
        return self._is_at_end(followed) and not followed.sizes

    def is_left(self, calls: int) -> bool:
        """Return whether the loop has left the loader, or has called its network with the last batch.

        Args:
            calls: of the network since the last call of step().
        """
        followed = self._followed
        if self.is_length_given or followed is None:
            return False
        return followed.is_over or (self._is_at_end(followed) and len(followed.sizes) <= calls)

    def end_epoch(self) -> None:
        """Begin to count the next epoch."""
        self._calls_of_epoch = 0
        if (followed := self._followed) is not None and self._is_at_end(followed):
            self._find_accumulation(followed)
            if not followed.sizes:
                self._followed = None

    def _is_at_end(self, iteration: _Iteration) -> bool:
        """Return whether an iteration has given its last batch."""
        return iteration.is_over or (self._is_length_exact and iteration.given == self.length)

    def _receive(self, iteration: _Iteration) -> None:
        self._newest = iteration

    def _end_if_trained(self, iteration: _Iteration) -> None:
        if threading.current_thread() is not self._thread:  # It fetches batches in advance.
            return
        if self._followed is not None and self.is_over():
            self._on_end()
        elif iteration.given == iteration.skipped and iteration.skipped:  # An earlier process has trained them all.
            self._state.timestamp = self._state.timestamp.to_next_epoch()

    def _find_accumulation(self, iteration: _Iteration) -> None:
        """Find loops that call step() once for several batches, if the calls of their network are not observed."""
        if iteration.steps and len(iteration.sizes) >= iteration.steps:
            self._takes_all = True

    def _warn_of_several_calls(self, calls: int | None) -> None:
        """Warn once of a loop that may accumulate gradients of batches which are not observed."""
        if self._is_warned or calls is None or calls < 2 or self._state.train_dataloader is None:
            return
        self._is_warned = True
        log.warn(
            "The network is called %d times before step(), and the batches of the loader, a %s, are not observed: each "
            "call of step() counts as one batch. If gradients are accumulated, call step() after each micro-batch.",
            calls,
            type(self._state.train_dataloader).__name__,
        )


def _is_iterable_dataset(loader: Any) -> bool:
    """Return whether a DataLoader of PyTorch has a data set whose length is an estimate."""
    return any(kind.__name__ == "IterableDataset" for kind in type(getattr(loader, "dataset", None)).__mro__)
