"""Eight fine-tunings of language models: 60 tags, heavy-tailed noise, spikes, NaN, two resumes and a crash."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from event_logs import Float64s, Int64s
from recordings import FINISHED, Batch, write_lineage, write_recording

from toposcope.proto.summary_pb2 import RecordingEnd

START = 1_763_700_000.0
STEP_SECONDS = 0.9
LOGGED_EVERY = 10
"""Steps between two events of the training, as trainers do by default."""
EVALUATIONS = 200
LAYERS = (0, 9, 18, 27)
GPUS = 4
TASKS = (
    ("mmlu", 0.25, 0.63),
    ("arc_challenge.acc", 0.25, 0.55),
    ("gsm8k.exact_match", 0.02, 0.52),
    ("hellaswag.acc_norm", 0.25, 0.76),
    ("humaneval.pass@1", 0.0, 0.38),
    ("ifeval.strict_acc", 0.1, 0.62),
    ("mbpp.pass@1", 0.0, 0.44),
    ("truthfulqa.mc2", 0.38, 0.56),
    ("winogrande.acc", 0.5, 0.74),
)
CRASH = RecordingEnd(
    state=RecordingEnd.STATE_FAILED,
    error_type="torch.OutOfMemoryError",
    error_text="CUDA out of memory. Tried to allocate 2.32 GiB. GPU 3 has a total capacity of 79.15 GiB of which "
    "1.04 GiB is free.",
    traceback='Traceback (most recent call last):\n  File "train.py", line 412, in <module>\n    trainer.train()\n'
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.32 GiB.",
)


class FineTuning(NamedTuple):
    """A run: its settings, and what happens to it."""

    name: str
    model: str
    method: str
    learning_rate: float
    batch_size: int
    seed: int
    steps: int
    resumes: tuple[tuple[float, float], ...] = ()
    """Where it stops, and the checkpoint from which it goes on, as parts of the steps."""
    diverges: float = 2.0
    """The part of the steps at which the loss becomes NaN; above 1: never."""
    crashes: bool = False


RUNS = (
    FineTuning("qwen2.5-7b-sft_lr2e-5_bs64_seed42", "qwen2.5-7b", "sft", 2e-5, 64, 42, 150_000),
    FineTuning("qwen2.5-7b-sft_lr1e-5_bs64_seed42", "qwen2.5-7b", "sft", 1e-5, 64, 42, 120_000),
    FineTuning("qwen2.5-7b-sft_lr1e-4_bs64_seed42", "qwen2.5-7b", "sft", 1e-4, 64, 42, 60_000, diverges=0.7),
    FineTuning("qwen2.5-7b-lora-r16_lr2e-4_bs64_seed42", "qwen2.5-7b", "lora-r16", 2e-4, 64, 42, 100_000),
    FineTuning(
        "qwen2.5-7b-lora-r64_lr2e-4_bs64_seed42",
        "qwen2.5-7b",
        "lora-r64",
        2e-4,
        64,
        42,
        200_000,
        resumes=((0.31, 0.30), (0.72, 0.65)),
    ),
    FineTuning("llama-3.1-8b-sft_lr2e-5_bs128_seed42", "llama-3.1-8b", "sft", 2e-5, 128, 42, 120_000),
    FineTuning("llama-3.1-8b-sft_lr2e-5_bs128_seed1337", "llama-3.1-8b", "sft", 2e-5, 128, 1337, 52_000, crashes=True),
    FineTuning("llama-3.1-8b-dpo_beta0.1_lr5e-7", "llama-3.1-8b", "dpo", 5e-7, 64, 7, 50_000),
)


def write_fine_tunings(logdir: Path, scale: float) -> None:
    """Write all runs; scale multiplies their steps."""
    for number, run in enumerate(RUNS):
        write_fine_tuning(logdir / run.name, run, max(400, int(run.steps * scale)), START + 7200 * number)


def write_fine_tuning(folder: Path, run: FineTuning, steps: int, start: float) -> None:
    """Write the recordings of a run: one, and another for each resume."""
    command = f"torchrun --nproc-per-node {GPUS} train.py --config {run.name}.yaml --seed {run.seed}"
    settings = {
        "model": run.model,
        "method": run.method,
        "learning_rate": run.learning_rate,
        "per_device_batch_size": run.batch_size // GPUS,
        "batch_size": run.batch_size,
        "weight_decay": 0.01 if run.method == "sft" else 0.0,
        "warmup_ratio": 0.03,
        "seed": run.seed,
        "max_seq_len": 4096,
        "bf16": True,
    }
    write_lineage(folder, start, settings, {})
    begins = [0, *(int(steps * back) for _, back in run.resumes)]
    ends = [*(int(steps * stop) for stop, _ in run.resumes), steps]
    for attempt, (first, end) in enumerate(zip(begins, ends, strict=True)):
        is_last = end == steps
        began = start + steps * STEP_SECONDS * (first / steps) + attempt * 5400
        stopped = RecordingEnd(state=RecordingEnd.STATE_INTERRUPTED, error_type="SystemExit", error_text="SIGTERM")
        write_recording(
            folder,
            batches(run, steps, (first, end), began, np.random.default_rng([run.seed, run.steps, attempt])),
            began,
            command + (f" --resume checkpoint-{first}" if attempt else ""),
            (CRASH if run.crashes else FINISHED) if is_last else stopped,
            first if attempt else None,
        )


def batches(
    run: FineTuning, steps: int, part: tuple[int, int], start: float, random: np.random.Generator
) -> Iterator[Batch]:
    """Yield what a recording of the steps in a part of the training contains: each evaluation after its steps."""
    every = max(1, min(LOGGED_EVERY, steps // 400))
    logged = np.arange(max(every, part[0] + every), part[1] + 1, every)
    times = start + (logged - part[0]) * STEP_SECONDS + random.exponential(0.05, len(logged))
    columns = training_columns(run, logged, steps, random)
    distance = max(20 * every, steps // EVALUATIONS)
    for begin, end in pairwise([*range(part[0], part[1], distance), part[1]]):
        among = slice(*np.searchsorted(logged, [begin, end], side="right"))
        if among.start < among.stop:
            yield Batch(logged[among], times[among], {tag: column[among] for tag, column in columns.items()})
        at = np.array([end])
        yield Batch(at, start + (at - part[0]) * STEP_SECONDS + 0.5, evaluation_columns(run, at, steps, random))


def training_columns(run: FineTuning, at: Int64s, steps: int, random: np.random.Generator) -> dict[str, Float64s]:
    """Return what is recorded at steps of the training, by tag: 46 tags."""
    share = at / steps
    is_lost = share >= run.diverges
    loss = np.where(is_lost, np.nan, true_loss(run, share) * (1 + noise(random, at, 0.06)) + spikes(random, len(at)))
    gradient = (0.35 + 3 * np.exp(-share * 60)) * np.exp(noise(random, at, 0.25)) + 4 * spikes(random, len(at))
    tokens = at * run.batch_size * 4096.0 * 0.92
    seconds = STEP_SECONDS * (1 + random.exponential(0.04, len(at))) + spikes(random, len(at))
    columns = {
        "train/loss": loss,
        "train/grad_norm": np.where(is_lost, np.nan, gradient),
        "train/learning_rate": run.learning_rate * np.minimum(share / 0.03, 0.5 * (1 + np.cos(np.pi * share))),
        "train/epoch": 3 * share,
        "train/perplexity": np.exp(np.minimum(loss, 20)),
        "train/tokens_seen": tokens,
        "train/samples_seen": at * float(run.batch_size),
        "train/tokens_per_second": run.batch_size * 4096 * 0.92 / seconds,
        "train/step_seconds": seconds,
        "train/data_wait_seconds": random.exponential(0.004, len(at)),
        "train/padding_fraction": 0.08 + 0.01 * random.standard_normal(len(at)),
        "train/clip_fraction": (gradient > 1).astype(float),
    }
    for layer in LAYERS:
        depth = 1 + layer / 40
        for module in ("attn.q_proj", "attn.o_proj", "mlp.down_proj"):
            columns[f"layers.{layer}.{module}.grad_norm"] = columns["train/grad_norm"] * random.gamma(9, 0.01, len(at))
        columns[f"layers.{layer}.attn.entropy"] = 3.1 / depth - 0.4 * share + noise(random, at, 0.02)
        columns[f"layers.{layer}.mlp.down_proj.weight_norm"] = 61.3 * depth + 1e-3 * np.sqrt(at)
    for gpu in range(GPUS):
        columns[f"gpu.{gpu}.utilization"] = np.clip(97 - random.exponential(2.5, len(at)), 0, 100)
        columns[f"gpu.{gpu}.memory_gb"] = 71.4 + gpu * 0.3 + random.integers(0, 3, len(at)) * 0.5
        columns[f"gpu.{gpu}.power_watts"] = 640 + 25 * random.standard_normal(len(at))
    columns["optimizer.update_rms"] = columns["train/learning_rate"] * random.gamma(16, 1 / 16, len(at))
    columns["optimizer.exp_avg_sq.max"] = 10 ** (-9 + 2 * random.random(len(at)))
    return columns


def evaluation_columns(run: FineTuning, at: Int64s, steps: int, random: np.random.Generator) -> dict[str, Float64s]:
    """Return what an evaluation records, by tag: 14 tags."""
    share = at / steps
    is_lost = share >= run.diverges
    loss = np.where(is_lost, np.nan, true_loss(run, share) * 1.03 + 0.004 * random.standard_normal(len(at)))
    columns = {
        "eval/loss": loss,
        "eval/perplexity": np.exp(loss),
        "eval/runtime_seconds": 41 + random.exponential(2, len(at)),
        "eval/samples_per_second": 48 + random.standard_normal(len(at)),
        "eval/response_length": 210 + 60 * share + 6 * random.standard_normal(len(at)),
    }
    learned = (2.7 - true_loss(run, share)) / 1.75
    for task, chance, best in TASKS:
        accuracy = chance + (best - chance) * np.where(is_lost, 0, learned) + 0.008 * random.standard_normal(len(at))
        columns[f"eval/{task}"] = np.clip(accuracy, 0, 1)
    return columns


def true_loss(run: FineTuning, share: Float64s) -> Float64s:
    """Return the loss without noise: a power law that ends lower with a better learning rate."""
    floor = 0.95 + 0.04 * abs(np.log10(run.learning_rate / 3e-5)) + (0.1 if run.model.startswith("llama") else 0)
    falling: Float64s = floor + (2.6 - floor) * (1 + 60 * share) ** -0.6
    return falling


def noise(random: np.random.Generator, at: Int64s, size: float) -> Float64s:
    """Return heavy-tailed noise: Student's t with three degrees of freedom."""
    drawn: Float64s = size * np.clip(random.standard_t(3, len(at)), -12, 12)
    return drawn


def spikes(random: np.random.Generator, count: int) -> Float64s:
    """Return rare jumps, each of which decays over a few events."""
    jumps = np.where(random.random(count) < 0.0008, random.pareto(1.5, count) + 1, 0.0)
    decay = np.exp(-np.arange(12) / 3)
    decayed: Float64s = np.minimum(np.convolve(jumps, decay)[:count], 40)
    return decayed
