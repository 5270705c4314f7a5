"""Position: where a training is in its data, with the states of random generators that belong to that place."""

import json
import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import timedelta
from typing import Any, NamedTuple, Self

import numpy as np

from toposcope.recorder import log
from toposcope.recorder.imported import imported
from toposcope.recorder.training.data.plain_state import state_of, state_text
from toposcope.recorder.training.progress.timestamp import Timestamp
from toposcope.recorder.values.arrays.foreign_values import short_repr

_COUNTS = ("sample", "token", "token_in_iteration", "iteration", "epoch_in_iteration")
_COUNTS_IN_EPOCH = ("batch_in_epoch", "sample_in_epoch", "token_in_epoch")


class EpochPlace(NamedTuple):
    """How far an epoch has been trained."""

    batches: int
    """Batches of the loader; 0: none, or unknown."""
    is_over: bool
    """Whether they are all batches of the epoch."""
    is_ahead: bool = False
    """Whether the loader has given further batches: its state is not that of this place."""


class Position(NamedTuple):
    """The place after a step."""

    batches: int
    """Batches of the epoch that were trained and have to be read again; 0: none."""
    is_over: bool
    """Whether they are all batches of the epoch."""
    counts: Mapping[str, int]
    """Counts of the timestamp besides steps and epochs."""
    seconds: float
    """Time spent on the training."""
    at_epoch: str
    """The random states when the epoch began: they determine the order of its batches; empty: unknown."""
    at_step: str
    """The random states after the step; empty: unknown."""
    loader: str
    """The state of a loader that continues by itself, in the middle of an epoch or at its end; empty: there is none."""

    @classmethod
    def of(cls, state: Any) -> Self:
        """Return the place of the State of a training."""
        place, timestamp, loader = state.epoch_place(), state.timestamp, state.train_dataloader
        is_read_again = not place.is_over or bool(_generators(loader))
        batches = place.batches if is_read_again and state.sink_size is None else 0
        names = (*_COUNTS, *_COUNTS_IN_EPOCH) if batches and not place.is_over else _COUNTS
        return cls(
            batches,
            place.is_over,
            {name: getattr(timestamp, name).value for name in names},
            timestamp.total_wct.total_seconds(),
            state.random_at_epoch if batches else "",
            random_states(loader),
            "" if place.is_ahead or state.sink_size is not None else _loader_state(loader),
        )

    def as_text(self) -> str:
        """Return the place as JSON."""
        return json.dumps(self)

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Return the place whose JSON is given."""
        return cls(*json.loads(text))

    def of_other_process(self) -> Self:
        """Return the place without what belongs to one process: its random states and the state of its loader."""
        return self._replace(at_epoch="", at_step="", loader="")

    @property
    def at_first_batch(self) -> str:
        """The random states before the first batch that has to be read."""
        return self.at_epoch if self.batches else self.at_step

    def set_counts(self, timestamp: Timestamp) -> Timestamp:
        """Return a timestamp with the counts of the whole training."""
        counts = {name: self.counts[name] for name in _COUNTS}
        return timestamp.copy(total_wct=timedelta(seconds=self.seconds), **counts)

    def set_counts_in_epoch(self, timestamp: Timestamp) -> Timestamp:
        """Return a timestamp with the counts of the epoch that continues."""
        return timestamp.copy(**{name: self.counts[name] for name in _COUNTS_IN_EPOCH if name in self.counts})


def begin_epoch(
    state: Any,
    batches: Callable[[int], Iterable[Any]],
    skipped: int = 0,
    before_skip: Callable[[], object] = lambda: None,
) -> Iterator[Any]:
    """Return an iterator over the batches of an epoch that have not been trained, and note the random states.

    A restored place is taken once: the random states become those of that place.

    Args:
        state: the State of the training.
        batches: returns the batches of an epoch, without as many as its loader leaves out by itself.
        skipped: batches to skip if no place was restored.
        before_skip: called before each batch that is skipped.
    """
    position, state.position = state.position, None
    loader = state.train_dataloader
    if position is not None:
        set_random_states(position.at_first_batch, loader)
    state.random_at_epoch = random_states(loader)
    iterator = None if position is None else _restored_iterator(position, loader, batches)
    continues_itself = iterator is not None
    if iterator is None:
        iterator = iter(batches(0))
        for _ in range(skipped if position is None else position.batches):
            before_skip()
            next(iterator, None)
    if position is None or not (position.batches or continues_itself):
        return iterator
    if position.is_over:
        deque(iterator, maxlen=0)  # What a loader does at its end determines the next epoch.
    set_random_states(position.at_step)
    if not position.is_over:
        return iterator
    state.random_at_epoch = random_states(loader)
    return iter(batches(0))


def _restored_iterator(
    position: Position, loader: Any, batches: Callable[[int], Iterable[Any]]
) -> Iterator[Any] | None:
    """Return an iterator over the batches after the place, if the loader continues by itself."""
    if not position.loader or not _has_state(loader):
        return None
    attributes = getattr(loader, "__dict__", {})
    before = dict(attributes)
    try:
        loader.load_state_dict(state_of(position.loader))
        before_order = _generator_states(loader)
        iterator = iter(batches(position.batches))
        if _generator_states(loader) != before_order:
            # It has drawn the order. What it draws besides is in its state only if that is of another generator.
            _set_generator_states(loader, json.loads(position.at_step)["loader"])
        return iterator
    except Exception as error:  # Of a foreign loader; also a StopIteration.
        name, text = type(loader).__name__, short_repr(error)
        log.warn("The state of the loader, a %s, cannot be restored, and trained batches are skipped: %s", name, text)
        # StatefulDataLoader keeps a state that it cannot take for its next iterator.
        attributes.clear()
        attributes.update(before)
        set_random_states(position.at_first_batch, loader)
        return None


def _has_state(loader: Any) -> bool:
    return all(callable(getattr(loader, name, None)) for name in ("state_dict", "load_state_dict"))


def _loader_state(loader: Any) -> str:
    if not _has_state(loader):
        return ""
    try:
        return state_text(loader.state_dict())
    except Exception as error:  # Of a foreign loader.
        log.warn(
            "The state of the loader, a %s, is not saved with the training, which will skip the batches that it has "
            "trained: %s: %s",
            type(loader).__name__,
            type(error).__name__,
            error,
        )
        return ""


def random_states(loader: Any = None) -> str:
    """Return the states of the generators of Python, NumPy, PyTorch and of a data loader as JSON."""
    version, internal, gauss = random.getstate()
    _, keys, position, has_gauss, cached = np.random.get_state()
    states: dict[str, Any] = {
        "python": [version, list(internal), gauss],
        "numpy": [np.asarray(keys).tolist(), position, has_gauss, cached],
    }
    if (torch := imported("torch")) is not None:
        states["torch"] = _text(torch.get_rng_state())
        if torch.cuda.is_initialized():
            states["cuda"] = [_text(state) for state in torch.cuda.get_rng_state_all()]
        states["loader"] = _generator_states(loader)
    return json.dumps(states)


def set_random_states(text: str, loader: Any = None) -> None:
    """Set the states of the generators; those of a data loader only if one is given. An empty text changes nothing."""
    if not text:
        return
    states = json.loads(text)
    version, internal, gauss = states["python"]
    random.setstate((version, tuple(internal), gauss))
    keys, *rest = states["numpy"]
    np.random.set_state(("MT19937", np.array(keys, np.uint32), *rest))
    torch = imported("torch")
    if torch is None:
        return
    if "torch" in states:
        torch.set_rng_state(_tensor(torch, states["torch"]))
    if "cuda" in states and torch.cuda.device_count() == len(states["cuda"]):
        torch.cuda.set_rng_state_all([_tensor(torch, state) for state in states["cuda"]])
    _set_generator_states(loader, states.get("loader", []))


def _generators(loader: Any) -> list[Any]:
    """Return the generators of PyTorch that a data loader and its samplers have of their own."""
    torch = imported("torch")
    if torch is None:
        return []
    batch_sampler = getattr(loader, "batch_sampler", None)
    owners = (loader, getattr(loader, "sampler", None), batch_sampler, getattr(batch_sampler, "sampler", None))
    found = (getattr(owner, "generator", None) for owner in owners)
    return list(dict.fromkeys(each for each in found if isinstance(each, torch.Generator)))


def _generator_states(loader: Any) -> list[str]:
    return [_text(generator.get_state()) for generator in _generators(loader)]


def _set_generator_states(loader: Any, states: list[str]) -> None:
    for generator, state in zip(_generators(loader), states, strict=False):
        generator.set_state(_tensor(imported("torch"), state))


def _text(state: Any) -> str:
    return bytes(state.numpy()).hex()


def _tensor(torch: Any, text: str) -> Any:
    return torch.frombuffer(bytearray.fromhex(text), dtype=torch.uint8)
