"""The documented functions of mindspore.train.train_thor, for PyTorch networks and our Model."""

from pathlib import Path
from typing import Any

import pytest
import torch
from support.recorded_run import scalars_of
from torch import nn

from toposcope.recorder.callbacks import Callback, LossMonitor, RunContext, SummaryCollector
from toposcope.recorder.train_thor import ConvertModelUtils, ConvertNetUtils, thor
from toposcope.recorder.training import FixedLossScaleManager, Model


class Net(nn.Module):
    """A convolution, a normalisation and a linear layer."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm, self.fc = nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.Linear(144, 3)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Return the scores of the classes."""
        scores: torch.Tensor = self.fc(torch.relu(self.norm(self.conv(images))).flatten(1))
        self.precision = scores.dtype
        return scores


def create_dataset() -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Return four batches whose labels are a linear function of the images."""
    generator = torch.Generator().manual_seed(0)
    images = torch.randn(4, 32, 1, 6, 6, generator=generator)
    classes = torch.randn(36, 3, generator=generator)
    return [(each, (each.flatten(1) @ classes).argmax(1)) for each in images]


def loss_of(trained: nn.Module) -> float:
    """Return the mean loss in training mode, in float64, without a change of the network."""
    net = Net()
    net.load_state_dict(trained.state_dict())
    net.double()
    with torch.no_grad():
        losses = [nn.functional.cross_entropy(net(images.double()), labels) for images, labels in create_dataset()]
    return float(sum(losses)) / len(losses)


LEVELS = {"O0": torch.float32, "O2": torch.bfloat16, "O3": torch.bfloat16, "auto": torch.bfloat16}


@pytest.mark.parametrize("amp_level", LEVELS)
def test_documented_sample(amp_level: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The documented sample runs with only imports, network and data changed, and the loss falls."""
    torch.manual_seed(0)
    net = Net()
    before = loss_of(net)

    dataset = create_dataset()
    temp = torch.tensor([4e-4, 1e-4, 1e-5, 1e-5], dtype=torch.float32)
    opt = thor(net, learning_rate=temp, damping=temp, momentum=0.9, loss_scale=128, frequency=4)
    loss = nn.CrossEntropyLoss(reduction="mean")
    loss_scale = FixedLossScaleManager(128, drop_overflow_update=False)
    model = Model(net, loss_fn=loss, optimizer=opt, loss_scale_manager=loss_scale, metrics={"acc"},
                  amp_level=amp_level, keep_batchnorm_fp32=False)  # fmt: skip
    model = ConvertModelUtils.convert_to_thor_model(model=model, network=net, loss_fn=loss, optimizer=opt,
                                                    loss_scale_manager=loss_scale, metrics={"acc"},
                                                    amp_level=amp_level, keep_batchnorm_fp32=False)  # fmt: skip
    loss_cb = LossMonitor()
    model.train(1, dataset, callbacks=[loss_cb, SummaryCollector(tmp_path)], sink_size=4, dataset_sink_mode=True)

    assert opt.step_number == 4
    assert loss_of(net) < before
    assert net.precision == LEVELS[amp_level]
    # In sink mode the sink of four batches is one step of the callbacks.
    (recorded,) = scalars_of(tmp_path, "loss/auto").items()
    assert recorded[0] == 4
    assert f"epoch: 1 step: 4, loss is {recorded[1]:.6f}"[:-2] in capsys.readouterr().out


@pytest.mark.parametrize("amp_level", LEVELS)
def test_learning_at_every_level(amp_level: str) -> None:
    """Parameters, statistics and losses stay in float32 while the layers compute in the precision of the level."""
    torch.manual_seed(0)
    net, manager = Net(), FixedLossScaleManager(128, drop_overflow_update=False)
    opt = thor(net, 0.02, 0.3, 0.9, loss_scale=128, frequency=4)
    arguments: dict[str, Any] = {"loss_scale_manager": manager, "amp_level": amp_level}
    model = Model(net, nn.CrossEntropyLoss(), opt, **arguments)
    before = loss_of(net)
    converted = ConvertModelUtils.convert_to_thor_model(model, net, nn.CrossEntropyLoss(), opt, **arguments)
    converted.train(15, create_dataset())

    assert loss_of(net) < before / 4
    assert {each.dtype for each in net.state_dict().values()} == {torch.float32, torch.int64}
    assert {each.dtype for each in net.parameters()} == {torch.float32}


@pytest.mark.parametrize("keeps", [None, True, False])
def test_statistics_of_batch_normalisation_are_computed_in_float32(keeps: bool | None) -> None:
    """At every level and for every keep_batchnorm_fp32, also of inputs of lower precision."""
    torch.manual_seed(0)
    norm = nn.BatchNorm1d(3)
    inputs = 100 + torch.randn(4096, 3)
    model = Model(
        nn.Sequential(nn.Linear(3, 3), norm, nn.Linear(3, 2)),
        nn.CrossEntropyLoss(),
        amp_level="O3",
        keep_batchnorm_fp32=keeps,
    )
    seen: list[torch.Tensor] = []
    norm.register_forward_pre_hook(lambda _, given: seen.append(given[0].detach()))
    model.train(1, [(inputs, torch.zeros(4096, dtype=torch.int64))])

    assert seen[0].dtype == torch.bfloat16
    exact = seen[0].double()
    torch.testing.assert_close(norm.running_mean, (0.1 * exact.mean(0)).float(), rtol=1e-5, atol=0)
    torch.testing.assert_close(norm.running_var, (0.9 + 0.1 * exact.var(0)).float(), rtol=1e-4, atol=0)


def test_learning_rates_are_recorded_at_the_steps_that_use_them(tmp_path: Path) -> None:
    """The schedule of THOR is set at the beginning of each step, without sink mode."""
    net = Net()
    rates = [4e-4, 1e-4, 1e-5, 1e-5]
    opt = thor(net, torch.tensor(rates), torch.tensor(rates), 0.9, frequency=4)
    model = Model(net, nn.CrossEntropyLoss(), opt)
    converted = ConvertModelUtils.convert_to_thor_model(model, net, nn.CrossEntropyLoss(), opt)
    converted.train(1, create_dataset(), callbacks=SummaryCollector(tmp_path))

    assert scalars_of(tmp_path, "learning_rate") == pytest.approx(dict(enumerate(rates, 1)))
    assert list(scalars_of(tmp_path, "loss/auto")) == [1, 2, 3, 4]


class Steps(Callback):
    """Notes the steps that have ended, and the results of evaluations."""

    def __init__(self) -> None:
        self.steps: list[int] = []
        self.results: list[dict[str, Any]] = []

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Note the step."""
        self.steps.append(run_context.original_args().cur_step_num)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Note the results."""
        self.results.append(dict(run_context.original_args().eval_results))


def test_evaluation_network_and_evaluations_during_training() -> None:
    """The converted model keeps the evaluation network; callbacks are called at every step, and fit() evaluates."""

    class Constant(nn.Module):
        """Always predicts class 0."""

        def forward(self, images: torch.Tensor, labels: torch.Tensor) -> Any:
            scores = torch.eye(3)[torch.zeros_like(labels)]
            return torch.tensor(7.0), scores, labels

    net, data, steps = Net(), create_dataset(), Steps()
    opt = thor(net, 0.01, 0.03, 0.9, frequency=3)
    model = Model(net, nn.CrossEntropyLoss(), opt, {"acc"}, Constant(), [0, 1, 2])
    converted = ConvertModelUtils.convert_to_thor_model(model, net, nn.CrossEntropyLoss(), opt, metrics={"acc"})
    converted.fit(2, data, data, callbacks=steps)

    assert converted is not model
    assert converted.eval_network is model.eval_network
    assert steps.steps == [1, 2, 3, 4, 5, 6, 7, 8]
    zeros = torch.cat([labels == 0 for _, labels in data]).float().mean().item()
    assert [each["acc"] for each in steps.results] == pytest.approx([zeros, zeros])


def test_model_without_thor_is_returned() -> None:
    """convert_to_thor_model() returns the model itself if its optimizer is not THOR."""
    net = nn.Linear(6, 3)
    sgd = torch.optim.SGD(net.parameters(), 0.1)
    model = Model(net, nn.CrossEntropyLoss(), sgd)
    assert ConvertModelUtils.convert_to_thor_model(model, net, nn.CrossEntropyLoss(), sgd) is model
    assert ConvertModelUtils.convert_to_thor_model(model, net) is model


def test_wrong_arguments() -> None:
    """Errors name the argument."""
    net = nn.Linear(6, 3)
    ConvertNetUtils().convert_to_thor_net(net)
    with pytest.raises(TypeError, match="net must"):
        ConvertNetUtils().convert_to_thor_net(3)
    with pytest.raises(TypeError, match="model must"):
        ConvertModelUtils.convert_to_thor_model(3, net)
    with pytest.raises(ValueError, match="amp_level"):
        ConvertModelUtils.convert_to_thor_model(Model(net, nn.CrossEntropyLoss()), net, amp_level="O1")
    with pytest.raises(TypeError, match="network must"):
        ConvertModelUtils.convert_to_thor_model(Model(net, nn.CrossEntropyLoss()), 3)
    with pytest.raises(TypeError, match="keep_batchnorm_fp32"):
        ConvertModelUtils.convert_to_thor_model(Model(net, nn.CrossEntropyLoss()), net, keep_batchnorm_fp32=1)  # type: ignore[arg-type]
