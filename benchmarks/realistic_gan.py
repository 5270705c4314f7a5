"""A GAN as torch's own writer records it: add_hparams, images, sound, text, and the graph of a residual network."""

import importlib.util
from pathlib import Path

import numpy as np
from event_logs import Float64s

from toposcope.recorder import SummaryWriter

START = 1_764_000_000.0
ITERATIONS = 20_000
PICTURES = 10
SIDE = 64
RUNS: dict[str, dict[str, float | str]] = {
    "stylegan2_ffhq_lr0.002_dim512": {"lr": 0.002, "latent_dim": 512, "arch": "stylegan2", "r1_gamma": 10.0},
    "stylegan2_ffhq_lr0.0025_dim256": {"lr": 0.0025, "latent_dim": 256, "arch": "stylegan2", "r1_gamma": 2.0},
}


def write_gans(logdir: Path, scale: float) -> None:
    """Write the runs; scale multiplies their iterations."""
    for number, (name, settings) in enumerate(RUNS.items()):
        write_gan(logdir / name, settings, max(200, int(ITERATIONS * scale)), np.random.default_rng(number))


def write_gan(folder: Path, settings: dict[str, float | str], iterations: int, random: np.random.Generator) -> None:
    """Write one run, as a training loop would."""
    steps = range(0, iterations, 10)
    noise = random.standard_t(3, (5, len(steps)))
    fid = 20.0
    with SummaryWriter(str(folder)) as writer:
        for place, step in enumerate(steps):
            share, at = step / iterations, START + 0.21 * step
            fid = 12 + 240 * float(np.exp(-6 * share)) + 3 * float(noise[4, place])
            writer.add_scalar("Loss/D_real", 0.4 + 0.1 * noise[0, place], step, walltime=at)
            writer.add_scalar("Loss/D_fake", 0.45 + 0.1 * noise[1, place], step, walltime=at)
            writer.add_scalar("Loss/G", 1.2 + share + 0.4 * noise[2, place], step, walltime=at)
            writer.add_scalar("Loss/R1", abs(0.02 * noise[3, place]), step, walltime=at)
            writer.add_scalars("Score", {"real": 0.8 - 0.2 * share, "fake": 0.1 + 0.3 * share}, step, walltime=at)
            if place % 50 == 0:
                writer.add_scalar("Metrics/FID", fid, step, walltime=at)
        for number in range(PICTURES):
            step, at = iterations * number // PICTURES, START + 0.21 * iterations * number / PICTURES
            writer.add_image("samples/ema", picture(number / PICTURES, random), step, walltime=at)
            writer.add_histogram("G/mapping.fc0/weight", random.normal(0, 1 + number / 9, 4096), step, walltime=at)
        writer.add_audio("preview", tone(), iterations, 8000, walltime=START)
        writer.add_text("notes", "FFHQ at 256 x 256, *mirrored*.", 0, walltime=START)
        if importlib.util.find_spec("torch"):
            add_residual_network(writer)
        else:
            print("  without the graph: torch is not installed")
        writer.add_hparams(settings, {"hparam/FID": fid}, run_name="hparams")


def picture(sharpness: float, random: np.random.Generator) -> Float64s:
    """Return a colour image, shape (3, height, width), from 0 to 1: noise that becomes a face-like blob."""
    y, x = np.mgrid[-1 : 1 : SIDE * 1j, -1 : 1 : SIDE * 1j]
    blob = np.exp(-3 * (x**2 + 0.7 * y**2))
    colours = np.stack([blob, 0.8 * blob, 0.6 * blob])
    mixed: Float64s = np.clip(sharpness * colours + (1 - sharpness) * random.random((3, SIDE, SIDE)), 0, 1)
    return mixed


def tone() -> Float64s:
    """Return a second of a falling tone, shape (1, samples)."""
    time = np.arange(8000) / 8000
    sound: Float64s = (0.5 * np.sin(2 * np.pi * (440 - 120 * time) * time))[None]
    return sound


def add_residual_network(writer: SummaryWriter) -> None:
    """Record the graph of a small residual network."""
    import torch
    from torch import nn

    class Block(nn.Module):
        """Two convolutions beside a shortcut."""

        def __init__(self, width: int) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(width, width, 3, padding=1)
            self.bn1 = nn.BatchNorm2d(width)
            self.conv2 = nn.Conv2d(width, width, 3, padding=1)
            self.bn2 = nn.BatchNorm2d(width)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            inner = torch.relu(self.bn1(self.conv1(x)))
            return torch.relu(self.bn2(self.conv2(inner)) + x)

    torch.manual_seed(0)
    stages = nn.Sequential(*(nn.Sequential(Block(8), Block(8)) for _ in range(4)))
    network = nn.Sequential(nn.Conv2d(3, 8, 7, padding=3), stages, nn.AdaptiveAvgPool2d(1), nn.Flatten())
    writer.add_graph(network.eval(), torch.zeros(1, 3, 32, 32))
