"""The steps of PyTorch modules: what they are called with, in which mode, and what metrics see."""

from typing import Any, NamedTuple

import pytest
import torch
from torch import nn

from toposcope.recorder.callbacks import LambdaCallback, LossMonitor
from toposcope.recorder.loggers import InMemoryLogger
from toposcope.recorder.training import Model, Trainer


def batches(number: int = 4, samples: int = 8) -> list[tuple[torch.Tensor, torch.Tensor]]:
    generator = torch.Generator().manual_seed(0)
    return [
        (torch.randn(samples, 3, generator=generator), torch.randint(0, 2, (samples,), generator=generator))
        for _ in range(number)
    ]


def sgd(network: nn.Module) -> torch.optim.SGD:
    return torch.optim.SGD(network.parameters(), lr=0.1)


class TwoInputs(nn.Module):
    """Takes a dict of inputs."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(3, 2)

    def forward(self, inputs: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return scores."""
        scores: torch.Tensor = self.fc(inputs["a"] + inputs["b"])
        return scores


def losses_of(network: nn.Module, data: Any, size: int | None) -> tuple[list[float], int]:
    """Return the losses of a training, and the samples that were counted."""
    logger = InMemoryLogger()
    trainer = Trainer(
        model=network,
        train_dataloader=data,
        optimizers=[sgd(network)],
        loss_fn=nn.CrossEntropyLoss(),
        max_duration="1ep",
        loggers=logger,
        device_train_microbatch_size=size,
    )
    trainer.fit()
    return [float(value) for _, value in logger.data["loss/train/total"]], int(trainer.state.timestamp.sample)


def test_microbatches_of_nested_inputs_give_the_loss_of_the_batch() -> None:
    """A dict of two inputs is cut into samples, not into inputs."""
    data = [({"a": x, "b": x}, y) for x, y in batches()]
    torch.manual_seed(0)
    whole, samples = losses_of(TwoInputs(), data, None)
    torch.manual_seed(0)
    cut, samples_of_cut = losses_of(TwoInputs(), data, 2)

    assert cut == pytest.approx(whole, rel=1e-5)
    assert samples == samples_of_cut == 32


class OwnLoss(nn.Module):
    """Holds a loss module under the name of Composer's method, and returns the loss before its scores."""

    def __init__(self) -> None:
        super().__init__()
        self.fc, self.loss = nn.Linear(3, 2), nn.CrossEntropyLoss()

    def forward(self, inputs: torch.Tensor, labels: torch.Tensor) -> Any:
        """Return loss and scores."""
        scores = self.fc(inputs)
        return self.loss(scores, labels), scores


def test_network_that_returns_its_loss_is_trained_and_judged() -> None:
    """Metrics see what stands behind the loss."""
    network = OwnLoss()
    model = Model(network, optimizer=sgd(network), metrics={"acc", "loss"})
    model.fit(1, batches(), batches(), callbacks=LossMonitor())

    results = model.eval(batches())
    right = torch.cat([network.fc(x).argmax(1) == y for x, y in batches()])
    assert results["acc"] == pytest.approx(right.float().mean().item())


def test_dict_of_outputs_gives_loss_and_logits() -> None:
    """As networks of the Transformers library return them; labels are found by name."""

    class Named(OwnLoss):
        def forward(self, labels: torch.Tensor, inputs: torch.Tensor) -> Any:
            loss, scores = super().forward(inputs, labels)
            return {"loss": loss, "logits": scores}

    network = Named()
    data = [{"labels": y, "inputs": x} for x, y in batches()]
    model = Model(network, optimizer=sgd(network), metrics={"acc"})
    model.train(1, data)
    assert 0 <= model.eval(data)["acc"] <= 1


def test_dict_of_outputs_without_loss_is_refused_by_name() -> None:
    class Losses(OwnLoss):
        def forward(self, inputs: torch.Tensor, labels: torch.Tensor) -> Any:
            return {"cls": inputs.sum(), "box": labels.sum()}

    with pytest.raises(TypeError, match="this one has 'cls', 'box'"):
        Model(Losses()).train(1, batches())


class Pair(NamedTuple):
    """A batch with names."""

    inputs: torch.Tensor
    labels: torch.Tensor


class ByName(nn.Module):
    """Composer's convention with a named tuple."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(3, 2)

    def forward(self, batch: Pair) -> torch.Tensor:
        """Return scores."""
        scores: torch.Tensor = self.fc(batch.inputs)
        return scores

    def loss(self, outputs: torch.Tensor, batch: Pair) -> torch.Tensor:
        """Return the loss."""
        return nn.functional.cross_entropy(outputs, batch.labels)


def test_named_tuples_and_packed_sequences_reach_the_network_as_they_are() -> None:
    network = ByName()
    Trainer(
        model=network,
        train_dataloader=[Pair(*pair) for pair in batches()],
        optimizers=sgd(network),
        max_duration="1ep",
        device_train_microbatch_size=4,
    ).fit()

    class Recurrent(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.gru = nn.GRU(3, 2)

        def forward(self, packed: Any) -> torch.Tensor:
            hidden: torch.Tensor = self.gru(packed)[1][-1]
            return hidden

    packed = nn.utils.rnn.pack_sequence([torch.randn(4, 3), torch.randn(2, 3)])
    Model(Recurrent(), nn.CrossEntropyLoss()).train(1, [(packed, torch.tensor([0, 1]))])


def test_modules_keep_their_modes() -> None:
    """A normalisation that a callback holds stays held; evaluations and predictions leave no trace."""
    network = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 2))
    model = Model(network, nn.CrossEntropyLoss(), sgd(network), metrics={"acc"})
    modes: list[tuple[bool, bool]] = []
    holding = LambdaCallback(
        on_train_epoch_begin=lambda _: network[1].eval(),
        on_train_step_end=lambda _: modes.append((network[0].training, network[1].training)),
    )
    model.fit(2, batches(2), batches(2), callbacks=holding)
    model.predict(torch.randn(2, 3))

    assert modes == [(True, False)] * 4
    assert network.training
    assert not network[1].running_mean.any()


def test_evaluation_network_is_the_one_that_is_told() -> None:
    network, judge = nn.Linear(3, 2), OwnLoss()
    model = Model(network, nn.CrossEntropyLoss(), sgd(network), {"loss"}, judge, [0, 1, -1])
    told: list[Any] = []
    model.eval(
        batches(), callbacks=LambdaCallback(begin=lambda context: told.append(context.original_args().eval_network))
    )

    assert model.eval_network is judge
    assert told == [judge]


NETWORK = nn.Linear(3, 2)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"optimizer": 3}, TypeError, "optimizer .* not 3"),
        ({"optimizer": torch.optim.SGD}, TypeError, "torch.optim.sgd.SGD"),
        ({"loss_fn": nn.CrossEntropyLoss}, TypeError, r"CrossEntropyLoss\(\), not the class"),
        ({"schedulers": [3]}, TypeError, "schedulers .* not 3"),
        ({"schedulers": 3}, TypeError, "schedulers .* not 3"),
        ({"schedulers": torch.optim.lr_scheduler.ReduceLROnPlateau(sgd(NETWORK))}, TypeError, "ours"),
        ({"loggers": [3]}, TypeError, "loggers .* not 3"),
        ({"eval_network": 3}, TypeError, "eval_network .* not 3"),
        ({"eval_network": NETWORK, "eval_indexes": ["a", 1, 2]}, TypeError, "eval_indexes .* 'a'"),
        ({"eval_network": NETWORK, "eval_indexes": 5}, ValueError, "eval_indexes .* not 5"),
        ({"loss_scale_manager": 4}, TypeError, "loss_scale_manager .* 4"),
        ({"amp_level": "o0"}, ValueError, "amp_level .* 'o0'"),
        ({"keep_batchnorm_fp32": False}, ValueError, "keep_batchnorm_fp32"),
    ],
)
def test_parts_that_cannot_be_are_refused_by_name(options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        Model(NETWORK, **options)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"optimizers": [sgd(NETWORK), sgd(NETWORK)]}, ValueError, "optimizers is one optimizer, not 2"),
        ({"optimizers": "sgd"}, TypeError, "'sgd'"),
        ({"loggers": "x"}, TypeError, "loggers .* 'x'"),
        ({"schedulers": [3]}, TypeError, "schedulers .* 3"),
        ({"amp_level": "X"}, ValueError, "'X'"),
    ],
)
def test_parts_of_a_trainer_are_refused_by_name(options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        Trainer(model=NETWORK, **options)


@pytest.mark.parametrize("duration", [0, "0ep", "-1ep"])
def test_a_duration_that_is_none_is_refused(duration: Any) -> None:
    with pytest.raises(ValueError, match="max_duration"):
        Trainer(model=NETWORK, train_dataloader=batches(), max_duration=duration).fit()


def test_a_logger_among_the_callbacks_of_a_trainer_hears_metrics() -> None:
    network, logger = nn.Linear(3, 2), InMemoryLogger()
    trainer = Trainer(
        model=network,
        train_dataloader=batches(),
        optimizers=sgd(network),
        loss_fn=nn.CrossEntropyLoss(),
        max_duration="1ep",
        callbacks=[logger],
    )
    trainer.fit()
    assert len(logger.data["loss/train/total"]) == 4


@pytest.mark.parametrize("hook", ["on_train_step_begin", "on_train_step_end"])
def test_a_sink_is_not_cut(hook: str) -> None:
    """A stop that is asked for inside a sink comes at its end, with its hook."""
    network, ends = nn.Linear(3, 2), list[int]()
    stop: Any = LambdaCallback(**{hook: lambda context: context.request_stop()})
    noting = LambdaCallback(on_train_step_end=lambda context: ends.append(context.original_args().cur_step_num))
    Model(network, nn.CrossEntropyLoss(), sgd(network)).train(3, batches(), [stop, noting], dataset_sink_mode=True)
    assert ends == [4]


def test_classes_made_from_ours_hear_evaluations_inside_fit_when_they_have_hooks_for_them() -> None:
    class Judge(LossMonitor):
        heard = 0

        def on_eval_end(self, _context: Any) -> None:
            self.heard += 1

    network, judge, counts = nn.Linear(3, 2), Judge(), list[int]()
    counting = LambdaCallback(on_eval_end=lambda _: counts.append(1))
    model = Model(network, nn.CrossEntropyLoss(), sgd(network), metrics={"acc"})
    model.fit(2, batches(), batches(), callbacks=[judge, counting])
    assert (judge.heard, len(counts)) == (2, 2)
