"""Metrics with x axes of their own: define_metric() with patterns, aggregations, and steps that lack the x axis."""

import math

import wandb

run = wandb.init(project="metrics", name="metrics")
run.define_metric("epoch", hidden=True)
run.define_metric("val/*", step_metric="epoch", summary="min,max,mean,last,first")
run.define_metric("lr", step_metric="phase")
run.define_metric("apart", step_metric="epoch", step_sync=False)
run.define_metric("of step", step_metric="_step")
run.define_metric("nested.loss", step_metric="epoch", summary="max")
run.define_metric("copied", summary="copy")
run.define_metric("nothing", summary="none")
run.define_metric("merged", summary="max")
run.define_metric("merged", step_metric="epoch", summary="min")
run.define_metric("replaced", step_metric="epoch", summary="max")
run.define_metric("replaced", summary="min", overwrite=True)
run.log({"val/early": 0.5})
run.log({"phase": 2, "late": 4.0})
for epoch in range(3):
    for batch in range(2):
        value = 3.0 - epoch - batch / 4
        run.log({"val/loss": value, "nested": {"loss": value}, "copied": value, "nothing": value}, commit=False)
        run.log({"merged": value, "replaced": value, "apart": value})
    run.log({"epoch": epoch + 1, "of step": epoch})
    run.log({"lr": 0.1 / (epoch + 1)})
run.define_metric("late", summary="max")
run.log({"late": 1.0})
run.log({"val/bad": math.nan})
run.log({"val/bad": 2.0})
run.summary["merged"] = 7.5
run.log({"merged": 1.0}, step=40)
run.log({"epoch": 9}, step=40)
run.log({"val/loss": 0.0}, step=41)
run.finish()
