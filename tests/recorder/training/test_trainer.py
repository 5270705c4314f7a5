"""What fit(), eval() and predict() of the trainer do besides events."""

import io
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support.line_network import Line, line_batches
from support.pytorch import torch
from support.tiny_training import tiny_network, tiny_trainer
from support.written_events import read_events

from toposcope.recorder.callbacks import SummaryCollector
from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.event_callback import EventCallback
from toposcope.recorder.training.events.run_context import RunContext
from toposcope.recorder.training.loops.prediction import on_cpu
from toposcope.recorder.training.progress.time import Time
from toposcope.recorder.training.state.logger import Logger
from toposcope.recorder.training.state.state import State
from toposcope.recorder.training.trainer import Trainer


class StopAfter(EventCallback):
    """Stops the training after a batch."""

    def __init__(self, batch: int) -> None:
        self.batch = batch

    def batch_end(self, state: State, logger: Logger) -> None:
        if state.timestamp.batch == self.batch:
            state.stop_training()


class HookTrace(Callback):
    """Records the hooks of epochs and evaluations."""

    def __init__(self) -> None:
        self.trace: list[Any] = []

    def on_train_begin(self, run_context: RunContext) -> None:
        self.trace.append("train")

    def on_train_epoch_begin(self, run_context: RunContext) -> None:
        self.trace.append(("epoch", run_context.original_args().cur_epoch_num))

    def on_eval_begin(self, run_context: RunContext) -> None:
        self.trace.append("eval")

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        self.trace.append(("epoch end", run_context.original_args().cur_step_num))

    def on_train_end(self, run_context: RunContext) -> None:
        self.trace.append("train end")


def test_hooks_of_mindspore_enclose_an_evaluation_after_a_stop() -> None:
    """They also see the epoch in which a second fit() continues begin."""
    hooks = HookTrace()
    with Trainer(
        model=Line(),
        train_dataloader=line_batches(3),
        eval_dataloader=line_batches(1),
        max_duration="5ep",
        callbacks=[hooks, StopAfter(4)],
    ) as trainer:
        trainer.fit()
        trainer.fit(duration="1ba")
    first = ["train", ("epoch", 1), "eval", ("epoch end", 3), ("epoch", 2), "eval", ("epoch end", 4), "train end"]
    assert hooks.trace == [*first, "train", ("epoch", 2), "eval", ("epoch end", 5), "train end"]


def test_the_collector_records_evaluations_at_the_batch_that_they_follow(tmp_path: Path) -> None:
    network = torch.nn.Linear(3, 2)
    batches = [(torch.randn(4, 3), torch.tensor([0, 1, 0, 1])) for _ in range(3)]
    with Trainer(
        model=network,
        loss_fn=torch.nn.CrossEntropyLoss(),
        optimizers=torch.optim.SGD(network.parameters(), lr=0.1),
        train_dataloader=batches,
        eval_dataloader=batches[:1],
        metrics={"acc"},
        max_duration="5ep",
        eval_interval="2ba",
        callbacks=[SummaryCollector(tmp_path), StopAfter(5)],
    ) as trainer:
        trainer.fit()
    events = [event for path in tmp_path.glob("*_MS") for event in read_events(path)]
    steps = [event.step for event in events for value in event.summary.value if value.tag == "eval/acc"]
    assert steps == [2, 4, 5]


def test_max_duration_may_be_set_as_text() -> None:
    state = State()
    state.max_duration = "3ba"
    assert state.max_duration == Time(3, "ba")
    state.stop_training()
    assert state.is_over
    state.max_duration = 2
    assert (str(state.max_duration), state.is_over) == ("2ep", False)
    with pytest.raises(ValueError, match=r"0\.5dur"):
        state.max_duration = "0.5dur"
    with pytest.raises(TypeError, match="max_duration"):
        state.max_duration = [1]  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("length", "stopped"), [("10ep", "0ba"), ("10ba", "0ba"), ("10sp", "0sp"), ("10tok", "0tok"), ("9sec", "0sec")]
)
def test_a_stop_makes_max_duration_what_is_finished(length: str, stopped: str) -> None:
    state = State(max_duration=length)
    state.stop_training()
    assert str(state.max_duration) == stopped


def test_a_state_takes_single_objects_where_it_keeps_lists() -> None:
    state = State(rank_zero_seed=5, precision="amp_bf16", dataloader=[1, 2], dataloader_label="train")
    state.optimizers, state.schedulers = optimizer, scheduler = object(), object()
    assert (state.optimizers, state.schedulers, state.seed) == ([optimizer], [scheduler], 5)
    assert (state.precision.value, str(state.dataloader_len)) == ("amp_bf16", "2ba")
    state.set_dataloader()
    assert (state.dataloader, state.dataloader_label, state.dataloader_len) == (None, None, None)
    with pytest.raises(ValueError, match="dataloader_label"):
        state.set_dataloader([1])


def test_fit_continues_in_the_middle_of_an_epoch_with_its_next_batch() -> None:
    seen: list[int] = []

    class Seen(EventCallback):
        def batch_start(self, state: State, logger: Logger) -> None:
            seen.append(state.batch[0])

    class Numbers(Line):
        def train_step(self, *batch: Any) -> Any:
            return 0.0

    arguments: dict[str, Any] = {"train_dataloader": [(number,) for number in range(4)], "max_duration": "3ba"}
    for spins, expected in ((True, [0, 1, 2, 3, 0]), (False, [0, 1, 2, 0, 1])):
        seen.clear()
        with Trainer(model=Numbers(), callbacks=Seen(), spin_dataloaders=spins, **arguments) as trainer:
            trainer.fit()
            trainer.fit(duration="2ba")
        assert seen == expected
    seen.clear()
    arguments["train_dataloader"] = iter(arguments["train_dataloader"])
    with Trainer(model=Numbers(), callbacks=Seen(), **arguments) as trainer:
        trainer.fit()
        trainer.fit(duration="1ba")
    assert seen == [0, 1, 2, 3]


def test_a_training_that_is_over_needs_another_duration() -> None:
    with Trainer(model=Line(), train_dataloader=line_batches(2), max_duration=1) as trainer:
        trainer.fit()
        with pytest.raises(ValueError, match="1ep, has been reached"):
            trainer.fit()
        trainer.fit(reset_time=True)
        assert trainer.state.timestamp.batch == 2
        trainer.fit(duration=1, train_dataloader=line_batches(3))
        assert trainer.state.timestamp.batch == 5


def test_fit_evaluates_other_data_at_another_interval() -> None:
    labels: list[Any] = []

    class Labels(EventCallback):
        def eval_start(self, state: State, logger: Logger) -> None:
            labels.append((state.dataloader_label, int(state.timestamp.batch)))

    with Trainer(
        model=Line(), train_dataloader=line_batches(4), eval_dataloader=line_batches(1), callbacks=Labels()
    ) as trainer:
        for options in ({"eval_interval": 1}, {"eval_subset_num_batches": 1}):
            with pytest.raises(ValueError, match="eval_dataloader"):
                trainer.fit(duration=1, **options)  # type: ignore[arg-type]
        trainer.fit(duration=1)
        trainer.fit(duration=1, eval_dataloader={"other": line_batches(1)}, eval_interval="3ba")
    assert labels == [("eval", 4), ("other", 6), ("other", 8)]


def test_only_the_given_number_of_batches_is_used() -> None:
    options: dict[str, Any] = {"train_subset_num_batches": 2, "eval_subset_num_batches": 1}
    with Trainer(
        model=Line(), train_dataloader=line_batches(3), eval_dataloader=line_batches(3), max_duration=2, **options
    ) as trainer:
        trainer.fit()
        assert trainer.state.timestamp.batch == 4
        assert str(trainer.state.dataloader_len) == "2ba"
        trainer.eval()
        assert trainer.state.eval_timestamp.batch == 1
        trainer.eval(subset_num_batches=2)
        assert trainer.state.eval_timestamp.batch == 2
        trainer.eval(line_batches(5), subset_num_batches=9)
        assert trainer.state.eval_timestamp.batch == 5


def test_several_loaders_are_several_evaluators() -> None:
    data = torch.utils.data.TensorDataset(torch.zeros(4, 3), torch.zeros(4, dtype=torch.long))
    loaders = [torch.utils.data.DataLoader(data, batch_size=size) for size in (1, 2)]
    trainer = Trainer(model=torch.nn.Linear(3, 2), loss_fn=torch.nn.CrossEntropyLoss(), eval_dataloader=loaders)
    assert set(trainer.eval()) == {"eval", "eval_2"}
    trainer.close()


def test_predict_returns_the_outputs_of_a_number_of_batches() -> None:
    seen: list[Any] = []

    class Seen(EventCallback):
        def predict_batch_end(self, state: State, logger: Logger) -> None:
            seen.append(state.outputs)

    network = torch.nn.Linear(3, 2)
    batches = [torch.randn(4, 3) for _ in range(3)]
    with Trainer(model=network, callbacks=Seen(), train_dataloader=[1, 2]) as trainer:
        for number, expected in ((-1, 3), (0, 0), (2, 2), (9, 3)):
            outputs = trainer.predict(batches, subset_num_batches=number)
            assert len(outputs) == trainer.state.predict_timestamp.batch.value == expected
            assert all(torch.equal(each, network(batch)) for each, batch in zip(outputs, batches, strict=False))
        assert trainer.predict(batches, return_outputs=False) == []
        assert len(seen) == 3 + 0 + 2 + 3 + 3
        assert (trainer.state.dataloader, trainer.state.dataloader_label) == ([1, 2], "train")
        with pytest.raises(ValueError, match="subset_num_batches"):
            trainer.predict(batches, subset_num_batches=-2)


def test_outputs_keep_their_structure_on_the_way_to_the_cpu() -> None:
    class Pair(NamedTuple):
        first: Any
        second: Any

    class OnDevice:
        def cpu(self) -> str:
            return "on the CPU"

    on_device, cpu = OnDevice(), "on the CPU"
    outputs = {"pair": Pair(on_device, 3), "list": [on_device, (on_device, None)]}
    assert on_cpu(outputs) == {"pair": Pair(cpu, 3), "list": [cpu, (cpu, None)]}
    assert type(on_cpu(outputs)["pair"]) is Pair


def test_log_to_console_adds_a_console_logger() -> None:
    stream = io.StringIO()
    with Trainer(
        model=Line(), train_dataloader=line_batches(2), max_duration=1, log_to_console=True, console_stream=stream
    ) as trainer:
        trainer.fit()
    assert "loss/train/total" in stream.getvalue()


def test_training_continues_after_a_failed_evaluation() -> None:
    """The state has the data loader of the training again."""
    wrong = [(torch.ones(4, 7), torch.zeros(4, dtype=torch.long))]
    with tiny_trainer([], model=tiny_network(), batches=3, max_duration="1ep") as trainer:
        with pytest.raises(RuntimeError, match="shapes"):
            trainer.eval(wrong)
        with pytest.raises(RuntimeError, match="shapes"):
            trainer.predict([wrong[0][0]])
        assert trainer.state.dataloader_label == "train"
        trainer.fit()
        trainer.fit(duration="1ep")
        assert int(trainer.state.timestamp.epoch) == 2
