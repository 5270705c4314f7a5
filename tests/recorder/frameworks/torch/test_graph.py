"""Graphs of PyTorch's networks."""

import copy
import logging
import pickle
import warnings
from collections.abc import Callable
from typing import Any, cast

import pytest
import torch
from support.torch_networks import Branching, DigitsNet, ManyOutputs, Perceptron, Remembering, ResNet
from torch import nn

from toposcope.proto.graph_pb2 import GraphProto, NodeProto
from toposcope.recorder.frameworks.torch.facts.framework import FRAMEWORK
from toposcope.recorder.frameworks.torch.graph.call_inputs import described
from toposcope.recorder.frameworks.torch.graph.exported_graph import exported_graph
from toposcope.recorder.frameworks.torch.graph.network_graph import graph_of
from toposcope.server.graphs.dialects.mindspore import read_graph
from toposcope.server.graphs.model.graph import Graph


def graph_for(module: nn.Module, *args: Any, **kwargs: Any) -> GraphProto:
    return graph_of(module, described(args, kwargs))


def operators(graph: GraphProto) -> dict[str, NodeProto]:
    return {node.full_name: node for node in graph.node}


def shape(node: Any) -> list[int]:
    kind = getattr(node, "output_type", None) or node.type
    return [dimension.size for dimension in kind.tensor_type.shape.dim]


def read(graph: GraphProto) -> Graph:
    return read_graph(graph.SerializeToString(), by_toposcope=True)


def sources(graph: GraphProto, name: str) -> list[str]:
    names = {node.name: node.full_name for node in graph.node}
    return [names.get(source.name, source.name) for source in operators(graph)[name].input]


def test_a_network_is_its_operators_in_the_scopes_of_its_modules() -> None:
    graph = graph_for(DigitsNet(), torch.randn(4, 1, 8, 8))

    assert graph.name == "DigitsNet"
    assert list(operators(graph)) == ["conv1/conv2d", "relu", "conv2/conv2d", "relu_1", "flatten", "fc/linear"]
    assert [node.op_type for node in graph.node] == ["conv2d", "relu", "conv2d", "relu", "flatten", "linear"]
    assert sources(graph, "conv2/conv2d") == ["relu", "conv2.weight", "conv2.bias"]
    assert shape(operators(graph)["conv1/conv2d"]) == [4, 8, 6, 6]
    assert [output.name for output in graph.outputs] == [operators(graph)["fc/linear"].name]


def test_inputs_and_parameters_are_nodes_with_shape_and_dtype() -> None:
    graph = graph_for(DigitsNet().double(), torch.randn(4, 1, 8, 8).double())

    parameters = {parameter.name: parameter for parameter in graph.parameters}
    assert list(parameters)[-1] == "x"
    assert shape(parameters["x"]) == [4, 1, 8, 8]
    assert shape(parameters["conv2.weight"]) == [16, 8, 3, 3]
    assert {parameter.type.tensor_type.elem_type for parameter in graph.parameters} == {12}  # DT_FLOAT64


def test_operators_have_their_settings() -> None:
    graph = graph_for(nn.Sequential(nn.Conv2d(1, 2, 3, stride=2, padding=1)), torch.randn(1, 1, 8, 8))

    values = {attribute.name: attribute.value for attribute in operators(graph)["0/conv2d"].attribute}
    assert [item.int_val for item in values["stride"].values] == [2, 2]
    assert [item.int_val for item in values["dilation"].values] == [1, 1]
    assert values["groups"].int_val == 1


@pytest.mark.parametrize(
    ("module", "inputs"),
    [
        (Perceptron(), (torch.randn(5, 4),)),
        (Perceptron().eval(), (torch.randn(5, 4),)),
        (nn.LSTM(4, 5), (torch.randn(3, 2, 4),)),
        (nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, batch_first=True), 2), (torch.randn(2, 3, 16),)),
        (nn.DataParallel(DigitsNet()), (torch.randn(2, 1, 8, 8),)),
        (torch.compile(DigitsNet(), backend="eager"), (torch.randn(2, 1, 8, 8),)),
        (torch.compile(nn.DataParallel(DigitsNet()), backend="eager"), (torch.randn(2, 1, 8, 8),)),
    ],
    ids=["training", "evaluation", "LSTM", "transformer", "DataParallel", "compiled", "both"],
)
def test_networks_of_many_kinds_are_traced_completely(module: nn.Module, inputs: tuple[Any, ...]) -> None:
    graph = graph_for(module, *inputs)

    assert "module tree" not in graph.name
    assert graph.node
    assert graph.outputs
    assert not read(graph).missing
    assert not read(graph).left_out
    assert not read(graph).is_module_tree


def test_resnet50_is_traced_with_its_53_convolutions() -> None:
    graph = graph_for(ResNet(), torch.randn(2, 3, 224, 224))

    assert sum(node.op_type == "conv2d" for node in graph.node) == 53
    assert len({parameter.name for parameter in graph.parameters}) == 268  # 161 parameters, 106 averages, the input.
    assert sources(graph, "layer1/0/add") == ["layer1/0/bn3/batch_norm", "layer1/0/downsample/1/batch_norm"]


def test_nested_inputs_and_outputs_are_all_recorded() -> None:
    graph = graph_for(ManyOutputs(), torch.randn(2, 3, 4), mask=torch.ones(2, 3, 1), scale=0.5)

    returned = {node.full_name for node in graph.node if node.name in {output.name for output in graph.outputs}}
    assert returned == {"add_1", "getitem", "getitem_1", "lstm/getitem"}
    assert {"x", "mask"} <= {parameter.name for parameter in graph.parameters}
    (constant,) = graph.const_vals
    assert (constant.key, [item.double_val for item in constant.value.values]) == ("offset", [1.0, 2.0, 3.0])


def test_constants_are_described_by_value_or_by_type() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.phase, self.table = torch.tensor([1j]), torch.ones(40)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return (x * self.phase).real + self.table

    constants = {constant.key: constant.value for constant in graph_for(Net(), torch.randn(2, 40)).const_vals}

    assert {name: list(value.tensor_val.dims) for name, value in constants.items()} == {"phase": [1], "table": [40]}


def test_a_layer_with_two_names_has_its_parameters_once() -> None:
    graph = graph_for(ManyOutputs(), torch.randn(2, 3, 4), mask=torch.ones(2, 3, 1))

    assert sources(graph, "fc/linear")[1:] == sources(graph, "head/linear")[1:] == ["fc.weight", "fc.bias"]


def test_blocks_without_gradient_are_read_in_place() -> None:
    graph = graph_for(Remembering(), torch.randn(3, 2))

    assert sources(graph, "sub") == ["fc/linear", "add"]
    assert sources(graph, "mul") == ["mean"]


def test_a_function_named_like_a_module_has_another_node_name() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.relu = nn.Linear(2, 2)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.relu(self.relu(x))

    graph = graph_for(Net(), torch.randn(1, 2))

    assert list(operators(graph)) == ["relu/linear", "relu_1"]
    assert {"relu/linear", "relu_1"} <= set(read(graph).tree.names)


def test_names_that_a_graph_cannot_have_are_changed() -> None:
    module = nn.Sequential()
    module.add_module('a/"b"<', nn.Linear(2, 2))

    graph = graph_for(module, torch.randn(1, 2))

    assert list(operators(graph)) == ["a__b__/linear"]
    assert sources(graph, "a__b__/linear") == ["input", "a__b__.weight", "a__b__.bias"]
    assert "module tree" not in graph.name


@pytest.mark.parametrize("module", [Perceptron(), Perceptron().eval(), Remembering(), Branching()])
def test_a_trace_changes_nothing(module: nn.Module) -> None:
    width = next(module.children()).get_parameter("weight").shape[1]
    state, mode = copy.deepcopy(module.state_dict()), [each.training for each in module.modules()]
    attributes, names, inputs = dict(vars(module)), dict(module.named_modules()), torch.randn(4, width)
    random = torch.get_rng_state()
    gradients = torch.is_grad_enabled()

    graph_for(module, inputs)

    assert all(torch.equal(value, state[name]) for name, value in module.state_dict().items())
    assert torch.equal(torch.get_rng_state(), random)
    assert [each.training for each in module.modules()] == mode
    assert dict(vars(module)) == attributes
    assert getattr(module, "seen", []) == []
    assert dict(module.named_modules()) == names
    assert all(parameter.grad is None for parameter in module.parameters())
    assert torch.is_grad_enabled() == gradients


def test_user_hooks_do_not_run_in_the_trace() -> None:
    module, seen = DigitsNet(), []
    module.conv1.register_forward_hook(lambda *arguments: seen.append(arguments))
    module.register_forward_pre_hook(lambda *arguments: seen.append(arguments))

    graph_for(module, torch.randn(4, 1, 8, 8))

    assert not seen
    assert len(module.conv1._forward_hooks) == len(module._forward_pre_hooks) == 1


def test_hooks_that_compute_weights_run_in_the_trace() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = nn.Sequential(
            nn.utils.weight_norm(nn.Linear(2, 3)), nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))
        )

    graph = graph_for(module, torch.randn(4, 2))

    assert {"0.weight_g", "0.weight_v", "1.parametrizations.weight.original0"} <= {
        each.name for each in graph.parameters
    }


def test_a_network_that_cannot_be_traced_has_a_module_tree_with_the_reason(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        graph = graph_for(Branching(), torch.randn(4, 3))

    assert graph.name.startswith("Branching: module tree (torch.export failed: GuardOnDataDependentSymNode: ")
    assert read(graph).name == graph.name
    assert read(graph).is_module_tree
    assert capfd.readouterr() == ("", "")
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


def test_modules_of_a_tree_are_in_the_order_of_their_calls() -> None:
    graph = graph_for(Branching(), torch.randn(4, 3))

    # Control flow that depends on data ends the run: the modules after the norm are unknown.
    assert sources(graph, "norm") == ["first", "norm.weight", "norm.bias"]
    assert sources(graph, "second") == ["second.weight", "second.bias"]
    assert sources(graph, "Branching") == ["scale"]
    assert shape(operators(graph)["first"]) == [4, 3]
    values = {attribute.name: attribute.value.int_val for attribute in operators(graph)["first"].attribute}
    assert values == {"in_features": 3, "out_features": 3}


def test_without_inputs_a_network_is_its_module_tree() -> None:
    graph = FRAMEWORK.network_graph(DigitsNet(), None)

    assert isinstance(graph, GraphProto)
    assert graph.name == "DigitsNet: module tree (inputs unknown)"
    assert list(operators(graph)) == ["conv1", "conv2", "fc"]


def test_unsupported_inputs_are_named_as_the_reason() -> None:
    class Batch:
        pass

    class Odd(Batch):
        """Raises in every method."""

        def __getattr__(self, name: str) -> Any:
            raise RuntimeError(name)

    for batch in (Batch(), Odd(), torch.eye(3).to_sparse()):
        assert "TypeError: an input is a " in graph_for(nn.Linear(3, 3), batch).name


def test_a_trace_that_takes_too_long_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toposcope.recorder.frameworks.torch.graph.exported_graph._MAX_SECONDS", -1.0)

    with pytest.raises(TimeoutError):
        exported_graph(DigitsNet(), described((torch.randn(1, 1, 8, 8),), {}), "x")
    assert "TimeoutError" in graph_for(DigitsNet(), torch.randn(1, 1, 8, 8)).name


def test_scripted_and_lazy_networks_have_a_graph() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scripted = torch.jit.script(nn.Sequential(nn.Linear(2, 2)))
        lazy = nn.Sequential(nn.LazyLinear(2))
    assert graph_for(scripted, torch.randn(1, 2)).node
    graph = FRAMEWORK.network_graph(lazy, None)
    assert isinstance(graph, GraphProto)
    assert graph.node


@pytest.mark.parametrize("network", [None, 1, "net", object(), [nn.Linear(1, 1)], nn.Linear])
def test_other_objects_have_no_graph(network: object) -> None:
    assert FRAMEWORK.network_graph(network, (torch.ones(1),)) is None


def test_described_inputs_contain_no_tensor() -> None:
    inputs = described(({"x": torch.randn(2, 3).T, "n": [1, None, "a"]},), {"mask": torch.ones(2, dtype=torch.bool)})

    assert pickle.loads(pickle.dumps(inputs)) == inputs
    assert inputs.args[0]["x"].shape == (3, 2)
    assert inputs.args[0]["x"].strides == (1, 3)


def test_a_trace_does_not_recompile_a_compiled_network() -> None:
    runs: list[int] = []

    def backend(graph: Any, _inputs: Any) -> Callable[..., Any]:
        runs.append(1)
        return graph.forward

    network = cast(nn.Module, torch.compile(DigitsNet(), backend=backend))
    network(torch.randn(2, 1, 8, 8))
    graph_for(network, torch.randn(2, 1, 8, 8))
    network(torch.randn(2, 1, 8, 8))

    assert runs == [1]
