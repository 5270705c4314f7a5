"""PyTorch data pipelines: loader, sampler, datasets and transforms, as a dataset graph and as facts."""

import os
from collections.abc import Iterator, Mapping
from typing import Any

from toposcope.proto.lineage_pb2 import DatasetGraph
from toposcope.recorder.adapters import is_module, is_tensor
from toposcope.recorder.framework import DatasetFacts
from toposcope.recorder.frameworks.torch.modules import library
from toposcope.recorder.frameworks.torch.plain_settings import attribute, name_of, settings_of
from toposcope.recorder.messages.dataset_graph import dataset_graph
from toposcope.recorder.training.data.batch import length_of

_DEEPEST, _MAX_PARTS = 16, 32
_LOADER_SETTINGS = ("num_workers", "drop_last", "pin_memory", "timeout", "prefetch_factor", "persistent_workers")
_TRANSFORMS = ("transform", "target_transform")
_PATHS = ("root", "path", "dir", "root_dir", "data_dir", "dataset_dir", "data_path", "folder", "filename", "file")
Stage = dict[str, object]


def pipeline_of(dataset: Any) -> DatasetGraph | None:
    """Return the graph of a DataLoader or a Dataset; None for another object.

    Stages are the loader, then the datasets down to the innermost ones, each with its settings. The transforms of a
    dataset are a Map stage above it, as in MindSpore's pipelines. Nothing is read or iterated.
    """
    return dataset_graph(_stage(dataset, 0)) if _is_pipeline(dataset) else None


def facts_of(dataset: Any) -> DatasetFacts:
    """Return the batch size, the number of samples, and the first existing path that an attribute names."""
    if not _is_pipeline(dataset):
        return DatasetFacts()
    innermost = attribute(dataset, "dataset") if _is_loader(dataset) else dataset
    size = _batch_size(dataset) if _is_loader(dataset) else None
    return DatasetFacts(size, length_of(innermost), next(_paths(dataset, 0), None))


def _is_pipeline(thing: object) -> bool:
    return thing is not None and (_is_loader(thing) or isinstance(thing, library("torch.utils.data").Dataset))


def _is_loader(thing: object) -> bool:
    """Return whether an object is a DataLoader, or has the attributes of one."""
    return all(attribute(thing, name) is not None for name in ("dataset", "collate_fn"))


def _batch_size(loader: Any) -> int | None:
    size = attribute(loader, "batch_size") or attribute(attribute(loader, "batch_sampler"), "batch_size")
    return size if type(size) is int else None


def _stage(thing: Any, depth: int) -> Stage:
    stage = _loader_stage(thing, depth) if _is_loader(thing) else _dataset_stage(thing, depth)
    for name in _transforms_of(thing):
        operations = list(_operations(attribute(thing, name), 0))
        stage = {"op_type": "Map", "attribute": name, "operations": operations, "children": [stage]}
    return stage


def _loader_stage(loader: Any, depth: int) -> Stage:
    sampler = attribute(loader, "sampler")
    settings = {name: attribute(loader, name) for name in _LOADER_SETTINGS}
    stage: Stage = {"op_type": type(loader).__name__}
    stage |= {name: value for name, value in settings.items() if type(value) in (bool, int, float)}
    if (size := _batch_size(loader)) is not None:
        stage["batch_size"] = size
    if type(sampler).__name__ in ("RandomSampler", "SequentialSampler"):
        stage["shuffle"] = type(sampler).__name__ == "RandomSampler"
    stage["collate_fn"] = name_of(attribute(loader, "collate_fn"))
    stage["sampler"] = _sampler(_described_sampler(loader), 0)
    return stage | _children([attribute(loader, "dataset")], depth)


def _described_sampler(loader: Any) -> Any:
    """Return the sampler to describe: that of batches only if it is not the loader's default."""
    batches = attribute(loader, "batch_sampler")
    if type(batches).__name__ in ("BatchSampler", "NoneType"):
        inner = attribute(batches, "sampler")
        return attribute(loader, "sampler") if inner is None else inner
    return batches


def _sampler(sampler: Any, depth: int) -> Stage | None:
    if sampler is None:
        return None
    described: Stage = {"sampler_name": type(sampler).__name__, **settings_of(sampler)}
    for name in ("replacement", "num_samples"):  # Properties.
        if type(value := attribute(sampler, name)) in (bool, int):
            described[name] = value
    inner = attribute(sampler, "sampler")
    if inner is not None and depth < _DEEPEST:
        described["sampler"] = _sampler(inner, depth + 1)
    return described


def _dataset_stage(dataset: Any, depth: int) -> Stage:
    settings = settings_of(dataset)
    if (size := length_of(dataset)) is not None:
        settings["size"] = size
    tensors = attribute(dataset, "tensors")
    if isinstance(tensors, list | tuple) and all(is_tensor(tensor) for tensor in tensors):
        settings["shapes"] = [list(tensor.shape) for tensor in tensors[:_MAX_PARTS]]
        settings["dtypes"] = [str(tensor.dtype).removeprefix("torch.") for tensor in tensors[:_MAX_PARTS]]
    # These keys have a meaning of their own in a stage.
    settings = {
        name: value for name, value in settings.items() if name not in ("op_type", "children", "operations", "sampler")
    }
    return {"op_type": type(dataset).__name__, **settings} | _children(_inner_datasets(dataset), depth)


def _children(datasets: list[Any], depth: int) -> Stage:
    if not datasets or depth >= _DEEPEST:
        return {}
    return {"children": [_stage(dataset, depth + 1) for dataset in datasets[:_MAX_PARTS]]}


def _inner_datasets(dataset: Any) -> list[Any]:
    """Return the datasets that a dataset wraps; an iterator of datasets is not consumed."""
    inner = attribute(dataset, "dataset")
    if inner is not None and not isinstance(inner, str | os.PathLike):
        return [inner]
    datasets = attribute(dataset, "datasets")
    if isinstance(datasets, Mapping):
        datasets = list(datasets.values())
    return list(datasets) if isinstance(datasets, list | tuple) else []


def _transforms_of(dataset: Any) -> list[str]:
    """Return the names of the attributes that are transforms."""
    named = [name for name in _TRANSFORMS if attribute(dataset, name) is not None]
    # torchvision's datasets combine the two in this attribute as well.
    return named or (["transforms"] if attribute(dataset, "transforms") is not None else [])


def _operations(transform: Any, depth: int) -> Iterator[Stage]:
    """Yield a transform, or the transforms that it is composed of, in order."""
    parts = transform if isinstance(transform, list | tuple) else attribute(transform, "transforms")
    if parts is None and is_module(transform) and type(transform).__name__ in ("Sequential", "ModuleList"):
        parts = list(transform.children())
    is_composed = isinstance(parts, list | tuple) or (is_module(parts) and length_of(parts) is not None)
    if is_composed and depth < _DEEPEST:
        name = name_of(transform)
        if name not in ("Compose", "Sequential", "ModuleList", "list", "tuple"):  # For example RandomChoice.
            yield {"tensor_op_name": name, **settings_of(transform)}
        for part in list(parts)[:_MAX_PARTS]:
            yield from _operations(part, depth + 1)
    elif not is_composed:
        settings = {name: value for name, value in settings_of(transform).items() if name != "training"}
        yield {"tensor_op_name": name_of(transform), **settings}


def _paths(thing: Any, depth: int) -> Iterator[str]:
    """Yield the existing paths among the attributes of a dataset and of the datasets inside it."""
    for name in _PATHS:
        path = attribute(thing, name)
        if isinstance(path, str | os.PathLike) and (existing := _existing(path)) is not None:
            yield existing
    if depth < _DEEPEST:
        for inner in _inner_datasets(thing)[:_MAX_PARTS]:
            yield from _paths(inner, depth + 1)


def _existing(path: Any) -> str | None:
    try:
        text = os.path.abspath(os.fsdecode(path))
        return text if os.path.exists(text) else None
    except Exception:  # Of a path object, or of a name with a null character.
        return None
