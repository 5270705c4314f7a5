"""SummaryCollector in PyTorch trainings, compared with a recording of MindSpore's own collector."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from support.event_files import GOLDEN
from support.recorded_run import scalars_of
from support.written_events import ReadEvents
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from toposcope import server
from toposcope.proto.lineage_pb2 import LineageEvent
from toposcope.proto.summary_pb2 import Event
from toposcope.recorder import summary
from toposcope.recorder.callbacks.model_checkpoint import ModelCheckpoint
from toposcope.recorder.callbacks.summary_collector import SummaryCollector
from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.run_context import RunContext
from toposcope.recorder.training.model import Model

QUIET = {"collect_machine": False, "collect_environment": False, "collect_code": False, "collect_throughput": False}
GOLDEN_RUN = GOLDEN / "mindspore" / "digits_momentum"


class Layers(nn.Module):
    """The layers of the golden run's network, including its operators."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1, bias=False)
        self.conv2 = nn.Conv2d(8, 16, 3, padding=1, bias=False)
        self.fc1 = nn.Linear(256, 32)
        self.fc2 = nn.Linear(32, 10)

    def scores(self, images: torch.Tensor) -> torch.Tensor:
        """Return the scores of the classes and record summary values."""
        hidden = torch.relu(self.conv2(torch.relu(self.conv1(images))))
        hidden = torch.relu(self.fc1(nn.functional.max_pool2d(hidden, 2).flatten(1)))
        logits: torch.Tensor = self.fc2(hidden)
        summary.image("input", images)
        summary.histogram("fc1_activation", hidden)
        summary.tensor("logits", logits)
        summary.scalar("logit_abs_mean", logits.abs().mean())
        return logits


class SmallConv(Layers):
    """The network of the golden run."""

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Return scores."""
        return self.scores(images)


def digits(batches: int, size: int = 16) -> DataLoader[tuple[torch.Tensor, ...]]:
    """Return a loader of images and labels."""
    generator = torch.Generator().manual_seed(0)
    images = torch.rand(batches * size, 1, 8, 8, generator=generator)
    labels = torch.randint(0, 10, (batches * size,), generator=generator)
    return DataLoader(TensorDataset(images, labels), batch_size=size)


def model_of(network: nn.Module, **options: Any) -> Model:
    """Return a model that trains network with momentum."""
    optimizer = torch.optim.SGD(network.parameters(), lr=0.05, momentum=0.9)
    return Model(network, nn.CrossEntropyLoss(), optimizer, metrics={"accuracy", "loss"}, **options)


def run_in(directory: Path) -> Any:
    """Return the only run of a directory."""
    (run,) = server.open(directory).runs.values()
    return run


def graph_in(directory: Path, read_events: ReadEvents) -> Any:
    """Return the only graph of a directory."""
    (path,) = directory.glob("*_MS")
    (event,) = [event for event in read_events(path) if event.HasField("graph_def")]
    assert isinstance(event, Event)
    return event.graph_def


def test_same_tags_and_steps_as_mindspores_collector(tmp_path: Path) -> None:
    """With the settings of the golden training: 4 epochs of 23 steps, collect_freq=5, selected parameters."""
    expected = json.loads((GOLDEN_RUN / "expected.json").read_text())
    pattern = r"conv.*|fc2.*"
    collector = SummaryCollector(
        tmp_path, 5, {**QUIET, "histogram_regular": pattern, "collect_learning_rate": False}, metric_freq=None
    )
    model_of(SmallConv()).train(4, digits(23, 64), callbacks=collector)

    run = run_in(tmp_path)
    readers = {"scalar": run.scalars, "tensor": run.tensors, "histogram": run.histograms, "image": run.images}
    for plugin, read in readers.items():
        # MindSpore writes operator values of its landscapes at step 0, and the last step of an epoch twice.
        steps = {tag: sorted({point[0] for point in points} - {0}) for tag, points in expected[plugin].items()}
        assert {tag: [int(step) for step in read(tag).step] for tag in run.tags(plugin)} == steps


def test_same_kinds_of_lineage_as_mindspores_collector(tmp_path: Path) -> None:
    """Every field that MindSpore's collector sets, except a checkpoint that does not exist."""
    events = [LineageEvent.FromString(payload) for payload in _payloads(GOLDEN_RUN)]
    golden = next(event.train_lineage for event in events if event.HasField("train_lineage"))
    collector = SummaryCollector(tmp_path, 5, QUIET)
    model_of(SmallConv()).train(4, digits(23, 64), callbacks=collector)

    ours = next(
        event.train_lineage
        for event in (LineageEvent.FromString(payload) for payload in _payloads(tmp_path))
        if event.HasField("train_lineage")
    )
    assert {field.name for field, _ in golden.hyper_parameters.ListFields()} <= {
        field.name for field, _ in ours.hyper_parameters.ListFields()
    }
    assert ours.train_dataset.train_dataset_size == golden.train_dataset.train_dataset_size == 1472
    assert ours.algorithm.network == golden.algorithm.network
    assert ours.hyper_parameters.epoch == golden.hyper_parameters.epoch
    assert ours.hyper_parameters.batch_size == golden.hyper_parameters.batch_size
    assert (ours.hyper_parameters.optimizer, ours.hyper_parameters.loss_function) == ("SGD", "CrossEntropyLoss")
    assert ours.hyper_parameters.learning_rate == golden.hyper_parameters.learning_rate


def _payloads(directory: Path) -> list[bytes]:
    from toposcope.proto import framing

    payloads = []
    for path in sorted(directory.glob("*_lineage")):
        content, start = path.read_bytes(), 0
        while start < len(content):
            begin = start + framing.HEADER_BYTES
            end = begin + framing.read_header(content[start:begin]).length
            payloads.append(content[begin:end])
            start = end + framing.FOOTER_BYTES
    return payloads


class Copies(Callback):
    """Copies the values that the collector should record at a step."""

    def __init__(self, step: int) -> None:
        self.step = step

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Copy parameters, gradients and the loss."""
        params = run_context.original_args()
        if params.cur_step_num == self.step:
            named = dict(params.network.named_parameters())
            self.parameters = {name: tensor.detach().numpy().copy() for name, tensor in named.items()}
            self.gradients = {name: tensor.grad.numpy().copy() for name, tensor in named.items()}
            self.loss = float(params.net_outputs)


def test_values_are_those_of_the_step(tmp_path: Path) -> None:
    """Loss, histograms of parameters and gradients, and norms, after the optimizer's step."""
    copies = Copies(10)
    data = {**QUIET, "collect_gradient_norm": True, "gradient_histogram_regular": "fc"}
    model_of(SmallConv()).train(
        1, digits(12), callbacks=[SummaryCollector(tmp_path, 10, data, metric_freq=None), copies]
    )

    run = run_in(tmp_path)
    assert run.scalars("loss/auto").value[1] == copies.loss
    histogram = run.histograms("conv1.weight/auto")[1]
    assert (histogram.total_count, histogram.min) == (72, copies.parameters["conv1.weight"].min())
    gradient = run.histograms("gradient/fc2.bias")[1]
    assert (gradient.total_count, gradient.max) == (10, copies.gradients["fc2.bias"].max())
    norm = run.scalars("gradient_norm/global").value[1]
    assert norm == pytest.approx(np.sqrt(sum((each**2).sum() for each in copies.gradients.values())), rel=1e-5)


def test_graph_is_recorded_from_the_first_batch(tmp_path: Path, read_events: ReadEvents) -> None:
    """Once, with the operators of the network, and without changing the training."""
    torch.manual_seed(1)
    collected, plain = SmallConv(), SmallConv()
    plain.load_state_dict(collected.state_dict())
    model_of(collected).train(1, digits(3), callbacks=SummaryCollector(tmp_path))
    model_of(plain).train(1, digits(3))

    graph = graph_in(tmp_path, read_events)
    assert graph.name == "SmallConv"
    assert {"conv2d", "linear", "relu"} <= {node.op_type for node in graph.node}
    for ours, theirs in zip(collected.state_dict().values(), plain.state_dict().values(), strict=True):
        assert torch.equal(ours, theirs)
    assert not collected._forward_pre_hooks


def test_graph_is_recorded_from_the_example_input(tmp_path: Path, read_events: ReadEvents) -> None:
    """If the user provides one, alone or as a tuple."""
    shapes = []
    for number, example in enumerate((torch.zeros(5, 1, 8, 8), (torch.zeros(5, 1, 8, 8),))):
        directory = tmp_path / str(number)
        model_of(SmallConv()).train(1, digits(1), callbacks=SummaryCollector(directory, example_input=example))
        graph = graph_in(directory, read_events)
        shapes += [tuple(node.output_type.tensor_type.shape.dim[0].size for node in graph.node)[-1]]

    assert shapes[0] == shapes[1] == 5


def test_dataset_graph_and_optimizer_facts_are_recorded(tmp_path: Path) -> None:
    """The loader with its dataset, and the settings besides the learning rate."""
    model_of(SmallConv()).train(1, digits(2), callbacks=SummaryCollector(tmp_path, collect_specified_data=QUIET))

    run = run_in(tmp_path)
    assert "dataset_graph" in run.plugins
    assert run.lineage().custom["optimizer/momentum"] == 0.9


def test_a_group_that_is_added_leaves_the_first_one_its_name(tmp_path: Path) -> None:
    """As when layers are unfrozen during a training."""
    network = nn.Sequential(nn.Linear(3, 2), nn.Linear(2, 1))
    optimizer = torch.optim.SGD(network[1].parameters(), 0.1)
    with SummaryCollector(tmp_path, collect_specified_data=QUIET).watch(network, optimizer) as run:
        for step in range(4):
            if step == 2:
                optimizer.add_param_group({"params": network[0].parameters(), "lr": 0.01})
            loss = network(torch.ones(4, 3)).sum()
            loss.backward()
            optimizer.step()
            run.step(loss)
    assert scalars_of(tmp_path, "learning_rate") == {1: 0.1, 2: 0.1, 3: 0.1, 4: 0.1}
    assert scalars_of(tmp_path, "learning_rate/group1") == {3: 0.01, 4: 0.01}
    assert "learning_rate/group0" not in run_in(tmp_path).tags()


def test_each_parameter_group_has_a_learning_rate(tmp_path: Path) -> None:
    """They are recorded as learning_rate/group<i>; the lineage contains the largest one of the first group."""
    network = SmallConv()
    groups = [{"params": network.conv1.parameters(), "lr": 0.1}, {"params": network.fc2.parameters(), "lr": 0.01}]
    optimizer = torch.optim.SGD(groups)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    model = Model(network, nn.CrossEntropyLoss(), optimizer, schedulers=[scheduler])
    model.train(2, digits(10), callbacks=SummaryCollector(tmp_path, collect_specified_data=QUIET, metric_freq=None))

    run = run_in(tmp_path)
    assert run.scalars("learning_rate/group0").value.tolist() == [0.1, 0.1, 0.05]
    assert run.scalars("learning_rate/group1").value.tolist() == [0.01, 0.01, 0.005]
    assert "learning_rate" not in run.tags()
    assert run.lineage().hyper_parameters["learning_rate"] == 0.1
    assert (run.lineage().custom["scheduler/class"], run.lineage().custom["scheduler/gamma"]) == ("ExponentialLR", 0.5)


def test_evaluation_in_fit_is_recorded_and_its_operators_are_not(tmp_path: Path) -> None:
    """Operators are inactive in evaluations; metrics are recorded at the last step of the epoch."""
    collector = SummaryCollector(tmp_path, 5, QUIET, metric_freq=None)
    model_of(SmallConv()).fit(2, digits(7), digits(3), callbacks=[collector])

    run = run_in(tmp_path)
    assert run.scalars("logit_abs_mean").step.tolist() == run.scalars("loss/auto").step.tolist() == [1, 5, 10]
    assert run.scalars("eval/accuracy").step.tolist() == [7, 14]
    lineage = run.lineage()
    assert lineage.metrics["accuracy"] == run.scalars("eval/accuracy").value[-1]
    assert lineage.valid_dataset["valid_dataset_size"] == 48


@pytest.mark.parametrize("is_first", [True, False])
def test_checkpoint_of_model_checkpoint_is_in_the_lineage(tmp_path: Path, is_first: bool) -> None:
    """The last one that it saved, for any order of callbacks."""
    saver = ModelCheckpoint("digits", str(tmp_path / "saved"))
    callbacks: list[Callback] = [SummaryCollector(tmp_path / "run", collect_specified_data=QUIET), saver]
    model_of(SmallConv()).train(1, digits(3), callbacks=callbacks if is_first else callbacks[::-1])

    model = run_in(tmp_path / "run").lineage().model
    path = Path(saver.latest_ckpt_file_name)
    assert path.name == "digits-1_3.ckpt"
    assert str(path) in str(model["path"])
    assert model["size"] == path.stat().st_size


def test_landscape_checkpoints_contain_the_weights(tmp_path: Path) -> None:
    """The last one contains the current weights of the network."""
    network = SmallConv()
    collector = SummaryCollector(tmp_path, collect_specified_data={"collect_landscape": {}}, keep_default_action=False)
    model_of(network).train(3, digits(5), callbacks=collector)

    metadata = json.loads((tmp_path / "ckpt_dir" / "train_metadata.json").read_text())
    assert metadata["epoch_group"] == {"0": list(range(1, 16))}
    from toposcope.recorder.checkpoints import load_checkpoint

    last = load_checkpoint(tmp_path / "ckpt_dir" / metadata["model_params_file_map"]["15"]).network
    assert all(torch.equal(torch.as_tensor(last[name]), tensor) for name, tensor in network.state_dict().items())


def test_reduced_precision_is_collected(tmp_path: Path) -> None:
    """Parameters in bfloat16, under autocast."""
    network = SmallConv().to(torch.bfloat16)
    loader = [(images.to(torch.bfloat16), labels) for images, labels in digits(2)]
    data = {**QUIET, "collect_gradient_norm": True}
    model_of(network, amp_level="O2").train(1, loader, callbacks=SummaryCollector(tmp_path, 1, data))

    run = run_in(tmp_path)
    assert run.scalars("loss/auto").step.tolist() == [1, 2]
    assert run.histograms("conv1.weight/auto")[1].total_count == 72
    assert (run.scalars("gradient_norm/global").value > 0).all()
    assert len(run.images("input_data/auto")) == 2


def test_batches_of_dicts_and_loss_in_the_network_are_collected(tmp_path: Path, read_events: ReadEvents) -> None:
    """Networks of the Transformers library work this way."""

    class Own(Layers):
        def forward(self, images: torch.Tensor, labels: torch.Tensor) -> Any:
            logits = self.scores(images)
            return nn.functional.cross_entropy(logits, labels), logits

    network = Own()
    loader = [{"images": images, "labels": labels} for images, labels in digits(2)]
    model = Model(network, optimizer=torch.optim.AdamW(network.parameters()))
    model.train(1, loader, callbacks=SummaryCollector(tmp_path, 1, QUIET))

    run = run_in(tmp_path)
    assert run.scalars("loss/auto").step.tolist() == [1, 2]
    assert len(run.images("input_data/auto")) == 2
    assert run.lineage().hyper_parameters["optimizer"] == "AdamW"
    assert "cross_entropy" in " ".join(node.op_type for node in graph_in(tmp_path, read_events).node)


def test_watched_loop_is_collected_completely(tmp_path: Path, read_events: ReadEvents) -> None:
    """Graph and images are those of the observed inputs of the model."""
    network, loader = SmallConv(), digits(10)
    optimizer = torch.optim.Adam(network.parameters(), 0.01)
    with SummaryCollector(tmp_path, collect_specified_data=QUIET, metric_freq=None).watch(
        network, optimizer, loader, epochs=2
    ) as run:
        for _ in range(2):
            for images, labels in loader:
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(network(images), labels)
                loss.backward()
                optimizer.step()
                run.step(loss)
            run.eval({"accuracy": 0.5})

    recorded = run_in(tmp_path)
    steps = [recorded.scalars(tag).step.tolist() for tag in ("loss/auto", "logit_abs_mean")]
    assert steps == [[1, 10, 20]] * 2
    assert recorded.scalars("eval/accuracy").step.tolist() == [10, 20]
    assert len(recorded.images("input_data/auto")) == 3
    assert graph_in(tmp_path, read_events).name == "SmallConv"
    lineage = recorded.lineage()
    assert (lineage.hyper_parameters["optimizer"], lineage.hyper_parameters["epoch"]) == ("Adam", 2)
    assert lineage.hyper_parameters["learning_rate"] == 0.01
