"""The sample of MindSpore's documentation, with our imports and PyTorch's network, run as it is printed."""

import subprocess
import sys
from pathlib import Path

from support.landscape_events import newest
from support.pytorch import needs_torch

SAMPLE = """
import torch
from torch import nn
from toposcope.recorder.callbacks import SummaryCollector, SummaryLandscape
from toposcope.recorder.training import Model
from toposcope.recorder.metrics import Loss, Accuracy

print("the main module runs")


def create_dataset(directory, batch_size):
    images = torch.rand(160, 1, 28, 28, generator=torch.Generator().manual_seed(0))
    labels = (images.mean((1, 2, 3)) > 0.5).long()
    return list(zip(images.split(batch_size), labels.split(batch_size)))


class LeNet5(nn.Sequential):
    def __init__(self, num_class):
        torch.manual_seed(0)
        super().__init__(
            nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, num_class),
        )


if __name__ == '__main__':
    mnist_dataset_dir = '/path/to/mnist_dataset_directory'
    # The detail of create_dataset method shown in model_zoo.official.cv.lenet.src.dataset.py
    ds_train = create_dataset(mnist_dataset_dir, 32)
    # The detail of LeNet5 shown in model_zoo.official.cv.lenet.src.lenet.py
    network = LeNet5(10)
    net_loss = nn.CrossEntropyLoss()
    net_opt = torch.optim.SGD(network.parameters(), 0.01, 0.9)
    model = Model(network, net_loss, net_opt, metrics={"Accuracy": Accuracy()})
    # Simple usage for collect landscape information:
    interval_1 = [1, 2, 3, 4, 5]
    summary_collector = SummaryCollector(summary_dir='./summary/lenet_interval_1',
                                         collect_specified_data={'collect_landscape':{"landscape_size": 4,
                                                                                       "unit": "step",
                                                                         "create_landscape":{"train":True,
                                                                                            "result":False},
                                                                         "num_samples": 2048,
                                                                         "intervals": [interval_1]}
                                                                   })
    model.train(1, ds_train, callbacks=[summary_collector], dataset_sink_mode=False)

    # Simple usage for visualization landscape:
    def callback_fn():
        network = LeNet5(10)
        net_loss = nn.CrossEntropyLoss()
        metrics = {"Loss": Loss()}
        model = Model(network, net_loss, metrics=metrics)
        mnist_dataset_dir = '/path/to/mnist_dataset_directory'
        ds_eval = create_dataset(mnist_dataset_dir, 32)
        return model, network, ds_eval, metrics

    summary_landscape = SummaryLandscape('./summary/lenet_interval_1')
    # parameters of collect_landscape can be modified or unchanged
    summary_landscape.gen_landscapes_with_multi_process(callback_fn,
                                                       collect_landscape={"landscape_size": 6,
                                                                        "create_landscape":{"train":True,
                                                                                           "result":False},
                                                                         "num_samples": 2048,
                                                                         "intervals": [interval_1]},
                                                        device_ids=[0, 1])
"""


@needs_torch
def test_documented_sample_runs_with_two_workers(tmp_path: Path) -> None:
    """callback_fn is defined under the guard of the main module, which workers do not run."""
    (tmp_path / "sample.py").write_text(SAMPLE)
    command = [sys.executable, "-W", "error", "sample.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=100)

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "the main module runs\n"
    surface = newest(tmp_path / "summary" / "lenet_interval_1")["landscape_[1, 5]"]
    assert surface.z.shape == (6, 6)
    assert surface.details is not None
    assert surface.details.measured.z.shape == (9, 9)
    assert surface.details.diagnostics.samples == 160
