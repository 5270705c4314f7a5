"""A tiny training with our Trainer, for tests of callbacks: of a line, or of a network of PyTorch."""

from collections.abc import Sequence
from typing import Any

from support.line_network import Line, line_batches
from support.pytorch import torch
from toposcope.recorder.loggers import InMemoryLogger
from toposcope.recorder.training.trainer import Trainer


def tiny_network() -> "torch.nn.Sequential":
    """Return a network of PyTorch with 3 features and 2 classes."""
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))


def tiny_batches(number: int, samples: int = 4) -> "list[tuple[torch.Tensor, torch.Tensor]]":
    """Return batches for it."""
    generator = torch.Generator().manual_seed(1)
    return [
        (torch.randn(samples, 3, generator=generator), torch.randint(0, 2, (samples,), generator=generator))
        for _ in range(number)
    ]


def tiny_trainer(
    callbacks: Any,
    loggers: Sequence[Any] = (),
    *,
    model: Any = None,
    batches: int = 5,
    samples: int = 4,
    **options: Any,
) -> Trainer:
    """Return a Trainer of a line, or of a module such as the tiny network; options replace its arguments."""
    if model is None:
        settings: dict[str, Any] = {"model": Line(), "train_dataloader": line_batches(batches, samples)}
    else:
        settings = {
            "model": model,
            "loss_fn": torch.nn.CrossEntropyLoss(),
            "train_dataloader": tiny_batches(batches, samples),
            "optimizers": torch.optim.SGD(model.parameters(), lr=0.1),
        }
    return Trainer(callbacks=callbacks, loggers=list(loggers), **({"max_duration": "1ep"} | settings | options))


def logged_by(callback: Any, **options: Any) -> InMemoryLogger:
    """Train with a callback; return what was logged."""
    logger = InMemoryLogger()
    with tiny_trainer([callback], [logger], **options) as trainer:
        trainer.fit()
    return logger


def series(logger: InMemoryLogger, name: str) -> list[tuple[int, Any]]:
    """Return the batch and the value of each point of a metric."""
    return [(int(timestamp.batch), value) for timestamp, value in logger.data.get(name, [])]
