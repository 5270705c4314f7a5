"""SpeedMonitor: throughput over a window, and time."""

import time
from datetime import timedelta
from typing import Any

import pytest
from support.line_network import line_batches
from support.pytorch import torch
from support.tiny_training import logged_by, series, tiny_batches, tiny_network, tiny_trainer

from toposcope.recorder.event_callbacks import SpeedMonitor
from toposcope.recorder.event_callbacks.gpu_peak_flops import peak_flops
from toposcope.recorder.loggers import InMemoryLogger
from toposcope.recorder.training.events.event_callback import EventCallback
from toposcope.recorder.training.state.logger import Logger
from toposcope.recorder.training.state.state import State
from toposcope.recorder.training.watch import watch


class TimestampTrace(EventCallback):
    """Stores the timestamp of each batch."""

    def __init__(self) -> None:
        self.stamps: list[Any] = []

    def batch_end(self, state: State, logger: Logger) -> None:
        self.stamps.append(state.timestamp)


def with_tokens(state: State, samples: list[int], seconds: list[float], callback: SpeedMonitor) -> InMemoryLogger:
    """Run BATCH_END after batches of these samples, with 10 tokens each, and durations; return what was logged."""
    memory = InMemoryLogger()
    logger = Logger(state, memory)
    memory.init(state, logger)
    callback.init(state, logger)
    callback.fit_start(state, logger)
    for number, duration in zip(samples, seconds, strict=True):
        state.previous_timestamp = state.timestamp
        state.timestamp = state.timestamp.to_next_batch(number, 10 * number, timedelta(seconds=duration))
        callback.batch_end(state, logger)
    return memory


def test_rates_are_means_over_the_window_of_batches() -> None:
    """The slow version: sums over the last two batches."""
    samples, seconds = [4, 8, 2, 6, 4], [1.0, 0.5, 0.25, 2.0, 0.5]
    memory = with_tokens(State(), samples, seconds, SpeedMonitor(window_size=2, time_unit="seconds"))

    for name, weight in (("batches", [1] * 5), ("samples", samples), ("tokens", [10 * each for each in samples])):
        expected = [
            (last + 1, pytest.approx(sum(weight[last - 1 : last + 1]) / sum(seconds[last - 1 : last + 1])))
            for last in range(2, 5)
        ]
        assert series(memory, f"throughput/{name}_per_sec") == expected
        assert series(memory, f"throughput/device/{name}_per_sec") == expected
    assert [value for _, value in series(memory, "time/train")] == pytest.approx([1.0, 1.5, 1.75, 3.75, 4.25])
    assert not any("flops" in name for name in memory.data)


def test_all_processes_count_as_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rates of samples are the sum over the processes, those of the device this process's."""
    monkeypatch.setenv("WORLD_SIZE", "4")
    memory = with_tokens(State(), [4, 4, 4], [0.5, 0.5, 0.5], SpeedMonitor(1))

    assert memory.most_recent_values["throughput/samples_per_sec"] == pytest.approx(32)
    assert memory.most_recent_values["throughput/device/samples_per_sec"] == pytest.approx(8)
    assert memory.most_recent_values["throughput/batches_per_sec"] == pytest.approx(2)
    assert memory.most_recent_values["throughput/device/batches_per_sec"] == pytest.approx(0.5)


def test_a_step_without_duration_has_no_rate() -> None:
    """Clocks may be coarse."""
    memory = with_tokens(State(), [4, 4], [0.0, 0.0], SpeedMonitor(1))

    assert set(memory.data) == {"time/train", "time/val", "time/total"}


def test_first_rate_follows_the_first_full_window() -> None:
    """Of five batches, the third to the fifth have a window of two; tokens are unknown."""
    trace = TimestampTrace()
    memory = InMemoryLogger()
    with tiny_trainer([SpeedMonitor(2), trace], [memory]) as trainer:
        trainer.fit()

    stamps = trace.stamps
    seconds = [(stamps[i].total_wct - stamps[i - 2].total_wct).total_seconds() for i in range(2, 5)]
    assert series(memory, "throughput/samples_per_sec") == [
        (number, pytest.approx(8 / each)) for number, each in zip((3, 4, 5), seconds, strict=True)
    ]
    assert "throughput/tokens_per_sec" not in memory.data
    assert len(series(memory, "time/total")) == 5


def test_tokens_are_those_of_the_input_ids_or_of_the_dataset() -> None:
    """A watched loop with mappings, and a loader whose dataset has sequences of 7 tokens."""
    memory = InMemoryLogger()
    with watch(SpeedMonitor(1), loggers=memory) as run:
        for _ in range(3):
            run.step(1.0, {"input_ids": torch.zeros(4, 5), "labels": torch.zeros(4)})
    pairs = zip(series(memory, "throughput/tokens_per_sec"), series(memory, "throughput/samples_per_sec"), strict=True)
    assert all(tokens[1] == pytest.approx(5 * samples[1]) for tokens, samples in pairs)
    assert int(run.state.timestamp.token) == 60

    class Sequences(list[Any]):
        max_seq_len = 7

    pairs_of_tensors = Sequences(zip(torch.randn(8, 3), torch.zeros(8).long(), strict=True))
    loader: Any = torch.utils.data.DataLoader(pairs_of_tensors, 4)  # type: ignore[arg-type, unused-ignore]
    memory = logged_by(SpeedMonitor(1), model=tiny_network(), train_dataloader=loader)
    ((batch, tokens),) = series(memory, "throughput/tokens_per_sec")
    assert (batch, tokens) == (2, pytest.approx(7 * memory.most_recent_values["throughput/samples_per_sec"]))
    assert series(memory, "time/token")[-1] == (2, 56)


def test_waiting_for_data_counts_and_evaluation_does_not() -> None:
    """The loader delays each batch; the evaluation is much slower than the training."""

    class SlowLoader:
        def __init__(self, seconds: float) -> None:
            self.seconds = seconds

        def __iter__(self) -> Any:
            for batch in line_batches(3):
                time.sleep(self.seconds)
                yield batch

        def __len__(self) -> int:
            return 3

    memory = logged_by(
        SpeedMonitor(1, time_unit="seconds"),
        train_dataloader=SlowLoader(0.02),
        eval_dataloader=line_batches(1, samples=1),
        max_duration="2ep",
    )
    rates = [value for _, value in series(memory, "throughput/batches_per_sec")]
    assert max(rates) < 1 / 0.02
    train, val, total = (memory.most_recent_values[f"time/{name}"] for name in ("train", "val", "total"))
    assert train > 6 * 0.02
    assert 0 < val < total
    assert total == pytest.approx(train + val)


def test_evaluation_time_of_a_watched_loop_is_known() -> None:
    """It is the time between the last step and the report of the results."""
    memory = InMemoryLogger()
    with watch(SpeedMonitor(time_unit="seconds"), loader=range(1), loggers=memory) as run:
        run.step(1.0)
        time.sleep(0.05)
        run.eval({"accuracy": 0.5})
        run.step(1.0)

    assert memory.most_recent_values["time/val"] >= 0.05
    assert memory.most_recent_values["time/train"] < memory.most_recent_values["time/total"] - 0.04


def test_flops_are_those_that_the_model_gives() -> None:
    """100 per sample; with a peak, MFU is the share of it."""
    network = tiny_network()
    network.flops_per_batch = lambda batch: 100.0 * len(batch[0])  # type: ignore[assignment, unused-ignore]
    memory = logged_by(SpeedMonitor(2, gpu_flops_available=1e6), model=network)

    pairs = zip(series(memory, "throughput/flops_per_sec"), series(memory, "throughput/samples_per_sec"), strict=True)
    for flops, samples in pairs:
        assert flops == (samples[0], pytest.approx(100 * samples[1]))
    mfu = memory.most_recent_values["throughput/device/mfu"]
    assert mfu == pytest.approx(memory.most_recent_values["throughput/flops_per_sec"] / 1e6)


def test_flops_of_accumulated_micro_batches_are_all_counted() -> None:
    """A step of a watched loop with three micro-batches has three times the FLOPs of its newest batch."""
    network = tiny_network()
    network.flops_per_batch = lambda batch: 100.0 * len(batch[0])  # type: ignore[assignment, unused-ignore]
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    memory = InMemoryLogger()
    batches = tiny_batches(9)
    with watch(SpeedMonitor(1), network, optimizer, loader=batches, loggers=memory) as run:
        for number, batch in enumerate(batches):
            loss = torch.nn.functional.cross_entropy(network(batch[0]), batch[1])
            loss.backward()
            if number % 3 == 2:
                optimizer.step()
                optimizer.zero_grad()
            run.step(loss, batch)

    flops, samples = series(memory, "throughput/flops_per_sec"), series(memory, "throughput/samples_per_sec")
    assert [each[0] for each in flops] == [2, 3]
    assert [each[1] for each in flops] == pytest.approx([100 * each[1] for each in samples])


def test_flops_that_cannot_be_computed_do_not_end_the_training(caplog: pytest.LogCaptureFixture) -> None:
    """One log line; everything else is logged."""
    network = tiny_network()
    network.flops_per_batch = lambda batch: 1 / 0  # type: ignore[assignment, unused-ignore]
    memory = logged_by(SpeedMonitor(1), model=network)

    assert caplog.text.count("ZeroDivisionError") == 1
    assert "throughput/samples_per_sec" in memory.data
    assert "throughput/flops_per_sec" not in memory.data


def test_flops_per_batch_must_be_a_function() -> None:
    """TypeError before the first step."""
    network = tiny_network()
    network.flops_per_batch = 100  # type: ignore[assignment, unused-ignore]
    with tiny_trainer([SpeedMonitor()], model=network) as trainer, pytest.raises(TypeError, match="flops_per_batch"):
        trainer.fit()


def test_a_window_never_spans_two_trainings() -> None:
    """The same callback in a second training starts with an empty window and without evaluation time."""
    callback = SpeedMonitor(2)
    logged_by(callback, eval_dataloader=line_batches(1))
    memory = logged_by(callback)

    assert [step for step, _ in series(memory, "throughput/batches_per_sec")] == [3, 4, 5]
    assert memory.most_recent_values["time/val"] == 0


def test_evaluation_time_can_be_restored() -> None:
    """With the state of a checkpoint."""
    callback = SpeedMonitor(time_unit="minutes")
    callback.load_state_dict({"total_eval_wct": 120.0})
    memory = logged_by(callback)

    assert memory.most_recent_values["time/val"] == 2.0
    assert callback.state_dict() == {"total_eval_wct": 120.0}


@pytest.mark.parametrize(
    ("name", "precision", "expected"),
    [
        ("NVIDIA H200", "amp_bf16", 989.5e12),
        ("NVIDIA H100 PCIe", "fp32", 51.2e12),
        ("NVIDIA A100-SXM4-40GB", "amp_fp16", 312e12),
        ("NVIDIA A10", "fp32", 31.2e12),
        ("NVIDIA A10G", "fp32", None),
        ("Tesla V100-SXM2-16GB", "amp_bf16", None),
        ("Tesla T4", "amp_fp16", 65e12),
        ("NVIDIA T400", "fp32", None),
    ],
)
def test_peaks_of_known_gpus(name: str, precision: str, expected: float | None) -> None:
    """Names that only begin like a known one are unknown."""
    assert peak_flops(name, precision) == expected


@pytest.mark.parametrize(
    ("arguments", "error", "named"),
    [
        ({"window_size": 0}, ValueError, "window_size"),
        ({"window_size": 1.5}, TypeError, "window_size"),
        ({"gpu_flops_available": -1}, ValueError, "gpu_flops_available"),
        ({"gpu_flops_available": "many"}, TypeError, "gpu_flops_available"),
        ({"time_unit": "weeks"}, ValueError, "weeks"),
        ({"time_unit": 1}, TypeError, "time_unit"),
    ],
)
def test_errors_name_the_invalid_argument(arguments: dict[str, Any], error: type[Exception], named: str) -> None:
    """They are raised at construction."""
    with pytest.raises(error, match=named):
        SpeedMonitor(**arguments)
