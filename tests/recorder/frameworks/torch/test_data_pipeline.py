"""The dataset graphs and facts of PyTorch's data loaders, samplers, datasets and transforms."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils import data

from toposcope.proto.lineage_pb2 import DatasetGraph, OperationParameter
from toposcope.recorder.framework import DatasetFacts
from toposcope.recorder.frameworks.torch.facts.framework import FRAMEWORK

DIGITS = data.TensorDataset(torch.zeros(100, 1, 8, 8), torch.zeros(100, dtype=torch.int64))


class Normalize:
    """A transform like those of torchvision."""

    def __init__(self, mean: tuple[float, ...]) -> None:
        self.mean = mean


class Compose:
    """A composition of transforms like torchvision's."""

    def __init__(self, transforms: list[Any]) -> None:
        self.transforms = transforms


class Folder(data.Dataset[Any]):
    """A dataset of files like those of torchvision."""

    def __init__(self, root: Any, transform: Any = None, target_transform: Any = None) -> None:
        self.root, self.transform, self.target_transform = root, transform, target_transform
        self.train, self.version, self._secret, self.classes = True, 2, "hidden", ["cat", "dog"]

    def __len__(self) -> int:
        return 10


class Stream(data.IterableDataset[Any]):
    """A dataset without a length."""

    def __iter__(self) -> Iterator[int]:
        raise AssertionError("nothing is read")


class Hostile(data.Dataset[Any]):
    """A dataset whose attributes and length raise."""

    def __len__(self) -> int:
        raise OSError("gone")

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


def collate_pairs(batch: Any) -> Any:
    return batch


def settings(message: DatasetGraph | OperationParameter) -> dict[str, Any]:
    parameter = message.parameter if isinstance(message, DatasetGraph) else message
    lists = {name: list(value.strValue) for name, value in parameter.mapStrList.items()}
    return {**parameter.mapStr, **parameter.mapBool, **parameter.mapInt, **parameter.mapDouble, **lists}


def stages(dataset: Any) -> list[DatasetGraph]:
    """Return the stages from the outermost one to the innermost one."""
    outer_to_inner, rest = [], [FRAMEWORK.dataset_graph(dataset)]
    while rest:
        stage = rest.pop(0)
        assert isinstance(stage, DatasetGraph)
        outer_to_inner.append(stage)
        rest.extend(stage.children)
    return outer_to_inner


def names(dataset: Any) -> list[str]:
    return [stage.parameter.mapStr["op_type"] for stage in stages(dataset)]


def test_a_loader_is_the_last_stage() -> None:
    loader = data.DataLoader(DIGITS, batch_size=32, shuffle=True, drop_last=True, collate_fn=collate_pairs)
    outer, inner = stages(loader)

    described = settings(outer)
    assert described["op_type"] == "DataLoader"
    assert (described["batch_size"], described["num_workers"], described["drop_last"]) == (32, 0, True)
    assert (described["shuffle"], described["collate_fn"]) == (True, "collate_pairs")
    sampler = settings(outer.sampler.operationParam)
    assert sampler == {"sampler_name": "RandomSampler", "replacement": False, "num_samples": 100}
    assert settings(inner) == {
        "op_type": "TensorDataset",
        "size": 100,
        "shapes": ["[100, 1, 8, 8]", "[100]"],
        "dtypes": ['"float32"', '"int64"'],
    }


@pytest.mark.parametrize(
    ("sampler", "name", "expected"),
    [
        (data.SequentialSampler(DIGITS), "SequentialSampler", {}),
        (data.WeightedRandomSampler([0.5] * 100, 30), "WeightedRandomSampler", {"num_samples": 30}),
        (data.SubsetRandomSampler(range(5)), "SubsetRandomSampler", {}),
        (data.DistributedSampler(DIGITS, 4, 1), "DistributedSampler", {"num_replicas": 4, "rank": 1, "shuffle": True}),
    ],
)
def test_samplers_have_their_settings(sampler: Any, name: str, expected: dict[str, Any]) -> None:
    described = settings(stages(data.DataLoader(DIGITS, 10, sampler=sampler))[0].sampler.operationParam)
    assert described.items() >= {"sampler_name": name, **expected}.items()


def test_a_user_defined_batch_sampler_is_described() -> None:
    class Buckets(data.BatchSampler):
        pass

    loader = data.DataLoader(DIGITS, batch_sampler=Buckets(data.RandomSampler(DIGITS), 16, drop_last=True))
    described = settings(stages(loader)[0].sampler.operationParam)

    assert (described["sampler_name"], described["batch_size"], described["drop_last"]) == ("Buckets", 16, True)
    assert '"sampler_name": "RandomSampler"' in described["sampler"]
    assert settings(stages(loader)[0])["batch_size"] == 16
    assert FRAMEWORK.dataset_facts(loader) == DatasetFacts(16, 100, None)


def test_datasets_in_datasets_are_stages() -> None:
    first, second = data.random_split(DIGITS, [80, 20])
    joined: data.ConcatDataset[Any] = data.ConcatDataset([first, data.Subset(second, [1, 2, 3])])
    chained = data.ChainDataset([Stream(), Stream()])

    assert names(joined) == ["ConcatDataset", "Subset", "Subset", "TensorDataset", "Subset", "TensorDataset"]
    assert settings(stages(joined)[0])["size"] == 83
    assert names(data.DataLoader(chained)) == ["DataLoader", "ChainDataset", "Stream", "Stream"]


def test_transforms_are_a_map_above_their_dataset(tmp_path: Path) -> None:
    scale = nn.Sequential(nn.Hardtanh(-2.0, 2.0))
    transform = Compose([Normalize((0.5, 0.25)), scale, partial(collate_pairs, 1), lambda x: x])
    pipeline = stages(Folder(tmp_path, transform, target_transform=int))

    assert [stage.parameter.mapStr["op_type"] for stage in pipeline] == ["Map", "Map", "Folder"]
    assert settings(pipeline[0]) == {"op_type": "Map", "attribute": "target_transform"}
    operations = [settings(operation.operationParam) for operation in pipeline[1].operations]
    assert [operation["tensor_op_name"] for operation in operations] == [
        "Normalize",
        "Hardtanh",
        "collate_pairs",
        "<lambda>",
    ]
    assert operations[0]["mean"] == ["0.5", "0.25"]
    assert (operations[1]["min_val"], operations[1]["max_val"]) == (-2.0, 2.0)


def test_datasets_have_their_plain_public_attributes(tmp_path: Path) -> None:
    described = settings(stages(Folder(tmp_path))[0])
    assert described == {
        "op_type": "Folder",
        "root": str(tmp_path),
        "train": True,
        "version": 2,
        "classes": ['"cat"', '"dog"'],
        "size": 10,
    }


def test_facts_are_batch_size_samples_and_the_first_path_that_exists(tmp_path: Path) -> None:
    missing, there = Folder(tmp_path / "missing"), Folder(tmp_path)

    assert FRAMEWORK.dataset_facts(data.DataLoader(there, batch_size=4)) == DatasetFacts(4, 10, str(tmp_path))
    joined: data.ConcatDataset[Any] = data.ConcatDataset([missing, data.Subset(there, [1])])
    nested = data.DataLoader(joined, batch_size=2)
    assert FRAMEWORK.dataset_facts(nested) == DatasetFacts(2, 11, str(tmp_path))
    assert FRAMEWORK.dataset_facts(data.DataLoader(Stream(), batch_size=None)) == DatasetFacts(None, None, None)
    assert FRAMEWORK.dataset_facts(DIGITS) == DatasetFacts(None, 100, None)


def test_loaders_of_plain_sequences_are_described() -> None:
    numbers: Any = [1, 2, 3]
    loader: data.DataLoader[Any] = data.DataLoader(numbers, batch_size=2)
    assert names(loader) == ["DataLoader", "list"]
    assert FRAMEWORK.dataset_facts(loader).size == 3


@pytest.mark.parametrize("name", ["\0", "x" * 10_000, "\ud800"])
def test_unusual_path_names_are_recorded_or_left_out(name: str) -> None:
    assert names(Folder(name)) == ["Folder"]
    assert FRAMEWORK.dataset_facts(Folder(name)).path is None


def test_datasets_that_raise_are_recorded_by_name() -> None:
    assert names(Hostile()) == ["Hostile"]
    assert FRAMEWORK.dataset_facts(Hostile()) == DatasetFacts(None, None, None)


def test_a_pipeline_that_contains_itself_ends() -> None:
    folder: Any = Folder("x")
    folder.dataset = folder
    folder.transform = Compose([])
    folder.transform.transforms.append(folder.transform)

    assert len(names(folder)) == 34


@pytest.mark.parametrize("thing", [None, 1, "text", object(), [1, 2], {}, iter([1]), Hostile, nn.Linear(1, 1)])
def test_other_objects_have_no_pipeline(thing: object) -> None:
    assert FRAMEWORK.dataset_graph(thing) is None
    assert FRAMEWORK.dataset_facts(thing) == DatasetFacts()
