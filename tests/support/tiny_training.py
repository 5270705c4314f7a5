"""A tiny training of PyTorch with our Trainer, for tests of callbacks."""

from collections.abc import Sequence
from typing import Any

import torch

from toposcope.recorder.loggers import InMemoryLogger
from toposcope.recorder.training.trainer import Trainer


def tiny_network(seed: int = 0) -> torch.nn.Sequential:
    """Return a network of 3 features and 2 classes."""
    torch.manual_seed(seed)
    return torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))


def tiny_batches(number: int, samples: int = 4, seed: int = 1) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Return batches for it."""
    generator = torch.Generator().manual_seed(seed)
    return [
        (torch.randn(samples, 3, generator=generator), torch.randint(0, 2, (samples,), generator=generator))
        for _ in range(number)
    ]


def tiny_trainer(
    callbacks: Any, loggers: Sequence[Any] = (), *, batches: int = 5, samples: int = 4, **options: Any
) -> Trainer:
    """Return a Trainer of the tiny network; options replace its arguments."""
    network = options.pop("model", None)
    network = tiny_network() if network is None else network
    settings: dict[str, Any] = {
        "loss_fn": torch.nn.CrossEntropyLoss(),
        "train_dataloader": tiny_batches(batches, samples),
        "optimizers": torch.optim.SGD(network.parameters(), lr=0.1),
        "max_duration": "1ep",
    }
    return Trainer(model=network, callbacks=callbacks, loggers=list(loggers), **(settings | options))


def logged_by(callback: Any, **options: Any) -> InMemoryLogger:
    """Train the tiny network with a callback; return what was logged."""
    logger = InMemoryLogger()
    with tiny_trainer([callback], [logger], **options) as trainer:
        trainer.fit()
    return logger


def series(logger: InMemoryLogger, name: str) -> list[tuple[int, Any]]:
    """Return the batch and the value of each point of a metric."""
    return [(int(timestamp.batch), value) for timestamp, value in logger.data.get(name, [])]
