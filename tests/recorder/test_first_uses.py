"""The first uses of the recorder in several threads at once, in fresh processes."""

from pathlib import Path

import pytest
from support.pytorch import needs_torch
from support.torch_programs import TorchPrograms

PROGRAM = """
import os, sys, threading, traceback
import torch
from torch import nn

KIND, FOLDER, THREADS = sys.argv[1], sys.argv[2], 8
BATCHES = [(torch.ones(1, 2), torch.ones(1, 1))] * 2
os.environ["WANDB_SILENT"] = "true"
os.makedirs(FOLDER)
sys.setswitchinterval(1e-6)

def watch(folder, network, optimizer):
    from toposcope.recorder.callbacks import SummaryCollector
    data = {"collect_gradient_norm": True}
    with SummaryCollector(folder, collect_specified_data=data).watch(network, optimizer, BATCHES) as run:
        for inputs, labels in BATCHES:
            loss = nn.functional.mse_loss(network(inputs), labels)
            loss.backward()
            optimizer.step()
            run.step(loss)
        run.eval({"loss": 1.0})

def model(folder, network, optimizer):
    from toposcope.recorder.callbacks import LossMonitor, ModelCheckpoint, SummaryCollector
    from toposcope.recorder.training import Model
    callbacks = [SummaryCollector(folder), ModelCheckpoint("a", f"{folder}/checkpoints"), LossMonitor()]
    Model(network, nn.MSELoss(), optimizer, metrics={"mse"}).fit(1, BATCHES, BATCHES, callbacks=callbacks)

def trainer(folder, network, optimizer):
    from toposcope.recorder.event_callbacks import LRMonitor, OptimizerMonitor, SpeedMonitor
    from toposcope.recorder.loggers import SummaryLogger
    from toposcope.recorder.training import Trainer
    Trainer(
        model=network,
        loss_fn=nn.MSELoss(),
        optimizers=optimizer,
        train_dataloader=BATCHES,
        max_duration="1ep",
        callbacks=[SpeedMonitor(), LRMonitor(), OptimizerMonitor()],
        loggers=[SummaryLogger(folder)],
    ).fit()

def record(folder, network, optimizer):
    import toposcope.recorder as recorder
    with recorder.SummaryRecord(folder, network=network) as record:
        network(torch.ones(1, 2))
        record.add_value("histogram", "h", torch.randn(5))
        record.add_value("image", "i", torch.rand(1, 3, 4, 4))
        record.add_value("tensor", "t", torch.rand(2))
        assert record.record(1)

def writer(folder, network, optimizer):
    import toposcope.recorder as recorder
    with recorder.SummaryWriter(folder) as writer:
        writer.add_scalar("s", torch.ones(1), 1)
        writer.add_histogram("h", torch.randn(5), 1)
        writer.add_image("i", torch.rand(3, 4, 4), 1)
        writer.add_graph(network, torch.ones(1, 2))
        writer.add_hparams({"lr": 0.1}, {"m": 1.0})

def wandb(folder, network, optimizer):
    from toposcope.recorder import wandb
    run = wandb.init(project="p", dir=folder, reinit="create_new")
    run.watch(network)
    run.log({"a": 1, "h": wandb.Histogram([1, 2]), "i": wandb.Image(torch.rand(3, 4, 4))})
    run.finish()

def checkpoint(folder, network, optimizer):
    from toposcope.recorder.checkpoints import load_checkpoint, save_checkpoint
    save_checkpoint(network, f"{folder}.ckpt")
    load_checkpoint(f"{folder}.ckpt")

def thor(folder, network, optimizer):
    from toposcope.recorder.train_thor import thor
    optimizer = thor(network, 0.1, 0.1, 0.9, frequency=1)
    nn.functional.mse_loss(network(torch.ones(1, 2)), torch.ones(1, 1)).backward()
    optimizer.step()

def use(number):
    network = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    barrier.wait()
    try:
        uses[number % len(uses)](f"{FOLDER}/{number}", network, optimizer)
    except BaseException:
        traceback.print_exc()

ALL = [watch, model, trainer, record, writer, wandb, checkpoint, thor]
uses = ALL if KIND == "all" else [globals()[KIND]]
barrier = threading.Barrier(THREADS)
threads = [threading.Thread(target=use, args=(number,)) for number in range(THREADS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


# Lines of LossMonitor.
_PRINTED = ("epoch:", "Train epoch", "Eval result")


@needs_torch
@pytest.mark.parametrize("kind", ["watch", "model", "trainer", "record", "writer", "wandb", "all"])
def test_the_first_uses_may_be_in_several_threads(kind: str, tmp_path: Path, programs: TorchPrograms) -> None:
    """No thread fails, and no log line says that something cannot be read."""
    output = programs.run(PROGRAM, kind, tmp_path / "runs", folder=tmp_path)

    assert [line for line in output.splitlines() if line and not line.startswith(_PRINTED)] == [], output
