"""The trace rule: layers whose traces hardly change keep their inverses, and need no factors."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from toposcope.recorder.frameworks.torch.thor.curvature import rows
from toposcope.recorder.frameworks.torch.thor.curvature.refresh import Thresholds, TraceRule
from toposcope.recorder.train_thor import thor

OPTIONS: dict[str, Any] = {"learning_rate": 0.05, "damping": 0.1, "momentum": 0.9}


def network() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3)).double()


def train(net: nn.Module, optimizer: Any, steps: int) -> list[list[str | None]]:
    """Train with the same batch in each step; return the decisions after each."""
    random = torch.Generator().manual_seed(0)
    inputs = torch.randn(16, 6, generator=random, dtype=torch.float64)
    decisions = []
    for _ in range(steps):
        optimizer.zero_grad()
        (net(inputs) - 1).square().sum(1).mean().backward()
        optimizer.step()
        decisions.append([each.decision for each in optimizer.curvatures.values()])
    return decisions


def test_decisions() -> None:
    """Above the first threshold factors are refreshed, below the second never again."""
    rule = TraceRule(Thresholds(0.1, 0.01))
    assert [rule.decide(trace) for trace in (1.0, 1.2, 1.25, 1.4, 1.405, 9.0)] == [
        "refreshed",
        "refreshed",
        "kept",
        "refreshed",
        "frozen",
        "frozen",
    ]


@pytest.mark.parametrize("frequency", [1, 2, 3])
def test_oracle_10_thresholds_of_zero_are_no_rule(frequency: int) -> None:
    """With both thresholds 0 every due step refreshes, bit by bit as without a rule."""
    trained = []
    for thresholds in (None, (0.0, 0.0)):
        net = network()
        optimizer = thor(net, **OPTIONS, frequency=frequency, trace_thresholds=thresholds)
        decisions = train(net, optimizer, 7)
        assert decisions[-1] == ["refreshed", "refreshed"]
        trained.append([each.detach().clone() for each in net.parameters()])
    assert all(map(torch.equal, *trained))


@pytest.mark.parametrize("frequency", [1, 3])
@pytest.mark.parametrize(
    ("thresholds", "decision"), [((1e-12, 0.0), "refreshed"), ((1e3, 0.0), "kept"), ((1e3, 1e3), "frozen")]
)
def test_rule_decides_on_due_steps(frequency: int, thresholds: tuple[float, float], decision: str) -> None:
    """Low thresholds refresh, high ones keep or freeze."""
    net = network()
    optimizer = thor(net, **OPTIONS, frequency=frequency, trace_thresholds=thresholds)
    decisions = train(net, optimizer, 2 * frequency + 1)
    assert decisions[0] == ["refreshed", "refreshed"]
    assert decisions[-1] == [decision, decision]


def test_unchanged_layers_need_no_products(monkeypatch: pytest.MonkeyPatch) -> None:
    """Traces are computed one step before a due step; kept layers gather no outer products, frozen ones nothing."""
    computed: list[str] = []
    for name in ("outer_sums", "trace_sums"):
        original = getattr(rows, name)

        def count(*arguments: Any, name: str = name, original: Any = original) -> Any:
            computed.append(name)
            return original(*arguments)

        monkeypatch.setattr(f"toposcope.recorder.frameworks.torch.thor.curvature.capture.{name}", count)
    net = network()
    kept = thor(net, **OPTIONS, frequency=3, trace_thresholds=(1e3, 0.0))
    train(net, kept, 7)
    assert computed == ["outer_sums"] * 2 + ["trace_sums"] * 4
    computed.clear()
    net = network()
    frozen = thor(net, **OPTIONS, frequency=3, trace_thresholds=(1e3, 1e3))
    train(net, frozen, 7)
    assert computed == ["outer_sums"] * 2 + ["trace_sums"] * 2
    assert not frozen._capture.is_active


@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        (nn.Linear(4, 3), (5, 4)),
        (nn.Linear(4, 3, bias=False), (5, 2, 4)),
        (nn.Conv2d(4, 6, 3, stride=2, padding=1, groups=2), (5, 4, 7, 7)),
        (nn.Conv2d(4, 6, (3, 2), dilation=2, padding="same", padding_mode="reflect", bias=False), (5, 4, 7, 7)),
        (nn.Embedding(9, 3, padding_idx=0), (5, 6)),
    ],
)
@pytest.mark.parametrize("approach", ["expand", "reduce"])
def test_traces_without_products_are_those_of_the_products(layer: Any, shape: tuple[int, ...], approach: Any) -> None:
    """The sums of squares of the rows are the traces of the sums of outer products."""
    layer = layer.double()
    optimizer = thor(layer, **OPTIONS, approach=approach)
    inputs = torch.randint(9, shape) if isinstance(layer, nn.Embedding) else torch.randn(shape, dtype=torch.float64)
    gradient: Tensor = torch.randn_like(layer(inputs))
    observed = optimizer.curvatures[""].layer
    products = rows.outer_sums(observed, inputs, gradient, approach)
    traces = rows.trace_sums(observed, inputs, gradient, approach)
    assert products[2:] == traces[2:]
    for matrix, trace in zip(products[:2], traces[:2], strict=True):
        diagonal = matrix if matrix.ndim == 2 else matrix.diagonal(dim1=1, dim2=2)
        torch.testing.assert_close(diagonal.sum(1), trace)
