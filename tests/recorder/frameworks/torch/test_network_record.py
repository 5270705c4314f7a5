"""SummaryRecord records the graph of a PyTorch network once, when the network was called."""

import copy
import gc
import io
import pickle
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

import pytest
import torch
from support.torch_networks import Branching, DigitsNet, Perceptron
from support.torch_programs import TorchPrograms
from support.written_events import ReadEvents
from torch import nn

from toposcope.proto.graph_pb2 import GraphProto
from toposcope.recorder import Node, SummaryRecord, graph

IMAGES = torch.randn(2, 1, 8, 8)


def graphs(recorder: SummaryRecord, read_events: ReadEvents) -> list[GraphProto]:
    recorder.flush()
    return [event.graph_def for event in read_events(recorder.log_dir) if event.HasField("graph_def")]


def test_the_graph_is_recorded_once_after_the_first_call(tmp_path: Path, read_events: ReadEvents) -> None:
    network = DigitsNet()
    with SummaryRecord(tmp_path, network=network) as recorder:
        recorder.record(1)
        assert not graphs(recorder, read_events)
        for step in (2, 3, 4):
            network(IMAGES)
            assert recorder.record(step)
        (recorded,) = graphs(recorder, read_events)
    assert recorded.name == "DigitsNet"
    assert [node.op_type for node in recorded.node] == ["conv2d", "relu", "conv2d", "relu", "flatten", "linear"]


def test_the_graph_of_a_network_passed_to_record_is_recorded_later(tmp_path: Path, read_events: ReadEvents) -> None:
    network = DigitsNet()
    with SummaryRecord(tmp_path) as recorder:
        recorder.record(1, train_network=network)
        network(IMAGES)
        recorder.record(2)
        network(IMAGES)
        recorder.record(3, train_network=network)
        assert len(graphs(recorder, read_events)) == 1


def test_of_two_networks_the_one_that_was_called_is_recorded(tmp_path: Path, read_events: ReadEvents) -> None:
    first, second = DigitsNet(), nn.Linear(2, 2)
    with SummaryRecord(tmp_path, network=first) as recorder:
        for step in range(3):
            recorder.record(step, train_network=second)
        second(torch.randn(1, 2))
        recorder.record(4)
        first(IMAGES)
        recorder.record(5)
        assert [each.name for each in graphs(recorder, read_events)] == ["Linear"]


def test_alternating_networks_are_both_observed(tmp_path: Path, read_events: ReadEvents) -> None:
    generator, critic = nn.Linear(2, 2), nn.Bilinear(2, 2, 1)
    with SummaryRecord(tmp_path) as recorder:
        for step in range(3):
            recorder.record(step, train_network=generator)
            recorder.record(step, train_network=critic)
            critic(generator(torch.randn(1, 2)), torch.randn(1, 2))
        assert [each.name for each in graphs(recorder, read_events)] == ["Linear"]


@pytest.mark.parametrize("wrap", [nn.DataParallel, lambda module: torch.compile(module, backend="eager")])
def test_wrapped_networks_are_recorded(tmp_path: Path, read_events: ReadEvents, wrap: Any) -> None:
    network = wrap(DigitsNet())
    with SummaryRecord(tmp_path, network=network) as recorder:
        network(IMAGES)
        recorder.record(1)
        assert [each.name for each in graphs(recorder, read_events)] == ["DigitsNet"]


IN_A_GROUP = """
import os, sys
import torch
from torch import nn
from toposcope.recorder import SummaryRecord

torch.distributed.init_process_group("gloo", init_method=f"file://{sys.argv[1]}_ranks", rank=0, world_size=1)
network = nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(4, 4), nn.ReLU()))
with SummaryRecord(sys.argv[1], network=network) as recorder:
    network(torch.randn(4, 4)).sum().backward()
    assert recorder.record(1)
    print(recorder.log_dir)
network(torch.randn(4, 4)).sum().backward()
sys.stdout.flush()
os._exit(0)  # Process groups of PyTorch now and then wait for ever for their threads while they are taken down.
"""


def test_a_network_of_several_processes_is_recorded(
    programs: TorchPrograms, tmp_path: Path, read_events: ReadEvents
) -> None:
    events = read_events(programs.run(IN_A_GROUP, tmp_path / "run", folder=tmp_path).strip())
    assert [event.graph_def.name for event in events if event.HasField("graph_def")] == ["Sequential"]


def test_the_module_inside_a_wrapper_may_be_recorded(tmp_path: Path, read_events: ReadEvents) -> None:
    network = DigitsNet()
    with SummaryRecord(tmp_path, network=network) as recorder:
        nn.DataParallel(network)(IMAGES)
        recorder.record(1)
        assert [each.name for each in graphs(recorder, read_events)] == ["DigitsNet"]


def test_a_compiled_network_is_not_disturbed(tmp_path: Path, read_events: ReadEvents) -> None:
    """A graph break would be an error here. The compiler skips the hook, so there are no inputs and no graph yet."""
    network = DigitsNet()
    with SummaryRecord(tmp_path, network=network) as recorder:
        compiled = torch.compile(network, backend="eager", fullgraph=True)
        compiled(IMAGES)
        recorder.record(1)
        assert not graphs(recorder, read_events)
        network(IMAGES)
        recorder.record(2)
        assert len(graphs(recorder, read_events)) == 1


def test_keyword_inputs_are_observed(tmp_path: Path, read_events: ReadEvents) -> None:
    network = nn.Linear(3, 4)
    with SummaryRecord(tmp_path, network=network) as recorder:
        network(input=torch.randn(2, 3))
        recorder.record(1)
        (recorded,) = graphs(recorder, read_events)
    assert [parameter.name for parameter in recorded.parameters] == ["weight", "bias", "input"]


def test_hook_and_batch_are_released_after_the_first_call(tmp_path: Path) -> None:
    network, batch = DigitsNet(), torch.randn(2, 1, 8, 8)
    remembered = weakref.ref(batch)
    with SummaryRecord(tmp_path, network=network):
        assert len(network._forward_pre_hooks) == 1
        with torch.no_grad():
            network(batch)
        assert not network._forward_pre_hooks
        del batch
        gc.collect()
        assert remembered() is None


def test_the_network_is_released_when_its_graph_is_recorded(tmp_path: Path) -> None:
    network = Perceptron()
    remembered = weakref.ref(network)
    with SummaryRecord(tmp_path, network=network) as recorder:
        network(torch.randn(4, 4))
        recorder.record(1)
        del network
        gc.collect()
        assert remembered() is None


def saved(module: nn.Module) -> nn.Module:
    file = io.BytesIO()
    torch.save(module, file)
    file.seek(0)
    loaded: nn.Module = torch.load(file, weights_only=False)
    return loaded


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda module: pickle.loads(pickle.dumps(module)), saved])
def test_an_observed_network_can_be_copied(tmp_path: Path, read_events: ReadEvents, copied: Any) -> None:
    network = DigitsNet()
    with SummaryRecord(tmp_path, network=network) as recorder:
        copy_of_network = copied(network)
        assert torch.equal(copy_of_network(IMAGES), copy_of_network(IMAGES))
        recorder.record(1)
        assert not graphs(recorder, read_events)
        network(IMAGES)
        recorder.record(2)
        assert len(graphs(recorder, read_events)) == 1


def test_a_copy_of_an_observed_network_needs_no_toposcope(tmp_path: Path) -> None:
    network = nn.Linear(2, 2)
    with SummaryRecord(tmp_path, network=network):
        assert b"toposcope.recorder" not in pickle.dumps(network)


def test_a_network_that_cannot_be_traced_does_not_stop_training(tmp_path: Path, read_events: ReadEvents) -> None:
    network = Branching()
    with SummaryRecord(tmp_path, network=network, raise_exception=True) as recorder:
        for step in (1, 2):
            loss = network(torch.randn(4, 3)).sum()
            loss.backward()
            recorder.add_value("scalar", "loss", loss)
            assert recorder.record(step)
        (recorded,) = graphs(recorder, read_events)
    assert "module tree (torch.export failed" in recorded.name


def test_inputs_that_raise_do_not_stop_training(tmp_path: Path, read_events: ReadEvents) -> None:
    class Odd(dict[str, Any]):
        def items(self) -> Any:
            raise RuntimeError("no items")

        keys = values = __iter__ = items

    class Net(nn.Module):
        def forward(self, batch: Any) -> int:
            return 1

    network = Net()
    with SummaryRecord(tmp_path, network=network) as recorder:
        assert network(Odd(x=1)) == 1
        assert recorder.record(1)
        assert "module tree" in graphs(recorder, read_events)[0].name


@pytest.mark.parametrize("network", [1, "net", [nn.Linear(1, 1)], object(), nn.Linear, lambda x: x])
def test_other_objects_are_refused(tmp_path: Path, network: Any) -> None:
    with pytest.raises(TypeError, match=r"network must be a torch\.nn\.Module"):
        SummaryRecord(tmp_path / "new", network=network)
    assert not list(tmp_path.glob("new/*"))
    with SummaryRecord(tmp_path) as recorder:
        with pytest.raises(TypeError, match=r"train_network must be a torch\.nn\.Module"):
            recorder.record(1, train_network=network)
        recorder.record(1, train_network=graph([Node("relu", "ReLU")]))
        with pytest.raises(TypeError, match="train_network"):
            recorder.record(1, train_network=network)


def test_pytorch_is_not_imported_unless_it_is_used(tmp_path: Path) -> None:
    program = f"""
import sys
from toposcope.recorder import SummaryRecord
try:
    SummaryRecord({str(tmp_path)!r}, network=object())
except TypeError:
    pass
with SummaryRecord({str(tmp_path)!r}) as recorder:
    recorder.add_value("scalar", "loss", 1.0)
    recorder.record(1)
assert "torch" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
