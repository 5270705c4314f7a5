"""THOR in several processes: factors are averaged, so that two processes equal one with the joined batch."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from support.torch_programs import TorchPrograms
from torch import Tensor, distributed, nn
from torch.nn.parallel import DistributedDataParallel

from toposcope.recorder.frameworks.torch.thor import ranks
from toposcope.recorder.frameworks.torch.thor.curvature.inverse import Block
from toposcope.recorder.frameworks.torch.thor.ranks import assigned
from toposcope.recorder.train_thor import thor

_OPTIONS: dict[str, Any] = {"learning_rate": 0.1, "damping": 0.1, "momentum": 0.9, "frequency": 2}


class Branches(nn.Module):
    """A network of which one layer is called only when asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.extra, self.last = nn.Linear(32, 5), nn.Linear(5, 5), nn.Linear(5, 3)
        self.calls_extra = True

    def forward(self, inputs: Tensor) -> Tensor:
        """Apply the layers."""
        hidden = self.first(inputs.flatten(1)).tanh()
        return self.last(self.extra(hidden) if self.calls_extra else hidden)


def network() -> nn.Module:
    """Return a network with a convolution, an embedding-free head and a norm."""
    torch.manual_seed(0)
    convolution = nn.Sequential(nn.Conv2d(2, 4, 3, padding=1, groups=2), nn.Tanh(), nn.Flatten())
    return nn.Sequential(convolution, nn.Linear(64, 5), nn.LayerNorm(5), nn.Linear(5, 3)).double()


def branches() -> nn.Module:
    """Return a network with a layer that is not always called."""
    torch.manual_seed(0)
    return Branches().double()


def data() -> tuple[Tensor, Tensor]:
    """Return inputs and targets of six batches of eight samples."""
    torch.manual_seed(1)
    return torch.randn(6, 8, 2, 4, 4).double(), torch.randn(6, 8, 3).double()


def train(
    net: nn.Module, optimizer: Any, rank: int = 0, world: int = 1, prepare: Callable[[int], Any] | None = None
) -> None:
    """Train on the share of each batch that belongs to a rank."""
    for step, (inputs, targets) in enumerate(zip(*data(), strict=True)):
        optimizer.zero_grad()
        scale = prepare(step) if prepare is not None else 1.0
        outputs = net(inputs[rank::world] * scale)
        optimizer.sample_fisher(outputs, "normal")
        (outputs - targets[rank::world]).square().sum(1).mean().backward()
        optimizer.step()


def optimizer_of(case: str, net: nn.Module) -> Any:
    """Return the optimizer of a case."""
    options: dict[str, Any] = {
        "blocks": {"block_size": 4},
        "traces": {"trace_thresholds": (0.05, 0.01)},
        "sampled": {"fisher": "sampled"},
    }
    return thor(net, **_OPTIONS, **options.get(case, {}))


_CASES = (
    "whole",
    "blocks",
    "traces",
    "sampled",
    "uncalled on one rank",
    "uncalled on all ranks",
    "not finite on one rank",
)


def run_case(case: str, rank: int) -> dict[str, Any]:
    """Train as one of two processes."""
    is_branched = case.startswith("uncalled")
    net = branches() if is_branched else network()
    optimizer = optimizer_of(case, net)
    parallel = DistributedDataParallel(net, find_unused_parameters=is_branched)

    def prepare(step: int) -> float:
        if is_branched:
            assert isinstance(net, Branches)
            net.calls_extra = step > 3 or (case == "uncalled on one rank" and rank == 0)
        return float("inf") if case.startswith("not finite") and rank == 1 and step == 2 else 1.0

    train(parallel, optimizer, rank, 2, prepare)
    decisions = {name: each.decision for name, each in optimizer.curvatures.items()}
    return {"weights": net.state_dict(), "decisions": decisions}


def run_rank(rank: int, folder: Path) -> None:
    """Run all cases as one of two processes; save the results."""
    torch.set_num_threads(1)
    distributed.init_process_group("gloo", f"file://{folder}/rendezvous", rank=rank, world_size=2)
    torch.save({case: run_case(case, rank) for case in _CASES}, folder / f"{rank}.pt")
    distributed.barrier()  # Gloo aborts a process whose peer ends first.
    distributed.destroy_process_group()


@pytest.fixture(scope="module")
def results(programs: TorchPrograms, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    """Return the results of two processes."""
    folder = tmp_path_factory.mktemp("ranks")
    program = f"""
import os, runpy
from pathlib import Path
runpy.run_path({__file__!r})["run_rank"](int(os.environ["RANK"]), Path({str(folder)!r}))
os._exit(0)  # PyTorch's threads occasionally abort or hang during interpreter shutdown.
"""
    programs.run(program, folder=folder, ranks=2)
    return torch.load(folder / "0.pt"), torch.load(folder / "1.pt")


@pytest.mark.parametrize("case", ["whole", "blocks", "traces"])
def test_oracle_8_two_processes_equal_one_with_the_joined_batch(case: str, results: tuple[Any, Any]) -> None:
    """Factors, inverses, decisions and updates of DistributedDataParallel are those of the joined batch."""
    net = network()
    optimizer = optimizer_of(case, net)
    train(net, optimizer)
    for name, value in net.state_dict().items():
        torch.testing.assert_close(value, results[0][case]["weights"][name])
    decisions = {name: each.decision for name, each in optimizer.curvatures.items()}
    assert decisions == results[0][case]["decisions"]


@pytest.mark.parametrize("case", _CASES)
def test_processes_stay_equal(case: str, results: tuple[Any, Any]) -> None:
    """All processes have the same weights; also when a layer is not called, or a batch not finite, in one of them."""
    first, second = (result[case] for result in results)
    assert first["decisions"] == second["decisions"]
    for name, value in first["weights"].items():
        if case.startswith("not finite"):  # The gradients are not finite in all processes, as with any optimizer.
            assert torch.equal(torch.isfinite(value), torch.isfinite(second["weights"][name]))
        else:
            assert torch.equal(value, second["weights"][name]), name
            assert torch.isfinite(value).all()


def test_layer_that_one_process_calls_is_refreshed(results: tuple[Any, Any]) -> None:
    """The factors of a layer are the mean over the processes that called it; if none did, they are missing."""
    assert results[1]["uncalled on one rank"]["decisions"]["extra"] == "refreshed"
    assert results[1]["uncalled on all ranks"]["decisions"]["extra"] == "refreshed"  # In the last steps.


def test_inversions_are_assigned_to_the_process_with_the_least_work() -> None:
    """The largest matrices are assigned first; all processes compute the same assignment."""
    assert assigned([1, 8, 27, 1, 8], 2) == [1, 1, 0, 1, 1]
    assert assigned([1, 1, 1], 4) == [0, 1, 2]


def test_each_inverse_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a group, a process inverts only its own blocks, and receives the others."""
    blocks = [Block(torch.eye(size)[None], (1.0,)) for size in (4, 3, 2)]
    sent: list[tuple[int, int]] = []
    monkeypatch.setattr(ranks, "number_of_ranks", lambda _: 2)
    monkeypatch.setattr(distributed, "get_rank", lambda _: 0)
    monkeypatch.setattr(distributed, "broadcast", lambda buffer, sender, _: sent.append((sender, len(buffer))))
    inverted = ranks.shared_inverses(blocks, lambda own: [2 * matrix for matrix, _ in own], None)
    assert sent == [(0, 1 + 10), (1, 1 + 6 + 1 + 3)]
    assert [each is not None for each in inverted] == [True, False, False]
