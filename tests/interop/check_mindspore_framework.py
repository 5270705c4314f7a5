"""The facts that the adapter for the real MindSpore provides about networks, optimizers and data pipelines."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
import pytest
from mindspore import Parameter, Tensor, mint, nn
from mindspore.experimental import optim
from mindspore.train.callback._dataset_graph import DatasetGraph as MindSporeDatasetGraph
from PIL import Image

from toposcope.proto.lineage_pb2 import DatasetGraph
from toposcope.recorder.framework import DatasetFacts, framework_of
from toposcope.recorder.frameworks.mindspore.facts.framework import FRAMEWORK

MODES = [pytest.param(ms.GRAPH_MODE, id="graph mode"), pytest.param(ms.PYNATIVE_MODE, id="PyNative mode")]


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> Iterator[int]:
    """Run networks in one of MindSpore's modes."""
    before = ms.get_context("mode")
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=before)


class Net(nn.Cell):
    """Two layers, the first of which is frozen."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Dense(3, 4), nn.Dense(4, 2)
        for parameter in self.first.get_parameters():
            parameter.requires_grad = False

    def construct(self, x: Tensor) -> Tensor:
        """Return the output."""
        return self.second(self.first(x))


def train_cell(network: nn.Cell, optimizer: Any) -> nn.Cell:
    """Return the cell that trains network."""
    return nn.TrainOneStepCell(nn.WithLossCell(network, nn.MSELoss()), optimizer)


def train(cell: nn.Cell, steps: int) -> None:
    """Train on the same batch."""
    for _ in range(steps):
        cell(Tensor(np.ones((4, 3), np.float32)), Tensor(np.zeros((4, 2), np.float32)))


def samples(number: int = 10, **settings: Any) -> Any:
    """Return a source of samples."""
    return ms.dataset.NumpySlicesDataset({"x": np.ones((number, 3), np.float32)}, shuffle=False, **settings)


@pytest.mark.parametrize("thing", [Net(), nn.Momentum(Net().trainable_params(), 0.1, 0.9), Tensor(1.0), nn.MSELoss()])
def test_objects_of_mindspore_are_recognised(thing: object) -> None:
    """Networks, optimizers, tensors and losses."""
    assert framework_of(thing) is FRAMEWORK


@pytest.mark.parametrize("thing", [None, 3, "text", [], np.ones(3), object(), Net, samples()])
def test_other_objects_have_no_facts(thing: Any) -> None:
    """Nothing is raised for objects that are neither networks nor optimizers."""
    assert FRAMEWORK.parameters(thing, thing) == FRAMEWORK.gradients(thing, thing) == {}
    assert FRAMEWORK.learning_rates(thing) == []
    assert FRAMEWORK.network_graph(thing, None) is None
    assert FRAMEWORK.network_state(thing) == FRAMEWORK.facts(thing, None) == {}
    assert FRAMEWORK.optimizer_state(thing) is None
    assert FRAMEWORK.histogram(thing) is None
    if not hasattr(thing, "get_batch_size"):
        assert FRAMEWORK.dataset_graph(thing) is None
        assert FRAMEWORK.dataset_facts(thing) == DatasetFacts()


def test_parameters_are_the_trained_ones() -> None:
    """They are in the optimizer's order; without an optimizer, they are the parameters that are not frozen."""
    net = Net()
    groups = [{"params": [net.second.bias]}, {"params": [net.second.weight, net.first.weight]}]
    optimizer = nn.Momentum(groups, 0.1, 0.9)
    expected = {"second.bias": net.second.bias, "second.weight": net.second.weight, "first.weight": net.first.weight}
    assert list(FRAMEWORK.parameters(net, optimizer).items()) == list(expected.items())
    assert FRAMEWORK.parameters(train_cell(net, optimizer), None).keys() == expected.keys()
    assert list(FRAMEWORK.parameters(net, None)) == ["second.weight", "second.bias"]


@pytest.mark.usefixtures("mode")
def test_learning_rates_are_those_of_the_groups() -> None:
    """There is one per group; a rate that is set is used by the next step."""
    net = Net()
    groups = [{"params": [net.second.weight], "lr": 0.5}, {"params": [net.second.bias]}]
    optimizer = nn.SGD(groups, 0.25)
    assert FRAMEWORK.learning_rates(optimizer) == [0.5, 0.25]
    cell = train_cell(net, optimizer)
    train(cell, 1)
    FRAMEWORK.set_learning_rates(optimizer, [0.0, 0.0])
    before = net.second.weight.asnumpy().copy()
    train(cell, 1)
    np.testing.assert_array_equal(net.second.weight.asnumpy(), before)
    FRAMEWORK.set_learning_rates(optimizer, [0.125, 0.0625])
    assert FRAMEWORK.learning_rates(optimizer) == [0.125, 0.0625]
    train(cell, 1)
    assert np.abs(net.second.weight.asnumpy() - before).max() > 0


@pytest.mark.usefixtures("mode")
@pytest.mark.parametrize(
    ("rate", "expected"),
    [
        pytest.param([0.4, 0.3, 0.2], [0.4, 0.4, 0.3, 0.2], id="list"),
        pytest.param(nn.ExponentialDecayLR(0.5, 0.25, 2), [0.5, 0.5, 0.25, 0.125], id="ExponentialDecayLR"),
    ],
)
def test_the_rate_of_a_schedule_is_that_of_the_newest_step(rate: Any, expected: list[float]) -> None:
    """After each step the rate is the one that the step used; before the first step it is that of the first."""
    net = Net()
    optimizer = nn.Momentum(net.trainable_params(), rate, 0.9)
    cell, rates = train_cell(net, optimizer), FRAMEWORK.learning_rates(optimizer)
    for _ in range(3):
        train(cell, 1)
        rates += FRAMEWORK.learning_rates(optimizer)
    assert rates == pytest.approx(expected)
    with pytest.raises(ValueError, match="schedule"):
        FRAMEWORK.set_learning_rates(optimizer, [0.1])


def test_a_group_with_a_schedule_among_groups_with_fixed_rates_has_a_rate() -> None:
    """Groups may combine schedules and fixed rates."""
    net = Net()
    groups = [{"params": [net.second.weight], "lr": nn.ExponentialDecayLR(0.5, 0.25, 1)}, {"params": [net.second.bias]}]
    optimizer = nn.Momentum(groups, 0.25, 0.9)
    train(train_cell(net, optimizer), 2)
    assert FRAMEWORK.learning_rates(optimizer) == [0.125, 0.25]
    facts = FRAMEWORK.facts(optimizer, ())
    assert facts["lr_schedule"] == "ExponentialDecayLR"


def test_optimizers_with_groups_like_those_of_pytorch_are_supported() -> None:
    """Optimizers of mindspore.experimental and mindspore.mint have a dict per group."""
    net = Net()
    for optimizer in (optim.Adam(net.trainable_params(), 0.25), mint.optim.AdamW(net.trainable_params(), 0.25)):
        assert FRAMEWORK.learning_rates(optimizer) == [0.25]
        FRAMEWORK.set_learning_rates(optimizer, [0.125])
        assert FRAMEWORK.learning_rates(optimizer) == [0.125]
        assert list(FRAMEWORK.parameters(net, optimizer)) == ["second.weight", "second.bias"]
        assert FRAMEWORK.facts(optimizer, ())["eps"] == 1e-8


def test_settings_of_optimizers_and_schedules_are_facts() -> None:
    """They are the constructor arguments of an optimizer and its schedule."""
    parameters = Net().trainable_params()
    momentum = FRAMEWORK.facts(nn.Momentum(parameters, 0.1, 0.9, weight_decay=0.01), ())
    assert momentum == {"momentum": 0.9, "weight_decay": 0.01, "loss_scale": 1.0, "use_nesterov": False}
    adam = FRAMEWORK.facts(nn.Adam(parameters, nn.CosineDecayLR(0.01, 0.1, 10)), ())
    assert (adam["beta1"], adam["beta2"], adam["eps"]) == (0.9, 0.999, 1e-8)
    assert (adam["lr_schedule"], adam["lr_schedule_min_lr"]) == ("CosineDecayLR", 0.01)


def test_names_are_those_of_the_users_classes() -> None:
    """MindSpore's cells that wrap a network are skipped."""
    net = Net()
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    names = [FRAMEWORK.class_name(thing) for thing in (net, train_cell(net, optimizer), optimizer, nn.MSELoss(), None)]
    assert names == ["Net", "Net", "Momentum", "MSELoss", None]
    scaled = nn.TrainOneStepWithLossScaleCell(nn.WithLossCell(net, nn.MSELoss()), optimizer, Tensor(8.0, ms.float32))
    assert FRAMEWORK.class_name(scaled) == "Net"
    assert FRAMEWORK.class_name(nn.WithEvalCell(net, nn.MSELoss())) == "Net"


@pytest.mark.usefixtures("mode")
@pytest.mark.parametrize("trained_before", [False, True])
def test_a_state_is_restored(trained_before: bool) -> None:
    """A training that continues from a state has the same result as the first one."""
    first, second = Net(), Net()
    cells = [train_cell(net, nn.Momentum(net.trainable_params(), 0.1, 0.9)) for net in (first, second)]
    train(cells[0], 2)
    if trained_before:
        train(cells[1], 1)
    state = {name: value.asnumpy().copy() for name, value in FRAMEWORK.network_state(cells[0]).items()}
    optimizer_state = FRAMEWORK.optimizer_state(cells[0].optimizer)
    assert optimizer_state is not None
    assert {"global_step", "learning_rate", "moments.second.weight"} <= optimizer_state.keys()
    assert not state.keys() & optimizer_state.keys()
    FRAMEWORK.load_network_state(second, state)
    FRAMEWORK.load_optimizer_state(cells[1].optimizer, optimizer_state)
    for cell in cells:
        train(cell, 2)
    for name, parameter in first.parameters_dict().items():
        np.testing.assert_array_equal(parameter.asnumpy(), second.parameters_dict()[name].asnumpy())
    assert cells[1].optimizer.global_step.asnumpy() == 4


def test_a_state_of_another_network_is_an_error() -> None:
    """The error names the difference, and nothing is changed."""
    net = Net()
    state = {name: np.zeros(value.shape, np.float32) for name, value in FRAMEWORK.network_state(net).items()}
    before = net.first.weight.asnumpy().copy()
    for wrong, message in (
        ({name: value for name, value in state.items() if name != "second.bias"}, r"second\.bias"),
        ({**state, "third.bias": np.zeros(2)}, r"third\.bias"),
        ({**state, "second.bias": np.zeros(3)}, r"second\.bias .* \(3,\) .* \(2,\)"),
    ):
        with pytest.raises(ValueError, match=message):
            FRAMEWORK.load_network_state(net, wrong)
    np.testing.assert_array_equal(net.first.weight.asnumpy(), before)


@pytest.fixture
def image_folder(tmp_path: Path) -> Path:
    """Return a directory of images of one class."""
    (tmp_path / "images/cats").mkdir(parents=True)
    for number in range(5):
        Image.new("RGB", (4, 4)).save(tmp_path / f"images/cats/{number}.png")
    return tmp_path / "images"


def test_samples_are_counted(image_folder: Path) -> None:
    """Also those of a smaller last batch; the path is the directory of the first source."""
    assert FRAMEWORK.dataset_facts(samples().batch(4)) == DatasetFacts(4, 10, None)
    assert FRAMEWORK.dataset_facts(samples().batch(4, drop_remainder=True)) == DatasetFacts(4, 8, None)
    assert FRAMEWORK.dataset_facts(samples().repeat(3).batch(4)) == DatasetFacts(4, 30, None)
    assert FRAMEWORK.dataset_facts(samples().batch(4).repeat(2)) == DatasetFacts(4, 24, None)
    assert FRAMEWORK.dataset_facts(samples()) == DatasetFacts(1, 10, None)
    folder = ms.dataset.ImageFolderDataset(str(image_folder)).map(lambda label: label, ["label"]).batch(2)
    assert FRAMEWORK.dataset_facts(folder) == DatasetFacts(2, 5, str(image_folder))
    zipped = ms.dataset.zip((samples(5).batch(2), folder.project(["image"])))
    assert FRAMEWORK.dataset_facts(zipped).path == str(image_folder)


def test_the_path_of_a_file_is_its_directory(tmp_path: Path) -> None:
    """As in MindSpore's lineage."""
    (tmp_path / "lines.txt").write_text("one\ntwo\n")
    dataset = ms.dataset.TextFileDataset(str(tmp_path / "lines.txt")).batch(2)
    assert FRAMEWORK.dataset_facts(dataset) == DatasetFacts(2, 2, str(tmp_path))


def test_a_pipeline_is_not_run_to_be_counted() -> None:
    """A generator of unknown length runs only as often as MindSpore itself runs it."""
    runs = []

    def generate() -> Iterator[tuple[np.ndarray[Any, Any]]]:
        runs.append(1)
        yield from ((np.ones(3, np.float32),) for _ in range(10))

    dataset = ms.dataset.GeneratorDataset(generate, ["x"]).batch(4)
    dataset.get_dataset_size()
    before = len(runs)
    assert FRAMEWORK.dataset_facts(dataset) == DatasetFacts(4, 12, None)
    assert len(runs) == before


def test_the_pipeline_equals_that_of_mindspores_collector(image_folder: Path) -> None:
    """The messages are equal."""
    vision = ms.dataset.vision
    operations = [vision.Decode(), vision.Resize((8, 8)), vision.HWC2CHW()]
    dataset = ms.dataset.ImageFolderDataset(str(image_folder), shuffle=True).map(operations, ["image"]).batch(2)
    ours = FRAMEWORK.dataset_graph(dataset)
    theirs = MindSporeDatasetGraph().package_dataset_graph(dataset)
    assert ours == DatasetGraph.FromString(theirs.SerializeToString())


def test_lists_of_samplers_keep_their_names(image_folder: Path) -> None:
    """MindSpore's message contains the numbers of a list without its name."""
    sampler = ms.dataset.SubsetSampler([3, 1])
    dataset = ms.dataset.ImageFolderDataset(str(image_folder), sampler=sampler).batch(2)
    ours = FRAMEWORK.dataset_graph(dataset)
    assert isinstance(ours, DatasetGraph)
    theirs = MindSporeDatasetGraph().package_dataset_graph(dataset)
    assert list(theirs.children[0].sampler.size) == [3, 1]
    named = ours.children[0].sampler.operationParam.mapStrList
    assert list(named["indices"].strValue) == ["3", "1"]


def test_a_compiled_graph_is_available_after_the_first_step() -> None:
    """Before the first step there is none."""
    before = ms.get_context("mode")
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        net = Net()
        cell = train_cell(net, nn.Momentum(net.trainable_params(), 0.1, 0.9))
        assert FRAMEWORK.network_graph(cell, None) is None
        train(cell, 1)
        assert FRAMEWORK.network_graph(cell, None) == cell.get_func_graph_proto()
    finally:
        ms.set_context(mode=before)


def test_a_state_is_converted_to_the_dtype_of_the_parameters() -> None:
    """A checkpoint in float32 is loaded into a network in float16."""
    net = nn.Dense(2, 2).to_float(ms.float16)
    net.weight = Parameter(net.weight.astype(ms.float16), name="weight")
    state = {name: np.full(value.shape, 0.5, np.float32) for name, value in FRAMEWORK.network_state(net).items()}
    FRAMEWORK.load_network_state(net, state)
    assert (net.weight.dtype, net.weight.asnumpy().min()) == (ms.float16, 0.5)
