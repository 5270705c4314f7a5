"""A loop with its own step: evaluation every few iterations, values of one step from several places."""

import math
import os

import numpy as np
import wandb

max_iters, eval_interval = 20, 5
config = dict(batch_size=4, learning_rate=6e-4, max_iters=max_iters, eval_interval=5, model=dict(n_layer=2))
wandb.init(project="owt", name="mini", config=config, job_type="train", group=os.environ.get("GROUP", "local"))
wandb.define_metric("val/loss", summary="min")
random = np.random.default_rng(0)

for iter_num in range(max_iters + 1):
    loss = 4.0 / math.sqrt(iter_num + 1) + random.normal() / 100
    if iter_num % eval_interval == 0:
        wandb.log(
            {"iter": iter_num, "train/loss": np.float32(loss), "val/loss": loss * 1.1, "lr": 6e-4 * 0.9**iter_num},
            step=iter_num,
        )
    wandb.log({"tokens": iter_num * 32, "mfu": -100.0 if iter_num < 5 else np.float64(0.4)}, step=iter_num)
    if iter_num == 10:
        wandb.log({"grad_norm": float("nan"), "scale": float("inf")}, step=iter_num)
