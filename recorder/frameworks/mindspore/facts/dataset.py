"""MindSpore data pipelines: their stages, and their facts for the lineage."""

import os
import sys
from collections.abc import Iterator
from typing import Any

from toposcope.proto.lineage_pb2 import DatasetGraph
from toposcope.recorder.messages.dataset_graph import dataset_graph

_PATHS = ("dataset_dir", "dataset_files", "dataset_file")


def is_dataset(thing: object) -> bool:
    """Return whether an object is a pipeline of mindspore.dataset."""
    return not isinstance(thing, type) and hasattr(thing, "get_batch_size") and hasattr(thing, "children")


def stages_of(dataset: Any) -> DatasetGraph:
    """Return the message of a pipeline's stages."""
    return dataset_graph(sys.modules["mindspore.dataset"].serialize(dataset))


def batch_size_of(dataset: Any) -> int | None:
    """Return the number of samples in a batch; None if batches differ."""
    size = dataset.get_batch_size()
    return size if isinstance(size, int) and size > 0 else None


def samples_of(dataset: Any) -> int | None:
    """Return the number of samples in an epoch; None if batches differ.

    MindSpore's collector counts the last batch as a full one. Here its samples are counted, unless MindSpore would
    have to run the whole pipeline for that.
    """
    batches, size = dataset.get_dataset_size(), batch_size_of(dataset)
    kept = next((stage for stage in _main_stages(dataset) if hasattr(stage, "drop_remainder")), None)
    if kept is not None and not kept.drop_remainder and kept.get_dataset_size() == batches and _is_countable(kept):
        return int(kept.children[0].get_dataset_size())
    return None if size is None else batches * size


def path_of(dataset: Any) -> str | None:
    """Return the directory of the first source with files in a pipeline; None if there is none."""
    for stage in _all_stages(dataset):
        for name in _PATHS:
            if path := _first_path(getattr(stage, name, None)):
                return os.path.dirname(path) if os.path.isfile(path) else path
    return None


def _first_path(paths: object) -> str | None:
    if isinstance(paths, list | tuple) and paths:
        paths = paths[0]
    return paths if isinstance(paths, str) else None


def _main_stages(dataset: Any) -> Iterator[Any]:
    """Yield the stages from the last one towards the source, up to the first branch."""
    yield dataset
    while len(dataset.children) == 1:
        dataset = dataset.children[0]
        yield dataset


def _all_stages(dataset: Any) -> Iterator[Any]:
    yield dataset
    for child in dataset.children:
        yield from _all_stages(child)


def _is_countable(dataset: Any) -> bool:
    return all(getattr(stage, "source_len", 0) >= 0 for stage in _all_stages(dataset))
