"""Training scripts of frameworks that log to TensorBoard: each prints as JSON what the framework itself reports.

A script is its imports and its training: what stands between them can be install(). None of them has a word of
Toposcope's. The runs that they record are below the working directory.
"""

from typing import NamedTuple


class FrameworkScript(NamedTuple):
    """A script that trains a tiny model on a CPU and prints {tag: {step: value}} of what it has logged."""

    name: str
    imports: str
    training: str
    directory: str
    """Of the run, a pattern."""


LIGHTNING = FrameworkScript(
    "lightning",
    """
import csv, glob, json, sys, torch, lightning as L
from lightning.pytorch.loggers import CSVLogger, TensorBoardLogger
""",
    """
class Network(L.LightningModule):
    def __init__(self, lr=0.1):
        super().__init__()
        self.save_hyperparameters()
        self.layer = torch.nn.Linear(4, 1)
        self.example_input_array = torch.zeros(2, 4)
    def forward(self, x):
        return self.layer(x)
    def training_step(self, batch, _):
        loss = self(batch[0]).pow(2).mean()
        self.log("loss", loss)
        return loss
    def validation_step(self, batch, _):
        self.log("val", self(batch[0]).pow(2).mean())
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.lr)

def main(**options):
    torch.manual_seed(0)
    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(32, 4)), batch_size=4)
    loggers = [TensorBoardLogger(".", name="tensorboard", log_graph=True), CSVLogger(".", name="csv")]
    trainer = L.Trainer(
        max_epochs=2, logger=loggers, log_every_n_steps=1, accelerator="cpu", enable_progress_bar=False,
        enable_model_summary=False, enable_checkpointing=False, **options,
    )
    trainer.fit(Network(), data, data)
    if trainer.is_global_zero:
        reported = {}
        with open("csv/version_0/metrics.csv") as file:
            for row in csv.DictReader(file):
                for tag in set(row) - {"step"}:
                    if row[tag]:
                        reported.setdefault(tag, {})[row["step"]] = float(row[tag])
        print(json.dumps(reported))

if __name__ == "__main__":
    main()
""",
    "tensorboard/version_0",
)

TRANSFORMERS = FrameworkScript(
    "transformers",
    """
import json, torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments
""",
    """
torch.manual_seed(0)
sizes = dict(vocab_size=50, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16)
data = [{"input_ids": torch.randint(0, 50, (8,)), "labels": torch.tensor(i % 2)} for i in range(32)]
arguments = TrainingArguments(
    "output", report_to="tensorboard", logging_steps=2, num_train_epochs=2, per_device_train_batch_size=4,
    gradient_accumulation_steps=2, use_cpu=True, disable_tqdm=True, eval_strategy="epoch", save_strategy="no",
)
trainer = Trainer(
    BertForSequenceClassification(BertConfig(**sizes)), arguments, train_dataset=data, eval_dataset=data
)
trainer.train()
reported = {}
for entry in trainer.state.log_history:
    for name, value in entry.items():
        if name != "step":
            tag = f"eval/{name[5:]}" if name.startswith("eval_") else f"train/{name}"
            reported.setdefault(tag, {})[entry["step"]] = value
print(json.dumps(reported))
""",
    "output/runs/*",
)

ACCELERATE = FrameworkScript(
    "accelerate",
    """
import json, torch
from accelerate import Accelerator
""",
    """
torch.manual_seed(0)
accelerator = Accelerator(log_with="tensorboard", project_dir=".", cpu=True)
accelerator.init_trackers("tensorboard", {"lr": 0.1, "layers": 1})
model = torch.nn.Linear(4, 1)
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(32, 4)), batch_size=4)
model, optimizer, data = accelerator.prepare(model, torch.optim.SGD(model.parameters(), lr=0.1), data)
losses = {}
for step, (x,) in enumerate(data):
    loss = model(x).pow(2).mean()
    accelerator.backward(loss)
    optimizer.step()
    optimizer.zero_grad()
    losses[step] = accelerator.gather(loss).mean().item()
    accelerator.log({"loss": losses[step]}, step=step)
accelerator.end_training()
if accelerator.is_main_process:
    print(json.dumps({"loss": losses}))
""",
    "tensorboard",
)

STABLE_BASELINES3 = FrameworkScript(
    "stable_baselines3",
    """
import json
from stable_baselines3 import PPO
from stable_baselines3.common.logger import HParam, configure
""",
    """
model = PPO("MlpPolicy", "CartPole-v1", n_steps=32, batch_size=32, seed=0, device="cpu")
model.set_logger(configure("run", ["tensorboard", "json"]))
model.learn(128)
model.logger.record("hyperparameters", HParam({"batch_size": 32}, {"train/loss": 0.0}), exclude=("json",))
model.logger.dump(200)
model.logger.close()
reported = {}
with open("run/progress.json") as file:
    for entry in map(json.loads, file):
        for tag, value in entry.items():  # SB3 does not log counters to TensorBoard.
            if not tag.startswith("time/") and tag != "train/n_updates":
                reported.setdefault(tag, {})[entry.get("time/total_timesteps", 200)] = value
print(json.dumps(reported))
""",
    "run",
)

IGNITE = FrameworkScript(
    "ignite",
    """
import json, torch
from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer
from ignite.handlers.tensorboard_logger import TensorboardLogger, WeightsHistHandler, global_step_from_engine
from ignite.metrics import Loss
""",
    """
torch.manual_seed(0)
model, loss = torch.nn.Linear(4, 1), torch.nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = [(torch.randn(4, 4), torch.randn(4, 1)) for _ in range(8)]
trainer = create_supervised_trainer(model, optimizer, loss)
evaluator = create_supervised_evaluator(model, {"mse": Loss(loss)})
reported = {"training/loss": {}, "validation/mse": {}}
logger = TensorboardLogger(log_dir="run")
logger.attach_output_handler(
    trainer, Events.ITERATION_COMPLETED, tag="training", output_transform=lambda loss: {"loss": loss}
)
logger.attach_output_handler(
    evaluator, Events.COMPLETED, tag="validation", metric_names=["mse"],
    global_step_transform=global_step_from_engine(trainer),
)
logger.attach(trainer, log_handler=WeightsHistHandler(model), event_name=Events.EPOCH_COMPLETED)

@trainer.on(Events.ITERATION_COMPLETED)
def report(engine):
    reported["training/loss"][engine.state.iteration] = engine.state.output

@trainer.on(Events.EPOCH_COMPLETED)
def evaluate(engine):
    evaluator.run(data)
    reported["validation/mse"][engine.state.epoch] = evaluator.state.metrics["mse"]

trainer.run(data, max_epochs=2)
logger.close()
print(json.dumps(reported))
""",
    "run",
)

RAY_TUNE = FrameworkScript(
    "ray_tune",
    """
import json, os, ray
from ray import tune
""",
    """
def train(config):
    for step in range(1, 4):
        tune.report({"loss": config["lr"] / step})

ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
config = tune.RunConfig(name="trial", storage_path=os.path.abspath("ray"), verbose=0)
tuner = tune.Tuner(train, param_space={"lr": 0.3}, run_config=config)
(result,) = tuner.fit()
frame = result.metrics_dataframe
print(json.dumps({"ray/tune/loss": dict(zip(frame["training_iteration"].tolist(), frame["loss"].tolist()))}))
""",
    "ray/trial/train_*",
)

ULTRALYTICS = FrameworkScript(
    "ultralytics",
    """
import json, os
os.environ["YOLO_CONFIG_DIR"] = os.path.abspath("settings")
import numpy as np
from PIL import Image
def prepare(trainer=None):
    import torch
    try:
        import torchvision
    except RuntimeError:  # Its build for CUDA, beside PyTorch's for CPUs.
        for name in ("nms", "qnms"):
            torch.library.define(f"torchvision::{name}", "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
prepare()
from ultralytics import YOLO, settings
settings.update({"tensorboard": True, "sync": False})
""",
    """
if __name__ == "__main__":
    for part in ("train", "val"):
        for kind in ("dark", "light"):
            os.makedirs(f"images/{part}/{kind}", exist_ok=True)
            for n in range(4):
                pixels = np.random.default_rng(n).integers(0, 128, (32, 32, 3)) + 127 * (kind == "light")
                Image.fromarray(pixels.astype(np.uint8)).save(f"images/{part}/{kind}/{n}.png")
    reported = {}

    def report(values, step):
        for tag, value in values.items():
            reported.setdefault(tag, {})[step] = float(value)

    model = YOLO("yolo11n-cls.yaml")
    model.add_callback("on_pretrain_routine_start", prepare)
    model.add_callback("on_fit_epoch_end", lambda trainer: report(trainer.metrics, trainer.epoch + 1))
    model.add_callback("on_train_epoch_end", lambda trainer: report(trainer.lr, trainer.epoch + 1))
    model.add_callback("on_train_end", lambda trainer: print(json.dumps(reported)))
    model.train(
        data=os.path.abspath("images"), epochs=2, imgsz=32, batch=4, device="cpu", workers=0, plots=False,
        project=os.path.abspath("yolo"), name="run", verbose=False,
    )
""",
    "yolo/run",
)
