"""The curvature of a THOR optimizer in the event files of real trainings, compared with NumPy."""

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from support.recorded_run import run_in, scalars_of
from support.written_events import ReadEvents
from torch import Tensor, nn

from toposcope.recorder import SummaryRecord
from toposcope.recorder.callbacks import SummaryCollector
from toposcope.recorder.frameworks.torch.thor.curvature.curvature import Curvature
from toposcope.recorder.train_thor import thor
from toposcope.recorder.training import Model, Trainer

OPTIONS: dict[str, Any] = {"learning_rate": 0.1, "damping": 0.03, "momentum": 0.9, "frequency": 3}
CURVATURE = {"collect_curvature": True}


def batch(step: int) -> tuple[Tensor, Tensor]:
    """Return inputs of different scales, and targets, in double precision."""
    generator = torch.Generator().manual_seed(step)
    inputs = torch.randn(16, 6, generator=generator, dtype=torch.float64) * torch.logspace(-2, 1, 6)
    return inputs, torch.randn(16, 3, generator=generator, dtype=torch.float64)


def network() -> nn.Sequential:
    """Return two layers in double precision."""
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 5), nn.Tanh(), nn.Linear(5, 3)).double()


def loss_fn(outputs: Tensor, targets: Tensor) -> Tensor:
    """Return the mean squared error over the samples."""
    return (outputs - targets).square().sum(1).mean()


def collector(directory: Path, frequency: int = 1, **settings: Any) -> SummaryCollector:
    """Return a collector of the curvature alone."""
    return SummaryCollector(directory, frequency, {**CURVATURE, **settings}, keep_default_action=False)


def first_layer_by_numpy(net: nn.Sequential, inputs: Tensor, targets: Tensor) -> dict[str, float]:
    """Return the statistics of the first layer after the first step, computed with NumPy alone."""
    weights = [each.detach().numpy() for each in net.parameters()]
    samples, goals = inputs.numpy(), targets.numpy()
    hidden = np.tanh(samples @ weights[0].T + weights[1])
    errors = 2 * (hidden @ weights[2].T + weights[3] - goals)
    back = errors @ weights[2] * (1 - hidden**2)  # Of each sample's own loss.
    rows = np.concatenate([samples, np.ones((len(samples), 1))], 1)
    a, g = rows.T @ rows / len(rows), back.T @ back / len(rows)
    pi = np.sqrt((np.trace(a) / len(a)) / (np.trace(g) / len(g)))
    damped_a = a + pi * np.sqrt(0.03) * np.eye(len(a))
    damped_g = g + np.sqrt(0.03) / pi * np.eye(len(g))
    gradient = back.T @ rows / len(rows)
    natural = np.linalg.solve(damped_g, gradient) @ np.linalg.inv(damped_a)
    return {
        "thor_damping/0.inputs": float(pi * np.sqrt(0.03)),
        "thor_damping/0.gradients": float(np.sqrt(0.03) / pi),
        "thor_trace/0.inputs": float(np.trace(a)),
        "thor_trace/0.gradients": float(np.trace(g)),
        "thor_condition/0.inputs": float(np.linalg.cond(damped_a)),
        "thor_condition/0.gradients": float(np.linalg.cond(damped_g)),
        "thor_gradient_ratio/0": float(np.linalg.norm(natural) / np.linalg.norm(gradient)),
        "thor_refreshes/0": 1.0,
    }


def test_values_in_the_event_file_are_those_of_numpy(tmp_path: Path, read_events: ReadEvents) -> None:
    """Model: at the first step, traces, condition numbers of the damped factors and the ratio of the gradients."""
    net = network()
    expected = first_layer_by_numpy(net, *batch(0))
    Model(net, loss_fn, thor(net, **OPTIONS)).train(1, [batch(0)], callbacks=collector(tmp_path))

    (file,) = tmp_path.glob("*_MS")
    values = [value for event in read_events(file) if event.step == 1 for value in event.summary.value]
    # A value that float32 holds exactly has no scalar_double.
    found = {each.tag: each.scalar_double if each.HasField("scalar_double") else each.scalar_value for each in values}
    layers = {tag: value for tag, value in found.items() if tag != "thor_damping/global"}
    assert {tag: value for tag, value in layers.items() if "/0" in tag} == pytest.approx(expected, rel=1e-6)
    assert set(layers) == {*expected, *(tag.replace("/0", "/2") for tag in expected)}
    assert found["thor_damping/global"] == 0.03


def test_due_steps_of_the_collector_have_the_inverses_in_use(tmp_path: Path) -> None:
    """A step without a refresh repeats the condition numbers, and has a ratio of its own."""
    net = network()
    Model(net, loss_fn, thor(net, **OPTIONS)).train(1, [batch(i) for i in range(7)], callbacks=collector(tmp_path, 2))

    refreshes, conditions = (scalars_of(tmp_path, tag) for tag in ("thor_refreshes/0", "thor_condition/0.inputs"))
    assert refreshes == {1: 1, 2: 1, 4: 2, 6: 2}
    assert conditions[1] == conditions[2] != conditions[4] == conditions[6]
    assert len(set(scalars_of(tmp_path, "thor_gradient_ratio/0").values())) == 4


def test_condition_numbers_are_computed_once_for_each_inverse(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are the expensive part: two layers, three refreshes, and as many calls as steps."""
    calls: list[str] = []
    compute = Curvature.condition_numbers

    def counted(curvature: Curvature) -> Any:
        calls.append(curvature.layer.name)
        return compute(curvature)

    monkeypatch.setattr(Curvature, "condition_numbers", counted)
    net = network()
    optimizer = thor(net, **OPTIONS)
    for step in range(7):
        optimizer.zero_grad()
        inputs, targets = batch(step)
        loss_fn(net(inputs), targets).backward()
        optimizer.step()
        optimizer.curvature_statistics()
    assert calls == ["0", "2"] * 3


def test_trainer_and_watched_loop_record_the_same(tmp_path: Path) -> None:
    """The collector finds the optimizer in each kind of training, also in a list of several."""
    batches = [batch(i) for i in range(4)]
    net = network()
    steps = Model(net, loss_fn, thor(net, **OPTIONS))
    steps.train(1, batches, callbacks=collector(tmp_path / "model"))

    net = network()
    optimizer = thor(net, **OPTIONS)
    other = torch.optim.SGD([nn.Parameter(torch.zeros(1))], 0.1)
    with collector(tmp_path / "watched").watch(net, [optimizer, other]) as run:
        for inputs, targets in batches:
            optimizer.zero_grad()
            loss = loss_fn(net(inputs), targets)
            loss.backward()
            optimizer.step()
            run.step(loss)

    net = network()
    trainer = Trainer(
        model=net,
        loss_fn=loss_fn,
        train_dataloader=batches,
        optimizers=thor(net, **OPTIONS),
        max_duration="1ep",
        callbacks=collector(tmp_path / "trainer"),
    )
    trainer.fit()

    for tag in ("thor_condition/2.gradients", "thor_gradient_ratio/0", "thor_trace/0.inputs"):
        points = scalars_of(tmp_path / "model", tag)
        assert sorted(points) == [1, 2, 3, 4]
        assert scalars_of(tmp_path / "watched", tag) == pytest.approx(points)
        assert scalars_of(tmp_path / "trainer", tag) == pytest.approx(points)


def test_plain_loop_logs_them_with_one_call(tmp_path: Path) -> None:
    """The result of curvature_statistics() is what log() takes."""
    net = network()
    optimizer = thor(net, **OPTIONS)
    with SummaryRecord(tmp_path) as record:
        for step in range(1, 4):
            optimizer.zero_grad()
            inputs, targets = batch(step)
            loss_fn(net(inputs), targets).backward()
            optimizer.step()
            record.log(optimizer.curvature_statistics(), step)
    assert sorted(scalars_of(tmp_path, "thor_condition/0.inputs")) == [1, 2, 3]


def test_refresh_decisions_are_counts_and_a_flag(tmp_path: Path) -> None:
    """With the trace rule, a layer whose batches are equal is refreshed once and frozen; a resume keeps the count."""
    net = network()
    optimizer = thor(net, **{**OPTIONS, "learning_rate": 0.0}, trace_thresholds=(0.01, 0.001))
    Model(net, loss_fn, optimizer).train(1, [batch(0)] * 6, callbacks=collector(tmp_path))
    assert scalars_of(tmp_path, "thor_frozen/0") == {1: 0, 2: 0, 3: 1, 4: 1, 5: 1, 6: 1}
    assert set(scalars_of(tmp_path, "thor_refreshes/0").values()) == {1}

    resumed = thor(network(), **OPTIONS, trace_thresholds=(0.01, 0.001))
    resumed.load_state_dict(optimizer.state_dict())
    statistics = resumed.curvature_statistics()
    assert (statistics["thor_refreshes/0"], statistics["thor_frozen/0"]) == (1, 1)


def test_convolutions_embeddings_and_lone_layers_have_names_and_numbers() -> None:
    """Grouped convolutions report their worst group, embeddings their diagonal, a network that is a layer "network"."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Embedding(7, 4), nn.Unflatten(2, (2, 2)), nn.Conv2d(4, 6, 1, groups=2), nn.Flatten())
    optimizer = thor(net, **OPTIONS)
    net(torch.randint(0, 7, (5, 4))).square().mean().backward()
    optimizer.step()
    statistics = {tag: float(value) for tag, value in optimizer.curvature_statistics().items()}
    assert {tag.split("/")[1].split(".")[0] for tag in statistics} == {"global", "0", "2"}
    for name in ("inputs", "gradients"):
        inverses = getattr(optimizer.curvatures["2"], f"inverse_{name}")[0].numpy()
        assert statistics[f"thor_condition/2.{name}"] == pytest.approx(np.linalg.cond(inverses).max(), rel=1e-3)
    diagonal = optimizer.curvatures["0"].inverse_inputs[0].numpy()
    assert statistics["thor_condition/0.inputs"] == pytest.approx(diagonal.max() / diagonal.min())

    layer = nn.Linear(2, 2)
    optimizer = thor(layer, **OPTIONS)
    layer(torch.randn(4, 2)).square().mean().backward()
    optimizer.step()
    assert "thor_trace/network.inputs" in optimizer.curvature_statistics()


def test_ill_conditioned_factors_have_a_finite_positive_condition_number() -> None:
    """Rounding of a float32 inverse cannot make it negative."""
    torch.manual_seed(0)
    layer = nn.Linear(8, 2)
    optimizer = thor(layer, **{**OPTIONS, "damping": 1e-14})
    layer(torch.randn(16, 8) * torch.logspace(-6, 4, 8)).square().mean().backward()
    optimizer.step()
    condition = float(optimizer.curvature_statistics()["thor_condition/network.inputs"])
    assert 1e6 < condition <= 1 / np.finfo(np.float32).eps


def test_quantities_without_a_value_are_left_out() -> None:
    """Before the first refresh only settings and counts are known; a zero gradient has the ratio 0, none no ratio."""
    net = network()
    groups: list[dict[str, Any]] = [{"params": net[0].parameters(), "damping": 0.5}, {"params": net[2].parameters()}]
    optimizer = thor(net, **OPTIONS, params=groups)
    dampings = {"thor_damping/group0": 0.5, "thor_damping/group1": 0.03}
    assert optimizer.curvature_statistics() == {**dampings, "thor_refreshes/0": 0, "thor_refreshes/2": 0}
    optimizer.zero_grad()
    (net(batch(0)[0]) * 0).sum().backward()
    optimizer.step()
    assert float(optimizer.curvature_statistics()["thor_gradient_ratio/0"]) == 0
    optimizer.zero_grad()
    optimizer.step()
    assert "thor_gradient_ratio/0" not in optimizer.curvature_statistics()


def test_gradients_may_be_cleared_before_the_values_are_read() -> None:
    """From the second call on, the ratio is that of the newest step, whatever the loop did with the gradients."""
    ratios = []
    for clears in (True, False):
        net = network()
        optimizer = thor(net, **OPTIONS)
        for step in range(3):
            inputs, targets = batch(step)
            loss_fn(net(inputs), targets).backward()
            optimizer.step()
            if clears:
                optimizer.zero_grad()
            statistics = optimizer.curvature_statistics()
            if not clears:
                optimizer.zero_grad()
            ratios.append(float(statistics.get("thor_gradient_ratio/2", 0)))
    assert ratios[0] == 0 < ratios[1]
    assert ratios[1:3] == pytest.approx(ratios[4:])


def test_another_optimizer_gets_one_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """It names the optimizer; the loss is still collected."""
    net = network()
    model = Model(net, loss_fn, torch.optim.SGD(net.parameters(), 0.001))
    model.train(1, [batch(i) for i in range(4)], callbacks=collector(tmp_path, collect_metric=True))
    (warning,) = [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING]
    assert "collect_curvature needs an optimizer that was created by thor(), not SGD" in warning
    assert "\n" not in warning.strip()
    assert run_in(tmp_path).tags("scalar") == ["loss/auto"]


def test_not_collected_unless_requested(tmp_path: Path) -> None:
    """The default settings compute no eigenvalues."""
    net = network()
    quiet = {"collect_machine": False, "collect_environment": False, "collect_code": False, "collect_graph": False}
    Model(net, loss_fn, thor(net, **OPTIONS)).train(1, [batch(0)], callbacks=SummaryCollector(tmp_path, 1, quiet))
    assert not [tag for tag in run_in(tmp_path).tags("scalar") if tag.startswith("thor_")]
