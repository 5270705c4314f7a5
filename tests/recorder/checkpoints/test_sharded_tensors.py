"""Checkpoints of networks whose tensors are sharded over two processes, connected by gloo."""

import json
import textwrap
from pathlib import Path

import pytest
import torch
from support.torch_programs import TorchPrograms

from toposcope.recorder.checkpoints import load_checkpoint

CASES: dict[str, dict[str, object]] = {
    "steps": {"save_checkpoint_steps": 2},
    "seconds": {"save_checkpoint_seconds": 1000, "async_save": True},
    "parts": {"integrated_save": False, "save_checkpoint_steps": 2, "remove_redundancy": True},
    "raises": {"save_checkpoint_steps": 100, "exception_save": True},
}
TRAINING = """
    import json, os, sys
    import torch
    import torch.distributed as dist
    from torch.distributed.fsdp import fully_shard
    from torch.distributed.device_mesh import init_device_mesh
    from toposcope.recorder.callbacks.checkpoint_config import CheckpointConfig
    from toposcope.recorder.callbacks.model_checkpoint import ModelCheckpoint
    from toposcope.recorder.checkpoints import load_checkpoint, restore
    from toposcope.recorder.training.events.run_context import RunContext

    rank, directory = int(os.environ["RANK"]), sys.argv[1]
    dist.init_process_group("gloo", init_method=f"file://{directory}/meeting", rank=rank, world_size=2)
    mesh = init_device_mesh("cpu", (2,))

    def network_and_optimizer(seed):
        torch.manual_seed(seed)
        network = torch.nn.Sequential(torch.nn.BatchNorm1d(5), torch.nn.Linear(5, 3))
        fully_shard(network[1], mesh=mesh)
        return network, torch.optim.Adam(network.parameters(), lr=0.01)

    def step_once(network, optimizer):
        torch.manual_seed(7)
        optimizer.zero_grad()
        network(torch.randn(8, 5)).square().sum().backward()
        optimizer.step()

    def train(saved, arguments):
        network, optimizer = network_and_optimizer(0)
        checkpoint = ModelCheckpoint("net", saved, CheckpointConfig(**arguments))
        context = RunContext({"cur_step_num": 0, "network": network, "optimizer": optimizer, "batch_num": 2})
        checkpoint.on_train_begin(context)
        for step in (1, 2):
            step_once(network, optimizer)
            context.original_args().cur_step_num = step
            checkpoint.on_train_step_end(context)
        if "exception_save" in arguments:
            if rank == 1:
                checkpoint.__exit__(ValueError, ValueError("wrong"), None)
            return
        checkpoint.on_train_end(context)
        dist.barrier()

        other, other_optimizer = network_and_optimizer(1)
        step_once(other, other_optimizer)
        if arguments.get("integrated_save", True):
            loaded = load_checkpoint(f"{saved}/net-1_2.ckpt")
        else:  # Tensors that are not sharded have been saved by rank 0 only.
            parts = [load_checkpoint(f"{saved}/net-1_2_rank_{part}.ckpt") for part in (0, rank)]
            loaded = parts[1]._replace(network={**parts[0].network, **parts[1].network})
        restore(loaded, other, other_optimizer)
        for pair in ((network, optimizer), (other, other_optimizer)):
            step_once(*pair)
        for ours, theirs in zip(network.state_dict().values(), other.state_dict().values(), strict=True):
            assert torch.equal(getattr(ours, "to_local", lambda: ours)(), getattr(theirs, "to_local", lambda: theirs)())
        dist.barrier()

    for name, arguments in json.loads(sys.argv[2]).items():
        train(f"{directory}/{name}", arguments)
    dist.barrier()  # Gloo aborts a process whose peer ends first.
    dist.destroy_process_group()
    os._exit(0)  # Threads of PyTorch sometimes abort at interpreter exit.
"""


@pytest.fixture(scope="module")
def directory(programs: TorchPrograms, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory in which two processes have saved checkpoints, with a folder for each of CASES."""
    directory = tmp_path_factory.mktemp("sharded")
    programs.run(textwrap.dedent(TRAINING), directory, json.dumps(CASES), folder=directory, ranks=2)
    return directory


def names_in(folder: Path) -> list[str]:
    """Return the names of the files in a folder, but for the hidden manifest."""
    return sorted(file.name for file in folder.iterdir() if not file.name.startswith("."))


def train_unsharded() -> tuple[dict[str, torch.Tensor], dict[str, object]]:
    """Return the states of the same training in one process: both processes use the same batches."""
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.BatchNorm1d(5), torch.nn.Linear(5, 3))
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    for _ in range(2):
        torch.manual_seed(7)
        optimizer.zero_grad()
        network(torch.randn(8, 5)).square().sum().backward()
        optimizer.step()
    return network.state_dict(), optimizer.state_dict()


@pytest.mark.parametrize("case", ["steps", "seconds"])
def test_one_file_contains_the_whole_tensors(directory: Path, case: str) -> None:
    """Network and optimizer are equal to those of an unsharded training, and can be restored to a sharded one.

    With save_checkpoint_seconds rank 0 decides: if the clocks of the processes disagreed, gathering would block.
    """
    assert names_in(directory / case) == ["net-1_2.ckpt"]
    checkpoint = load_checkpoint(directory / case / "net-1_2.ckpt")
    network, optimizer = train_unsharded()
    assert checkpoint.network.keys() == network.keys()
    for name, tensor in network.items():
        assert type(checkpoint.network[name]) is torch.Tensor
        torch.testing.assert_close(checkpoint.network[name], tensor)
    assert checkpoint.optimizer is not None
    torch.testing.assert_close(checkpoint.optimizer, optimizer)


def test_each_rank_saves_its_shards_if_they_are_not_gathered(directory: Path) -> None:
    """With remove_redundancy only rank 0 saves the tensors that are not sharded."""
    names = names_in(directory / "parts")
    assert names == ["net-1_2_rank_0.ckpt", "net-1_2_rank_1.ckpt"]
    parts = [load_checkpoint(directory / "parts" / name).network for name in names]
    weights = [part["1.weight"] for part in parts]
    assert [tuple(weight.shape) for weight in weights] == [(2, 5), (1, 5)]
    torch.testing.assert_close(torch.cat(weights), train_unsharded()[0]["1.weight"])
    assert parts[0].keys() == train_unsharded()[0].keys()
    assert parts[1].keys() == {"1.weight", "1.bias"}


def test_process_that_raises_saves_its_shards_without_waiting_for_others(directory: Path) -> None:
    names = names_in(directory / "raises")
    assert names == ["net-1_2_rank_1_breakpoint.ckpt"]
    assert tuple(load_checkpoint(directory / "raises" / names[0]).network["1.weight"].shape) == (1, 5)
