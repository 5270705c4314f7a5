"""FlopsUtilizationCollector: the operations of a step, and the utilization that follows from its time."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from support.bowl_network import Bowl
from support.recorded_run import scalars_of
from torch import nn
from torch.utils.checkpoint import checkpoint

from toposcope.recorder.callbacks import FlopsUtilizationCollector, SummaryCollector
from toposcope.recorder.loggers import InMemoryLogger
from toposcope.recorder.train_thor import thor
from toposcope.recorder.training import Model
from toposcope.recorder.training.watch import watch

# Forward: 2 * 32 * 10 * 20 and 2 * 32 * 20 * 5. Backward: both for the weights, the second for its input.
FORWARD, SECOND = 2 * 32 * (10 * 20 + 20 * 5), 2 * 32 * 20 * 5
STEP = 2 * FORWARD + SECOND


class Net(nn.Sequential):
    """Two layers, whose activations are computed again in the backward pass if asked."""

    def __init__(self, *, recomputes: bool = False) -> None:
        super().__init__(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 5))
        self.recomputes = recomputes

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Return scores."""
        scores: torch.Tensor = (
            checkpoint(super().forward, inputs, use_reentrant=False) if self.recomputes else super().forward(inputs)
        )
        return scores


def batches(count: int = 6) -> list[tuple[torch.Tensor, torch.Tensor]]:
    return [(torch.randn(32, 10), torch.randint(5, (32,))) for _ in range(count)]


def sgd(net: nn.Module) -> torch.optim.Optimizer:
    return torch.optim.SGD(net.parameters(), 0.1)


def train(net: nn.Module, *callbacks: Any, optimizer: Callable[..., Any] = sgd, **arguments: Any) -> None:
    Model(net, nn.CrossEntropyLoss(), optimizer(net), **arguments).train(1, batches(), callbacks=list(callbacks))


def counts_in(text: str) -> list[int]:
    """Return the numbers of the first line."""
    return [int(number) for number in re.findall(r"is (\d+)", text.splitlines()[0])]


def test_the_operations_of_a_step_are_counted_and_the_utilization_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And recorded by a SummaryCollector and by loggers at the same steps."""
    logger = InMemoryLogger()
    collector = FlopsUtilizationCollector(2, computility=1e9)
    train(Net(), collector, SummaryCollector(tmp_path), loggers=logger)

    first, *others = capsys.readouterr().out.splitlines()
    assert first == (
        f"Full model flops is {STEP}, Full hardware flops is {STEP}, "
        f"Shard model flops is {STEP}, Shard hardware flops is {STEP}."
    )
    number = r"(\d+\.\d+)"
    lines = [re.fullmatch(rf"Train per step time: {number} ms, mfu:{number}% hfu:{number}%", line) for line in others]
    assert len(lines) == 3
    mfu = scalars_of(tmp_path, "throughput/mfu")
    assert list(mfu) == [2, 4, 6]
    assert mfu == scalars_of(tmp_path, "throughput/hfu")
    rates = scalars_of(tmp_path, "throughput/flops_per_second")
    for line, step in zip(lines, mfu, strict=True):
        assert line is not None
        assert float(line[2]) == pytest.approx(100 * mfu[step], abs=0.01)
        assert float(line[1]) == pytest.approx(1e3 * STEP / rates[step], abs=0.01)
        assert mfu[step] == pytest.approx(rates[step] / 1e9)
    assert [float(value) for _, value in logger.data["throughput/mfu"]] == pytest.approx(list(mfu.values()))


def test_recomputed_activations_belong_to_the_hardware_only(capsys: pytest.CaptureFixture[str]) -> None:
    """The recomputation ends when the last saved activation is known."""
    train(Net(recomputes=True), FlopsUtilizationCollector(10, full_flops=False))

    assert counts_in(capsys.readouterr().out) == [STEP, STEP + FORWARD - SECOND]


@pytest.mark.parametrize("is_watched", [True, False])
def test_operations_of_the_optimizer_are_left_out(is_watched: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """THOR multiplies matrices in its step, and in the backward pass of its first step."""
    net, collector = Net(), FlopsUtilizationCollector(2, full_flops=False)
    optimizer = thor(net, 0.1, 0.1, 0.9, frequency=3)
    if is_watched:
        with watch(collector, net, optimizer) as run:
            for inputs, labels in batches():
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(net(inputs), labels)
                loss.backward()
                optimizer.step()
                run.step(loss)
    else:
        train(net, collector, optimizer=lambda _: optimizer)

    out = capsys.readouterr().out
    assert counts_in(out) == [STEP, STEP]
    assert out.count("per step time") == 2


def test_compiled_networks_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    """As eager ones."""
    net: Any = torch.compile(Net(), backend="aot_eager")
    with pytest.warns(UserWarning, match="global hooks"):  # Those of torch.utils.flop_counter.
        train(net, FlopsUtilizationCollector(10, full_flops=False))
    assert counts_in(capsys.readouterr().out) == [STEP, STEP]


def test_a_loop_of_the_user(capsys: pytest.CaptureFixture[str]) -> None:
    """The micro-batches of a step count together."""
    net = Net()
    optimizer = sgd(net)
    with watch(FlopsUtilizationCollector(2, computility=1e9), net, optimizer) as run:
        for _ in range(4):
            optimizer.zero_grad()
            for part in range(2):
                ((inputs, labels),) = batches(1)
                loss = nn.functional.cross_entropy(net(inputs), labels)
                loss.backward()
                if part == 1:
                    optimizer.step()
                run.step(loss)

    out = capsys.readouterr().out
    assert counts_in(out) == [2 * STEP] * 4
    assert out.count("mfu:") == 2


def test_without_a_known_performance_there_is_no_utilization(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only the operations per second."""
    train(Net(), FlopsUtilizationCollector(3), SummaryCollector(tmp_path))

    assert "mfu" not in capsys.readouterr().out
    assert list(scalars_of(tmp_path, "throughput/flops_per_second")) == [3, 6]


def test_a_network_without_products_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    class Scale(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale = nn.Parameter(torch.ones(10))

        def forward(self, inputs: torch.Tensor) -> torch.Tensor:
            return inputs * self.scale

    train(Scale(), FlopsUtilizationCollector(3))
    assert "no operations that PyTorch can count" in caplog.text


def test_counting_ends_with_a_failed_first_step(capsys: pytest.CaptureFixture[str]) -> None:
    """Later operations of the program are not observed; the collector may be used again."""
    collector = FlopsUtilizationCollector(10)
    with pytest.raises(RuntimeError):
        Model(Net(), nn.CrossEntropyLoss()).train(1, [(torch.ones(3, 3), torch.ones(3))], callbacks=collector)
    assert not nn.modules.module._global_forward_hooks
    train(Net(), collector)
    assert counts_in(capsys.readouterr().out) == [STEP] * 4


def test_files_for_the_cloud(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the format of MindSpore's class."""
    monkeypatch.setenv("MA_LOG_DIR", str(tmp_path))
    train(Net(), FlopsUtilizationCollector(3, enable_ma_collector=True))

    first, second = (tmp_path / "flops_rank_0.txt").read_text().splitlines()
    assert re.fullmatch(rf'flops{{type="model_flops", rank_id="0"}} {STEP} \d{{13}}', first)
    assert re.fullmatch(rf'flops{{type="hardware_flops", rank_id="0"}} {STEP} \d{{13}}', second)
    (line,) = (tmp_path / "time_step_rank_0.txt").read_text().splitlines()
    assert re.fullmatch(r'time_monitor{type="per_step_time", rank_id="0"} \d+\.\d+ \d{13}', line)


def test_networks_of_other_kinds_are_an_error() -> None:
    """The message says what is expected."""
    with pytest.raises(TypeError, match=r"of a torch\.nn\.Module, not of <.*bowl"):
        Model(Bowl()).train(1, [(1.0,)], callbacks=FlopsUtilizationCollector(1))


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"data_size": 0}, ValueError),
        ({"data_size": 1.5}, TypeError),
        ({"data_size": True}, TypeError),
        ({"computility": 0}, ValueError),
        ({"computility": float("nan")}, ValueError),
        ({"computility": "1e12"}, TypeError),
        ({"full_flops": 1}, TypeError),
        ({"enable_ma_collector": None}, TypeError),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], error: type[Exception]) -> None:
    """The error names the argument."""
    with pytest.raises(error, match=next(iter(arguments))):
        FlopsUtilizationCollector(**{"data_size": 1, **arguments})
