"""The events, counters, labels and logged metrics of the trainer equal a trace recorded from Composer 0.32.1."""

import json
from pathlib import Path
from typing import Any

import torch

from toposcope.recorder.training.events.event_callback import EventCallback
from toposcope.recorder.training.events.logger_destination import LoggerDestination
from toposcope.recorder.training.progress.event import Event
from toposcope.recorder.training.state.evaluator import Evaluator
from toposcope.recorder.training.state.logger import Logger
from toposcope.recorder.training.state.state import State
from toposcope.recorder.training.trainer import Trainer

TRACES = Path(__file__).parents[2] / "golden" / "traces"


class EventTrace(EventCallback):
    """Records each event with the counters of the golden trace."""

    def __init__(self, trace: list[Any]) -> None:
        self.trace = trace

    def run_event(self, event: Event, state: State, logger: Logger) -> None:
        now = state.timestamp
        counters = {"iter": now.iteration, "ep": now.epoch, "ba": now.batch, "bie": now.batch_in_epoch}
        counters |= {"sp": now.sample, "ev_ba": state.eval_timestamp.batch}
        label = None if event is Event.INIT else state.dataloader_label
        self.trace.append(["cb", event.value, {key: int(value) for key, value in counters.items()} | {"label": label}])

    def close(self, state: State, logger: Logger) -> None:
        self.trace.append(["cb", "close", None])

    def post_close(self) -> None:
        self.trace.append(["cb", "post_close", None])


class DestinationTrace(LoggerDestination):
    """Records each event, and the names of logged metrics with their step."""

    def __init__(self, trace: list[Any]) -> None:
        self.trace = trace

    def run_event(self, event: Event, state: State, logger: Logger) -> None:
        self.trace.append(["dest", event.value, None])

    def log_metrics(self, metrics: dict[str, Any], step: int | None = None) -> None:
        self.trace.append(["log_metrics", sorted(metrics), step])

    def close(self, state: State, logger: Logger) -> None:
        self.trace.append(["dest", "close", None])

    def post_close(self) -> None:
        self.trace.append(["dest", "post_close", None])


def accuracy(outputs: Any, labels: Any) -> float:
    return float((outputs.argmax(dim=1) == labels).float().mean())


def test_events_of_training_and_evaluation_equal_those_of_composer() -> None:
    trace: list[Any] = []
    torch.manual_seed(0)
    network = torch.nn.Linear(3, 2)
    batches = [(torch.randn(4, 3), torch.tensor([0, 1, 0, 1])) for _ in range(2)]
    metrics = {"CrossEntropy": torch.nn.CrossEntropyLoss(), "MulticlassAccuracy": accuracy}
    trainer = Trainer(
        model=network,
        loss_fn=torch.nn.CrossEntropyLoss(),
        train_dataloader=batches,
        eval_dataloader=Evaluator("eval", batches[:1], metrics),
        optimizers=torch.optim.SGD(network.parameters(), lr=0.1),
        max_duration="1ep",
        callbacks=[EventTrace(trace)],
        loggers=[DestinationTrace(trace)],
        device_train_microbatch_size=2,
        train_metrics={"MulticlassAccuracy": accuracy},
    )
    trainer.fit()
    trace.append(["--fit returned--", None, None])
    trainer.eval()
    trace.append(["--eval returned--", None, None])
    trainer.close()

    assert trace == golden_trace()


class StopTrace(LoggerDestination):
    """Records what the golden trace of a stop does, and stops the training after batch 4."""

    def __init__(self, trace: list[Any]) -> None:
        self.trace = trace

    def run_event(self, event: Event, state: State, logger: Logger) -> None:
        now, is_set = state.timestamp, event is not Event.INIT
        times = [now.epoch, now.batch, now.batch_in_epoch, state.eval_timestamp.batch, state.predict_timestamp.batch]
        texts = [state.dataloader_label, str(state.max_duration)] if is_set else [None, None]
        self.trace.append([event.value, *map(int, times), *texts, int(state.previous_timestamp.batch)])
        if event is Event.BATCH_END and now.batch == 4:
            state.stop_training()

    def log_metrics(self, metrics: dict[str, Any], step: int | None = None) -> None:
        self.trace.append(["metrics", sorted(metrics), step])


def test_a_stop_inside_an_epoch_a_second_fit_and_a_prediction_equal_those_of_composer() -> None:
    """The trace was recorded from Composer; `make interop-composer` compares more such runs with Composer itself."""
    trace: list[Any] = []
    network = torch.nn.Linear(3, 2)
    sizes = (4, 4, 3)
    batches = [(torch.randn(size, 3), torch.zeros(size, dtype=torch.long)) for size in sizes]
    trainer = Trainer(
        model=network,
        loss_fn=torch.nn.CrossEntropyLoss(),
        train_dataloader=batches,
        eval_dataloader=batches[-1:],
        optimizers=torch.optim.SGD(network.parameters(), lr=0.1),
        max_duration="5ep",
        eval_interval="3ba",
        device_train_microbatch_size=4,
        callbacks=[StopTrace(trace)],
    )
    trainer.fit()
    trace.append("fit returned")
    trainer.fit(duration="1ep")
    trace.append("fit returned")
    trainer.predict([inputs for inputs, _ in batches[:2]], subset_num_batches=1)
    trace.append("predict returned")
    trainer.close()

    assert trace == json.loads((TRACES / "composer_stop.json").read_text())


def golden_trace() -> list[Any]:
    """Return the golden trace without algorithms and hyperparameters, which only Composer has."""
    (recorded,) = json.loads((TRACES / "composer.json").read_text()).values()
    kept = [entry for entry in recorded if entry[0] not in ("alg", "log_traces", "log_hyperparameters")]
    return [[name, sorted(what), step] if name == "log_metrics" else [name, what, step] for name, what, step in kept]
