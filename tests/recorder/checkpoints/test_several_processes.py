"""Networks whose tensors several processes share: two of them, joined by gloo."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import torch

from toposcope.recorder.checkpoints import load_checkpoint

TRAINING = """
    import json, sys, warnings
    import torch
    import torch.distributed as dist
    from torch.distributed.fsdp import fully_shard
    from torch.distributed.device_mesh import init_device_mesh
    from toposcope.recorder.callbacks.checkpoint_config import CheckpointConfig
    from toposcope.recorder.callbacks.model_checkpoint import ModelCheckpoint
    from toposcope.recorder.checkpoints import load_checkpoint, restore
    from toposcope.recorder.training.run_context import RunContext

    rank, directory, arguments = int(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3])
    raises = arguments.pop("raises", False)
    dist.init_process_group("gloo", init_method=f"file://{directory}/meeting", rank=rank, world_size=2)

    def network_and_optimizer(seed, shards):
        torch.manual_seed(seed)
        network = torch.nn.Sequential(torch.nn.BatchNorm1d(5), torch.nn.Linear(5, 3))
        if shards:
            fully_shard(network[1], mesh=init_device_mesh("cpu", (2,)))
        return network, torch.optim.Adam(network.parameters(), lr=0.01)

    def train(network, optimizer):
        torch.manual_seed(7)
        optimizer.zero_grad()
        network(torch.randn(8, 5)).square().sum().backward()
        optimizer.step()

    network, optimizer = network_and_optimizer(0, shards=True)
    checkpoint = ModelCheckpoint("net", f"{directory}/saved", CheckpointConfig(**arguments))
    context = RunContext({"cur_step_num": 0, "network": network, "optimizer": optimizer, "batch_num": 2})
    checkpoint.on_train_begin(context)
    for step in (1, 2):
        train(network, optimizer)
        context.original_args().cur_step_num = step
        checkpoint.on_train_step_end(context)
    if raises:
        if rank == 1:
            checkpoint.__exit__(ValueError, ValueError("wrong"), None)
        sys.exit()
    checkpoint.on_train_end(context)
    dist.barrier()

    other, other_optimizer = network_and_optimizer(1, shards=True)
    train(other, other_optimizer)
    if arguments.get("integrated_save", True):
        loaded = load_checkpoint(f"{directory}/saved/net-1_2.ckpt")
    else:  # What is not shared, only rank 0 has saved.
        parts = [load_checkpoint(f"{directory}/saved/net-1_2_rank_{each}.ckpt") for each in (0, rank)]
        loaded = parts[1]._replace(network={**parts[0].network, **parts[1].network})
    restore(loaded, other, other_optimizer)
    for each in ((network, optimizer), (other, other_optimizer)):
        train(*each)
    for ours, theirs in zip(network.state_dict().values(), other.state_dict().values(), strict=True):
        assert torch.equal(getattr(ours, "to_local", lambda: ours)(), getattr(theirs, "to_local", lambda: theirs)())
    dist.barrier()
    dist.destroy_process_group()
"""


def train(directory: Path, arguments: str) -> list[str]:
    """Train with two processes that save into directory/saved; return the names of the files."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "WORLD_SIZE": "2"}
    command = [sys.executable, "-c", textwrap.dedent(TRAINING)]
    ranks = [
        subprocess.Popen([*command, str(rank), str(directory), arguments], env={**environment, "RANK": str(rank)})
        for rank in range(2)
    ]
    try:
        assert [rank.wait(timeout=60) for rank in ranks] == [0, 0]
    finally:
        for rank in ranks:
            rank.kill()
    return sorted(file.name for file in (directory / "saved").iterdir())


def trained_alone() -> tuple[dict[str, torch.Tensor], dict[str, object]]:
    """Return the states of the same training without sharing: both processes see the same batches."""
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.BatchNorm1d(5), torch.nn.Linear(5, 3))
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    for _ in range(2):
        torch.manual_seed(7)
        optimizer.zero_grad()
        network(torch.randn(8, 5)).square().sum().backward()
        optimizer.step()
    return network.state_dict(), optimizer.state_dict()


@pytest.mark.parametrize(
    "arguments", ['{"save_checkpoint_steps": 2}', '{"save_checkpoint_seconds": 1000, "async_save": true}']
)
def test_one_file_holds_the_whole_tensors(tmp_path: Path, arguments: str) -> None:
    """Network and optimizer are those of a training that shares nothing, and can be shared out again.

    When seconds decide, the clocks of the processes need not agree: rank 0 decides, or gathering would never end.
    """
    names = train(tmp_path, arguments)
    assert names == ["net-1_2.ckpt"]
    checkpoint = load_checkpoint(tmp_path / "saved" / names[0])
    network, optimizer = trained_alone()
    assert checkpoint.network.keys() == network.keys()
    for name, tensor in network.items():
        assert type(checkpoint.network[name]) is torch.Tensor
        torch.testing.assert_close(checkpoint.network[name], tensor)
    assert checkpoint.optimizer is not None
    torch.testing.assert_close(checkpoint.optimizer, optimizer)


def test_each_rank_saves_its_parts_when_they_are_not_gathered(tmp_path: Path) -> None:
    """And rank 0 alone what is not shared, when nothing is to be saved twice."""
    names = train(tmp_path, '{"integrated_save": false, "save_checkpoint_steps": 2, "remove_redundancy": true}')
    assert names == ["net-1_2_rank_0.ckpt", "net-1_2_rank_1.ckpt"]
    parts = [load_checkpoint(tmp_path / "saved" / name).network for name in names]
    weights = [part["1.weight"] for part in parts]
    assert [tuple(weight.shape) for weight in weights] == [(2, 5), (1, 5)]
    torch.testing.assert_close(torch.cat(weights), trained_alone()[0]["1.weight"])
    assert parts[0].keys() == trained_alone()[0].keys()
    assert parts[1].keys() == {"1.weight", "1.bias"}


def test_process_that_raises_saves_its_parts_without_waiting_for_the_others(tmp_path: Path) -> None:
    names = train(tmp_path, '{"save_checkpoint_steps": 100, "exception_save": true, "raises": true}')
    assert names == ["net-1_2_rank_1_breakpoint.ckpt"]
    assert tuple(load_checkpoint(tmp_path / "saved" / names[0]).network["1.weight"].shape) == (1, 5)
