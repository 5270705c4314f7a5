"""Tiny trainings of transformers.Trainer, without downloads: random models and tokens."""

import os
from pathlib import Path
from typing import Any

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments

TOKENS = 64


def tiny_model() -> Any:
    """Return a language model of two small layers with random parameters and without dropout."""
    torch.manual_seed(0)
    dropouts = dict.fromkeys(("resid_pdrop", "embd_pdrop", "attn_pdrop"), 0.0)
    return GPT2LMHeadModel(GPT2Config(vocab_size=TOKENS, n_positions=16, n_embd=16, n_layer=2, n_head=2, **dropouts))


def random_texts(number: int) -> list[dict[str, torch.Tensor]]:
    """Return samples of random tokens, of which the labels of the first are partly ignored."""
    generator = torch.Generator().manual_seed(1)
    texts = [torch.randint(TOKENS, (12,), generator=generator) for _ in range(number)]
    samples = [{"input_ids": text, "labels": text.clone()} for text in texts]
    for i, sample in enumerate(samples):
        sample["labels"][: i % 5] = -100
    return samples


def arguments(directory: Path, **settings: Any) -> TrainingArguments:
    """Return arguments of a short training on the CPU that logs every step."""
    defaults: dict[str, Any] = {
        "per_device_train_batch_size": 4,
        "num_train_epochs": 1,
        "logging_steps": 1,
        "learning_rate": 0.01,
        "use_cpu": True,
        "disable_tqdm": True,
        "report_to": [],
        "save_strategy": "no",
    }
    return TrainingArguments(os.fspath(directory), **(defaults | settings))


class RecordingTrainer(Trainer):
    """A Trainer that also keeps the losses of its micro-batches, as compute_loss() returns them."""

    losses: list[float]

    def compute_loss(self, *args: Any, **kwargs: Any) -> Any:
        """Keep the loss in training."""
        result = super().compute_loss(*args, **kwargs)
        if self.model.training:
            loss = result[0] if isinstance(result, tuple) else result
            self.__dict__.setdefault("losses", []).append(float(loss))
        return result


def trainer(directory: Path, callbacks: Any = (), number: int = 24, **settings: Any) -> RecordingTrainer:
    """Return a Trainer of the tiny model."""
    texts = random_texts(number)
    return RecordingTrainer(
        tiny_model(),
        arguments(directory, **settings),
        train_dataset=texts,
        eval_dataset=texts[:8],
        callbacks=list(callbacks),
    )


def logged(trainer: Trainer, name: str) -> dict[int, float]:
    """Return the values that a Trainer has logged by step."""
    return {entry["step"]: entry[name] for entry in trainer.state.log_history if name in entry}
