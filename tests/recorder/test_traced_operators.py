"""Summary operators in networks that are compiled, exported, traced or transformed."""

import logging
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from support.operator_network import SAMPLES, Net
from support.written_events import ReadEvents
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

from toposcope.recorder import SummaryRecord, summary
from toposcope.recorder.summary import OperatorValues, collecting


def test_compiled_network_is_one_graph_and_keeps_nothing() -> None:
    with collecting(OperatorValues()) as values:
        network = Net()
        compiled = torch.compile(network, backend="eager", fullgraph=True)
        expected = compiled(SAMPLES)
        assert torch.equal(expected, network.activation(network.layer(SAMPLES)))
        assert values.take() == []

        network(SAMPLES)
        assert len(values.take()) == 4


@pytest.mark.parametrize("is_strict", [True, False])
def test_exported_network_contains_no_operators_and_keeps_nothing(is_strict: bool) -> None:
    with collecting(OperatorValues()) as values:
        program = torch.export.export(Net(), (SAMPLES,), strict=is_strict)
        assert values.take() == []

    operators = [node.name for node in program.graph.nodes if node.op == "call_function"]
    assert not [name for name in operators if "detach" in name or "clone" in name]


def test_traced_network_contains_no_operators_and_keeps_nothing() -> None:
    with collecting(OperatorValues()) as values, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Deprecation of tracing, in different categories.
        traced = torch.jit.trace(Net(), SAMPLES, check_trace=False)
        symbolic = torch.fx.symbolic_trace(Net())
        assert values.take() == []

    assert "clone" not in str(traced.graph)
    assert "clone" not in str(symbolic.graph)


@pytest.mark.parametrize("tracing_mode", ["real", "fake", "symbolic"])
def test_make_fx_keeps_nothing(tracing_mode: Any) -> None:
    network = Net()

    def forward(parameters: dict[str, torch.Tensor], samples: torch.Tensor) -> torch.Tensor:
        return torch.func.functional_call(network, parameters, (samples,))

    with collecting(OperatorValues()) as values:
        graph = make_fx(forward, tracing_mode=tracing_mode)(dict(network.named_parameters()), SAMPLES)
        assert values.take() == []

    assert "clone" not in str(graph.graph)


def test_tensors_without_values_are_not_kept() -> None:
    with collecting(OperatorValues()) as values:
        Net().to("meta")(SAMPLES.to("meta"))
        with FakeTensorMode(allow_non_fake_inputs=True):
            Net()(torch.ones(2, 4))

        assert values.take() == []


def test_functional_gradients() -> None:
    """torch.func.grad wraps tensors; the kept values can be read afterwards."""
    network = Net()

    def loss(parameters: dict[str, torch.Tensor]) -> torch.Tensor:
        return torch.func.functional_call(network, parameters, (SAMPLES,)).sum()

    with collecting(OperatorValues()) as values:
        torch.func.grad(loss)(dict(network.named_parameters()))
        kept: dict[str, Any] = {value.tag: value.value for value in values.take()}

    assert np.array_equal(kept["weight"].numpy(), network.layer.weight.detach().numpy())


def test_values_under_vmap_are_skipped(
    tmp_path: Path, read_events: ReadEvents, caplog: pytest.LogCaptureFixture
) -> None:
    network = Net()

    def forward(sample: torch.Tensor) -> torch.Tensor:
        summary.tensor("sample", sample)
        return network.layer(sample)

    with SummaryRecord(tmp_path) as recorder, collecting(OperatorValues()) as values:
        torch.vmap(forward)(SAMPLES)
        for plugin, tag, value in values.take():
            recorder.add_value(plugin, tag, value)
        recorder.add_value("scalar", "a", 1.0)
        recorder.record(1)

    _, event = read_events(recorder.log_dir)
    assert [value.tag for value in event.summary.value] == ["a"]
    assert [record.levelno for record in caplog.records if record.name == "toposcope.recorder"] == [logging.WARNING]
