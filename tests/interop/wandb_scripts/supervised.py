"""The usual loop: arguments as the configuration, losses of steps and epochs, a summary of the best accuracy."""

import argparse

import torch
import wandb
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--hidden", type=int, default=16)
args = parser.parse_args()

run = wandb.init(project="digits", name="supervised", config=args, tags=["baseline", "cpu"], notes="first try")
config = wandb.config
torch.manual_seed(0)
x = torch.randn(256, 8)
y = (x[:, 0] + x[:, 1] ** 2 > 0.5).long()
model = nn.Sequential(nn.Linear(8, config.hidden), nn.ReLU(), nn.Linear(config["hidden"], 2))
optimizer = torch.optim.SGD(model.parameters(), lr=config.lr)
wandb.watch(model, log="all", log_freq=4)

best = 0.0
for epoch in range(config.epochs):
    for batch in range(0, 256, 64):
        loss = nn.functional.cross_entropy(model(x[batch : batch + 64]), y[batch : batch + 64])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        wandb.log({"train/loss": loss.item(), "train/loss_tensor": loss})
    with torch.no_grad():
        accuracy = (model(x).argmax(1) == y).float().mean()
    best = max(best, accuracy.item())
    wandb.log({"epoch": epoch, "val": {"accuracy": accuracy, "error": 1 - accuracy.item()}})
    wandb.run.summary["best_accuracy"] = best

torch.save(model.state_dict(), f"{wandb.run.dir}/model.pt")
wandb.save("model.pt")
artifact = wandb.Artifact("model", type="model")
artifact.add_file(f"{wandb.run.dir}/model.pt")
wandb.log_artifact(artifact)
wandb.finish()
