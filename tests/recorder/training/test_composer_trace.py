"""The events, counters, labels and logged metrics of the trainer equal a trace recorded from Composer 0.32.1."""

import json
from pathlib import Path
from typing import Any

import torch

from toposcope.recorder.training.evaluator import Evaluator
from toposcope.recorder.training.event import Event
from toposcope.recorder.training.event_callback import EventCallback
from toposcope.recorder.training.logger import Logger
from toposcope.recorder.training.logger_destination import LoggerDestination
from toposcope.recorder.training.state import State
from toposcope.recorder.training.trainer import Trainer

GOLDEN = Path(__file__).parents[2] / "golden" / "traces" / "composer.json"


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


def golden_trace() -> list[Any]:
    """Return the golden trace without algorithms and hyperparameters, which only Composer has."""
    (recorded,) = json.loads(GOLDEN.read_text()).values()
    kept = [entry for entry in recorded if entry[0] not in ("alg", "log_traces", "log_hyperparameters")]
    return [[name, sorted(what), step] if name == "log_metrics" else [name, what, step] for name, what, step in kept]
