"""Episodes with a counter of their own, metrics that are collected with commit=False, and an alert."""

import random
from datetime import timedelta

import wandb
from wandb import AlertLevel

random.seed(1)
with wandb.init(project="cartpole", config={"gamma": 0.99, "env": "CartPole-v1", "seed": 1}, reinit=True) as run:
    run.define_metric("global_step")
    run.define_metric("charts/*", step_metric="global_step")
    run.define_metric("charts/return", summary="max,mean")
    run.config.update({"total_timesteps": 400})
    run.config.update({"seed": 2}, allow_val_change=True)
    global_step, alerted = 0, False
    while global_step < run.config.total_timesteps:
        length = random.randint(8, 40)
        global_step += length
        run.log({"global_step": global_step, "charts/length": length}, commit=False)
        run.log({"losses": {"value": random.random(), "policy": {"kl": random.random() / 100}}}, commit=False)
        run.log({"charts/return": float(length), "charts/solved": length > 35})
        if length > 35 and not alerted:
            wandb.alert(title="Solved", text=f"{length}", level=AlertLevel.INFO, wait_duration=timedelta(minutes=5))
            alerted = True
    run.summary.update({"episodes": run.step, "final": {"return": float(length)}})
    run.log_code(".")
