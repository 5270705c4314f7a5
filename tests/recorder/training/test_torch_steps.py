"""The steps of PyTorch modules: their inputs, their mode, and the values that metrics receive."""

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
    """Return the losses of a training and its number of samples."""
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


def test_losses_with_microbatches_of_nested_inputs_equal_those_without() -> None:
    """A dict of two inputs is split by samples, not by inputs."""
    data = [({"a": x, "b": x}, y) for x, y in batches()]
    torch.manual_seed(0)
    whole, samples = losses_of(TwoInputs(), data, None)
    torch.manual_seed(0)
    split, samples_of_split = losses_of(TwoInputs(), data, 2)

    assert split == pytest.approx(whole, rel=1e-5)
    assert samples == samples_of_split == 32


class OwnLoss(nn.Module):
    """Has a loss module as attribute "loss", the name of Composer's method, and returns loss and scores."""

    def __init__(self) -> None:
        super().__init__()
        self.fc, self.loss = nn.Linear(3, 2), nn.CrossEntropyLoss()

    def forward(self, inputs: torch.Tensor, labels: torch.Tensor) -> Any:
        """Return loss and scores."""
        scores = self.fc(inputs)
        return self.loss(scores, labels), scores


def test_network_that_returns_its_loss_is_trained_and_evaluated() -> None:
    """Metrics receive the outputs after the loss."""
    network = OwnLoss()
    model = Model(network, optimizer=sgd(network), metrics={"acc", "loss"})
    model.fit(1, batches(), batches(), callbacks=LossMonitor())

    results = model.eval(batches())
    correct = torch.cat([network.fc(x).argmax(1) == y for x, y in batches()])
    assert results["acc"] == pytest.approx(correct.float().mean().item())


def test_loss_and_logits_are_read_from_a_dict_of_outputs() -> None:
    """Networks of the Transformers library return such dicts; labels are found by name."""

    class Named(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.network = OwnLoss()

        def forward(self, labels: torch.Tensor, inputs: torch.Tensor) -> Any:
            loss, scores = self.network(inputs, labels)
            return {"loss": loss, "logits": scores}

    network = Named()
    data = [{"labels": y, "inputs": x} for x, y in batches()]
    model = Model(network, optimizer=sgd(network), metrics={"acc"})
    model.train(1, data)
    assert 0 <= model.eval(data)["acc"] <= 1


def test_dict_of_outputs_without_loss_is_an_error() -> None:
    class Losses(OwnLoss):
        def forward(self, inputs: torch.Tensor, labels: torch.Tensor) -> Any:
            return {"cls": inputs.sum(), "box": labels.sum()}

    with pytest.raises(TypeError, match="'cls', 'box'"):
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


def test_named_tuples_and_packed_sequences_are_passed_unchanged() -> None:
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
    """A layer that a callback sets to evaluation mode stays there; evaluations and predictions restore the modes."""
    network = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 2))
    model = Model(network, nn.CrossEntropyLoss(), sgd(network), metrics={"acc"})
    modes: list[tuple[bool, bool]] = []
    freezing = LambdaCallback(
        on_train_epoch_begin=lambda _: network[1].eval(),
        on_train_step_end=lambda _: modes.append((network[0].training, network[1].training)),
    )
    model.fit(2, batches(2), batches(2), callbacks=freezing)
    model.predict(torch.randn(2, 3))

    assert modes == [(True, False)] * 4
    assert network.training
    assert not network.get_buffer("1.running_mean").any()


def test_callbacks_receive_the_evaluation_network() -> None:
    network, eval_network = nn.Linear(3, 2), OwnLoss()
    model = Model(network, nn.CrossEntropyLoss(), sgd(network), {"loss"}, eval_network, [0, 1, -1])
    received: list[Any] = []
    model.eval(
        batches(), callbacks=LambdaCallback(begin=lambda context: received.append(context.original_args().eval_network))
    )

    assert model.eval_network is eval_network
    assert received == [eval_network]


NETWORK = nn.Linear(3, 2)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"optimizer": 3}, TypeError, "optimizer .* not 3"),
        ({"optimizer": torch.optim.SGD}, TypeError, "torch.optim.sgd.SGD"),
        ({"loss_fn": nn.CrossEntropyLoss}, TypeError, r"CrossEntropyLoss\(\), not the class"),
        ({"schedulers": [3]}, TypeError, "schedulers .* not 3"),
        ({"schedulers": 3}, TypeError, "schedulers .* not 3"),
        (
            {"schedulers": torch.optim.lr_scheduler.ReduceLROnPlateau(sgd(NETWORK))},
            TypeError,
            "callback ReduceLROnPlateau",
        ),
        ({"loggers": [3]}, TypeError, "loggers .* not 3"),
        ({"eval_network": 3}, TypeError, "eval_network .* not 3"),
        ({"eval_network": NETWORK, "eval_indexes": ["a", 1, 2]}, TypeError, "eval_indexes .* 'a'"),
        ({"eval_network": NETWORK, "eval_indexes": 5}, ValueError, "eval_indexes .* not 5"),
        ({"loss_scale_manager": 4}, TypeError, "loss_scale_manager .* 4"),
        ({"amp_level": "o0"}, ValueError, "amp_level .* 'o0'"),
        ({"keep_batchnorm_fp32": 3}, TypeError, "keep_batchnorm_fp32"),
    ],
)
def test_errors_name_the_invalid_argument_of_a_model(
    options: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        Model(NETWORK, **options)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"optimizers": [sgd(NETWORK), sgd(NETWORK)]}, ValueError, "optimizers must be a single optimizer, not 2"),
        ({"optimizers": "sgd"}, TypeError, "'sgd'"),
        ({"loggers": "x"}, TypeError, "loggers .* 'x'"),
        ({"schedulers": [3]}, TypeError, "schedulers .* 3"),
        ({"amp_level": "X"}, ValueError, "'X'"),
    ],
)
def test_errors_name_the_invalid_argument_of_a_trainer(
    options: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        Trainer(model=NETWORK, **options)


@pytest.mark.parametrize("duration", [0, "0ep", "-1ep"])
def test_a_duration_must_be_positive(duration: Any) -> None:
    with pytest.raises(ValueError, match="max_duration"):
        Trainer(model=NETWORK, train_dataloader=batches(), max_duration=duration).fit()


def test_a_logger_among_the_callbacks_of_a_trainer_receives_metrics() -> None:
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
def test_a_stop_request_does_not_cut_a_sink_short(hook: str) -> None:
    """The training stops at the end of the sink, after its on_train_step_end."""
    network, ends = nn.Linear(3, 2), list[int]()
    stop: Any = LambdaCallback(**{hook: lambda context: context.request_stop()})
    tracing = LambdaCallback(on_train_step_end=lambda context: ends.append(context.original_args().cur_step_num))
    Model(network, nn.CrossEntropyLoss(), sgd(network)).train(3, batches(), [stop, tracing], dataset_sink_mode=True)
    assert ends == [4]


def test_subclasses_with_eval_hooks_take_part_in_the_evaluations_inside_fit() -> None:
    class EvaluationCounter(LossMonitor):
        evaluations = 0

        def on_eval_end(self, _context: Any) -> None:
            self.evaluations += 1

    network, counter, calls = nn.Linear(3, 2), EvaluationCounter(), list[int]()
    counting = LambdaCallback(on_eval_end=lambda _: calls.append(1))
    model = Model(network, nn.CrossEntropyLoss(), sgd(network), metrics={"acc"})
    model.fit(2, batches(), batches(), callbacks=[counter, counting])
    assert (counter.evaluations, len(calls)) == (2, 2)


@pytest.mark.parametrize("wrap", [lambda loss: (loss, "more"), lambda loss: {"loss": loss, "more": 1}])
def test_the_loss_of_a_tuple_or_a_dict_is_trained(wrap: Any) -> None:
    """A loss function may return more than its loss."""

    def final(loss_fn: Any) -> torch.Tensor:
        torch.manual_seed(0)
        network = nn.Linear(3, 2)
        model = Model(network, loss_fn, sgd(network), metrics={"loss"})
        model.train(1, batches())
        assert model.eval(batches())["loss"] > 0
        return network.weight.detach()

    cross_entropy = nn.CrossEntropyLoss()
    assert torch.equal(final(lambda outputs, labels: wrap(cross_entropy(outputs, labels))), final(cross_entropy))


def test_a_dict_of_a_loss_function_without_its_loss_is_named() -> None:
    """The message says what it has."""
    network = nn.Linear(3, 2)
    model = Model(network, lambda outputs, labels: {"total": outputs.sum()}, sgd(network))
    with pytest.raises(TypeError, match="loss_fn returns has the key 'loss'; this one has 'total'"):
        model.train(1, batches())


def lbfgs(network: nn.Module) -> torch.optim.LBFGS:
    return torch.optim.LBFGS(network.parameters(), lr=0.1, max_iter=3)


@pytest.mark.parametrize("size", [None, 4])
def test_an_optimizer_with_a_closure_trains_as_in_a_loop(size: int | None) -> None:
    """LBFGS evaluates the loss several times in a step, also of several micro-batches."""
    torch.manual_seed(0)
    own, network = nn.Linear(3, 2), nn.Linear(3, 2)
    network.load_state_dict(own.state_dict())
    loss_fn, optimizer, losses = nn.CrossEntropyLoss(), lbfgs(own), []
    for inputs, labels in batches():

        def closure(inputs: torch.Tensor = inputs, labels: torch.Tensor = labels) -> torch.Tensor:
            optimizer.zero_grad()
            loss: torch.Tensor = loss_fn(own(inputs), labels)
            loss.backward()
            return loss

        losses.append(float(optimizer.step(closure).detach()))
    logger = InMemoryLogger()
    trainer = Trainer(
        model=network,
        train_dataloader=batches(),
        optimizers=[lbfgs(network)],
        loss_fn=loss_fn,
        max_duration="1ep",
        loggers=logger,
        device_train_microbatch_size=size,
    )
    trainer.fit()
    trainer.close()
    assert torch.allclose(network.weight, own.weight, atol=1e-5)
    assert [float(loss) for _, loss in logger.data["loss/train/total"]] == pytest.approx(losses, abs=1e-5)


def test_a_closure_and_a_scaled_loss_are_refused() -> None:
    """At once."""
    network = nn.Linear(3, 2)
    with pytest.raises(ValueError, match="LBFGS evaluates the loss several times"):
        Model(network, nn.CrossEntropyLoss(), lbfgs(network), amp_level="O2")
