"""FixedSamples: which samples of a dataset are used, and how batches are cut."""

import random
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest

from toposcope.recorder.landscapes.models.fixed_samples import FixedSamples, first_samples


class Pair(NamedTuple):
    """A batch with names."""

    x: Any
    y: Any


def fixed(sizes: list[int], number: int = 100) -> FixedSamples:
    """Return numbered samples in batches of these sizes."""
    starts = np.cumsum([0, *sizes])
    batches = [Pair(np.arange(a, b), {"twice": 2 * np.arange(a, b)[:, None]}) for a, b in pairwise(starts)]
    return first_samples(batches, number, np.array)


def test_the_first_samples_are_used() -> None:
    """The last batch is cut, and later batches are not read."""
    samples = fixed([4, 4, 4], 6)
    assert (samples.samples, samples.starts) == (6, (0, 4, 6))
    assert [batch.x.tolist() for batch in samples.batches] == [[0, 1, 2, 3], [4, 5]]

    def endless() -> Iterator[Any]:
        while True:
            yield np.zeros((3, 2))

    assert first_samples(endless(), 7, np.array).starts == (0, 3, 6, 7)


@pytest.mark.parametrize(("first", "last"), [(0, None), (0, 9), (2, 5), (3, 4), (4, 8), (8, 9), (1, 100)])
def test_a_slice_has_its_samples_once(first: int, last: int | None) -> None:
    """In order, for any batch sizes; structures and names are kept."""
    samples = fixed([4, 2, 3])
    pieces = list(samples.between(first, last))
    numbers = list(range(9))[first:last]
    assert [number for batch, _ in pieces for number in batch.x.tolist()] == numbers
    assert [number for batch, _ in pieces for number in batch.y["twice"].ravel().tolist()] == [2 * n for n in numbers]
    assert [len(batch.x) for batch, _ in pieces] == [size for _, size in pieces]


def test_batches_are_recut_to_one_size() -> None:
    """All but the last; the hash does not depend on the batch sizes."""
    one, other = fixed([4, 2, 3]), fixed([5, 4])
    assert one.recut(4, np.concatenate).starts == (0, 4, 8, 9)
    assert [batch.x.tolist() for batch in one.recut(4, np.concatenate).batches] == [[0, 1, 2, 3], [4, 5, 6, 7], [8]]
    assert one.hash(np.asarray) == other.hash(np.asarray) == one.recut(2, np.concatenate).hash(np.asarray)
    assert one.hash(np.asarray) != fixed([5, 3]).hash(np.asarray)


def test_texts_count_in_the_hash() -> None:
    """A tokenizer in the network computes other losses for other words."""
    hashes = {first_samples([(np.zeros((2, 1)), words)], 2, np.array).hash(np.asarray) for words in (["a", "b"], "cd")}
    assert len(hashes) == 2


def test_a_batch_that_cannot_be_cut_stays_whole() -> None:
    """For example a batch with words, which belongs to the range where it begins."""
    batches = [(np.zeros((3, 2)), ["a", "b", "c"]), (np.ones((3, 2)), ["d", "e", "f"])]
    samples = first_samples(batches, 4, np.array)
    assert samples.samples == 6
    assert samples.recut(2, np.concatenate) is samples
    assert [size for _, size in samples.between(0, 2)] == [3]
    assert [size for _, size in samples.between(2, 6)] == [3]


def test_batches_of_a_loader_that_reuses_its_array_are_copied() -> None:
    """Each batch keeps its numbers."""

    def batches() -> Iterator[Any]:
        array = np.zeros(2)
        for number in range(3):
            array[:] = number
            yield array

    assert [batch.tolist() for batch in first_samples(batches(), 6, np.array).batches] == [[0, 0], [1, 1], [2, 2]]


def test_random_datasets_return_the_same_samples_each_time() -> None:
    """The states of the user's generators do not change."""

    class Shuffled:
        def __iter__(self) -> Iterator[Any]:
            yield np.random.permutation(50)
            yield np.array(random.sample(range(50), 20))

    random.seed(1)
    np.random.seed(1)
    expected = random.random(), np.random.rand()
    random.seed(1)
    np.random.seed(1)
    hashes = {first_samples(Shuffled(), 70, np.array).hash(np.asarray) for _ in range(3)}
    assert (random.random(), np.random.rand()) == expected
    assert len(hashes) == 1
