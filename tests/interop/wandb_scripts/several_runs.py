"""A search: one run per setting in one process, the keys of an account, files, and a sweep that is not used."""

import os

import wandb

settings = wandb.Settings(silent=True)
for number, lr in enumerate((0.1, 0.01)):
    run = wandb.init(
        project="search",
        group="grid",
        name=f"lr={lr}",
        config={"lr": lr},
        reinit=True,
        settings=settings,
        save_code=False,
    )
    wandb.config.update(dict(optimizer="sgd", momentum=None), allow_val_change=True)
    for step in range(4):
        wandb.log({"loss": lr * (4 - step), "number": number}, step=step)
    run.log({"done": True}, step=4, commit=True)
    with open(os.path.join(run.dir, "notes.txt"), "w") as file:
        file.write("kept")
    wandb.run.summary["score"] = 1 - lr
    assert wandb.run.id
    assert wandb.run.name == f"lr={lr}"
    wandb.finish()
assert wandb.run is None

disabled = wandb.init(mode="disabled")
disabled.log({"loss": 1.0})
disabled.finish()
