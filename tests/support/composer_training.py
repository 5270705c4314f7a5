"""A small training of composer.Trainer; as a program: `composer_training.py DIRECTORY JSON`."""

import json
import os
import signal
import sys
import warnings
from pathlib import Path
from typing import Any

import composer
import torch
import torchmetrics
from composer.models import ComposerModel
from composer.utils import dist
from torch.utils.data import DataLoader, Dataset, TensorDataset

from toposcope.recorder.frameworks.composer import ToposcopeLogger

QUIET: dict[str, Any] = {"collect_specified_data": {"collect_machine": False, "collect_code": False}}
BATCH_SIZE, SAMPLES, BATCHES = 8, 20, 3


class Classifier(ComposerModel):
    """Two layers; remembers the loss of each micro-batch with its samples, and the learning rate it was computed at."""

    def __init__(self, kind: str = "tensor") -> None:
        super().__init__()
        torch.manual_seed(0)
        self.layers = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
        self.accuracy = torchmetrics.Accuracy(task="multiclass", num_classes=2)
        self.kind, self.losses, self.rates = kind, [(0.0, 0)][:0], [0.0][:0]
        self.optimizer: Any = None

    def forward(self, batch: Any) -> Any:
        """Return the outputs of a batch."""
        return self.layers(batch[0])

    def loss(self, outputs: Any, batch: Any) -> Any:
        """Return the loss: a tensor, two of them, or a mapping."""
        loss = torch.nn.functional.cross_entropy(outputs, batch[1])
        penalty = 0.01 * outputs.square().mean()
        total = loss if self.kind == "tensor" else loss + penalty
        self.losses.append((total.item(), len(batch[0])))
        if self.optimizer is not None:
            self.rates.append(self.optimizer.param_groups[0]["lr"])
        results = {"tuple": (loss, penalty), "parts": {"ce": loss, "penalty": penalty}, "total": {"total": total}}
        return results.get(self.kind, loss)

    def eval_forward(self, batch: Any, outputs: Any = None) -> Any:
        """Return the outputs of a batch of an evaluation."""
        return self(batch) if outputs is None else outputs

    def get_metrics(self, is_train: bool = False) -> Any:
        """Return the metrics of an evaluation."""
        return {} if is_train else {"accuracy": self.accuracy}

    def update_metric(self, batch: Any, outputs: Any, metric: Any) -> None:
        """Update a metric with a batch."""
        metric.update(outputs.argmax(1), batch[1])


def step_losses(losses: list[tuple[float, int]], micro_batches: list[int]) -> dict[int, float]:
    """Return the mean loss of each step, weighted by samples; micro_batches: their numbers in the steps of an epoch."""
    steps: dict[int, float] = {}
    rest = list(losses)
    while rest:
        number = micro_batches[len(steps) % len(micro_batches)]
        parts, rest = rest[:number], rest[number:]
        steps[len(steps) + 1] = sum(loss * samples for loss, samples in parts) / sum(samples for _, samples in parts)
    return steps


def dataset(seed: int = 1) -> Dataset[Any]:
    """Return samples of which the last batch of an epoch is smaller."""
    generator = torch.Generator().manual_seed(seed)
    inputs = torch.randn(SAMPLES, 3, generator=generator)
    return TensorDataset(inputs, torch.randint(2, (SAMPLES,), generator=generator))


def data(seed: int = 1) -> Any:
    """Return the batches of an epoch, in processes that train together those of this one."""
    samples = dataset(seed)
    sampler = dist.get_sampler(samples) if dist.get_world_size() > 1 else None
    return DataLoader(samples, BATCH_SIZE, sampler=sampler)


def trainer(directory: Path | None, model: Any = None, **options: Any) -> Any:
    """Return a Trainer that records into a directory, if there is one, with further options."""
    warnings.filterwarnings("ignore")
    model = Classifier() if model is None else model
    settings, loggers = options.pop("settings", QUIET), options.pop("loggers", [])
    optimizer = torch.optim.SGD(model.parameters(), options.pop("lr", 0.1), momentum=0.9)
    if isinstance(model, Classifier):
        model.optimizer = optimizer
    ours = [] if directory is None else [ToposcopeLogger(directory, **settings)]
    defaults: dict[str, Any] = {
        "train_dataloader": data(),
        "eval_dataloader": data(2),
        "max_duration": "2ep",
        "optimizers": optimizer,
        "progress_bar": False,
        "seed": 1,
        "run_name": "run",
        "device": "cpu",
    }
    return composer.Trainer(model=model, loggers=[*ours, *loggers], **(defaults | options))


class EndingAt(composer.Callback):
    """Ends the process at a step: waits to be killed, raises, or exits."""

    def __init__(self, step: int | None, how: str) -> None:
        self.step, self.how = step, how

    def batch_end(self, state: Any, logger: Any) -> None:
        """End it."""
        if self.step is None or int(state.timestamp.batch) != self.step + 1:
            return
        if self.how == "raise":
            raise OSError("the disk is full")
        print("paused", flush=True)
        signal.alarm(120)  # If nobody kills it; torchrun gives its processes another stdin.
        signal.pause()


def main() -> None:
    """Train, and write the losses of micro-batches to DIRECTORY.RANK.json."""
    directory, options = Path(sys.argv[1]), json.loads(sys.argv[2])
    ending = EndingAt(options.pop("ends_at", None), options.pop("how", "wait"))
    saves: dict[str, Any] = {"save_folder": f"{directory}.checkpoints", "save_interval": "2ba"}
    is_caught = options.pop("is_caught", False)
    training = trainer(directory, callbacks=[ending], **(saves if options.pop("saves", True) else {}), **options)
    try:
        training.fit()
    except OSError:
        if not is_caught:
            raise
    rank = int(os.environ.get("RANK", 0))
    model = getattr(training.state.model, "module", training.state.model)
    Path(f"{directory}.{rank}.json").write_text(json.dumps(model.losses))


if __name__ == "__main__":
    main()
