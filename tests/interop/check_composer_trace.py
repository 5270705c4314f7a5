"""Composer's Trainer and Toposcope's run the same trainings: every event, with all that the state says, is the same."""

import random
from collections.abc import Callable
from typing import Any, NamedTuple

import composer
import composer.core
import composer.loggers
import composer.models
import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

from toposcope.recorder import training

pytestmark = pytest.mark.filterwarnings("ignore")  # Composer's, such as that of a last microbatch of another size.

EVALUATIONS = ["1ep", 1, 2, "2ep", "1ba", "2ba", "4ba", "8sp", "9sp", "0.5dur", "0.3dur", "1dur", 0, "0ba", "1iter"]
LENGTHS = ["2ep", "4ba", "6ba", "18sp", "1ep"]
STOPS = [
    "epoch_start",
    "before_dataloader",
    "batch_start",
    "after_loss",
    "batch_end",
    "eval_start",
    "eval_end",
    "batch_checkpoint",
    "epoch_end",
    "epoch_checkpoint",
]


class Api(NamedTuple):
    """The names of one of the two libraries."""

    Trainer: Callable[..., Any]
    Callback: type
    LoggerDestination: type
    Evaluator: Callable[..., Any]
    Time: Callable[..., Any]
    Event: Any


def _composer_trainer(**arguments: Any) -> Any:
    return composer.Trainer(progress_bar=False, **arguments)


COMPOSER = Api(
    _composer_trainer,
    composer.core.Callback,
    composer.loggers.LoggerDestination,
    composer.core.Evaluator,
    composer.core.Time,
    composer.core.Event,
)
TOPOSCOPE = Api(
    training.Trainer,
    training.EventCallback,
    training.LoggerDestination,
    training.Evaluator,
    training.Time,
    training.Event,
)
Scenario = Callable[[Api, "Run"], None]


class Network(composer.models.ComposerModel):
    """One layer, with the methods that both trainers call."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.layer = torch.nn.Linear(3, 2)

    def forward(self, batch: Any) -> Any:
        """Return the outputs of a batch, also of one without labels."""
        return self.layer(batch[0] if isinstance(batch, list | tuple) else batch)

    def loss(self, outputs: Any, batch: Any) -> Any:
        """Return the loss of a batch."""
        return torch.nn.functional.cross_entropy(outputs, batch[1])


def loader(batches: int, *, has_labels: bool = True) -> DataLoader[Any]:
    """Return the same batches of four samples at every call, the last one of three."""
    generator = torch.Generator().manual_seed(batches)
    samples = torch.randn(4 * batches - 1, 3, generator=generator)
    if not has_labels:
        return DataLoader(samples, batch_size=4)  # type: ignore[arg-type, unused-ignore]
    return DataLoader(TensorDataset(samples, torch.arange(len(samples)) % 2), batch_size=4)


class Run:
    """A trainer of one of the libraries, and the trace of what its callbacks see."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.trace: list[Any] = []
        self.stops: list[tuple[str, int, Callable[[Any], None]]] = []
        self.network = Network()
        self.trainer: Any = None

    def at(self, event: str, batch: int, action: Callable[[Any], None]) -> None:
        """Call action with the state at the first event of this name after *batch* batches."""
        self.stops.append((event, batch, action))

    def start(self, **arguments: Any) -> None:
        """Create the trainer."""
        optimizer = torch.optim.SGD(self.network.parameters(), lr=0.1)
        scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
        self.trainer = self.api.Trainer(
            model=self.network,
            optimizers=optimizer,
            schedulers=scheduler,
            callbacks=[_traced(self.api.Callback, self)],
            loggers=[_destination(self.api.LoggerDestination, self)],
            **{"train_dataloader": loader(3), "max_duration": "2ep", **arguments},
        )

    def attempt(self, call: Callable[[], Any]) -> None:
        """Call; an exception becomes part of the trace."""
        try:
            call()
            self.trace.append("returned")
        except Exception as error:
            self.trace.append(type(error).__name__)

    def act(self, name: str, state: Any) -> None:
        """Run the action of an event."""
        for number, (event, batch, action) in enumerate(self.stops):
            if event == name and state.timestamp.batch.value >= batch:
                del self.stops[number]
                action(state)
                return


def _traced(base: type, run: Run) -> Any:
    class Traced(base):
        def run_event(self, event: Any, state: Any, logger: Any) -> None:
            run.trace.append((event.value, seen(event.value, state)))
            run.act(event.value, state)

        def close(self, state: Any, logger: Any) -> None:
            run.trace.append("close")

        def post_close(self) -> None:
            run.trace.append("post_close")

    return Traced()


def _destination(base: type, run: Run) -> Any:
    class Destination(base):
        def run_event(self, event: Any, state: Any, logger: Any) -> None:
            run.trace.append(("logger", event.value))

        def log_metrics(self, metrics: dict[str, Any], step: int | None = None) -> None:
            if metrics:
                run.trace.append(("metrics", sorted(metrics), step))

    return Destination()


def seen(event: str, state: Any) -> dict[str, Any]:
    """Return what a callback can read in the state of both libraries."""
    now, before = state.timestamp, state.previous_timestamp
    counts = ["iteration", "epoch", "batch", "sample", "token", "epoch_in_iteration", "batch_in_epoch"]
    counts += ["sample_in_epoch", "token_in_epoch", "token_in_iteration"]
    values: dict[str, Any] = {name: str(getattr(now, name)) for name in counts}
    # Composer has none before the first batch.
    values["before"] = (0, 0) if before is None else (before.epoch.value, before.batch.value)
    for name in ("eval_timestamp", "predict_timestamp"):
        other = getattr(state, name)
        values[name] = str(other.batch), str(other.sample), str(other.batch_in_epoch)
    if event != "init":  # Composer sets these later.
        values["max_duration"] = str(state.max_duration)
        values["loader"] = state.dataloader_label, str(state.dataloader_len)
    if not event.startswith(("init", "predict", "eval")) and state.max_duration.value:
        values["elapsed"] = round(state.get_elapsed_duration().value, 9)
    values["lr"] = [round(group["lr"], 9) for each in state.optimizers for group in each.param_groups]
    values["train"] = state.model.training
    return values


def check(scenario: Scenario) -> None:
    """Run a scenario with both libraries; compare the traces event by event, and the trained networks."""
    runs = []
    for api in (COMPOSER, TOPOSCOPE):
        run = Run(api)
        scenario(api, run)
        run.trainer.close()
        runs.append(run)
    theirs, ours = runs
    for number, (expected, actual) in enumerate(zip(theirs.trace, ours.trace, strict=False)):
        assert actual == expected, f"entry {number}, after {theirs.trace[max(0, number - 3) : number]}"
    assert len(ours.trace) == len(theirs.trace), (theirs.trace + ours.trace)[-1]
    for name, weights in theirs.network.state_dict().items():
        torch.testing.assert_close(ours.network.state_dict()[name], weights)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("interval", EVALUATIONS)
def test_evaluations_follow_the_same_events_for_each_form_of_eval_interval(interval: Any, length: str) -> None:
    def scenario(api: Api, run: Run) -> None:
        run.start(eval_dataloader=loader(2), eval_interval=interval, max_duration=length)
        run.attempt(run.trainer.fit)

    check(scenario)


def test_a_time_and_a_function_are_intervals() -> None:
    def scenario(api: Api, run: Run) -> None:
        asked = []

        def is_due(state: Any, event: Any) -> bool:
            asked.append((event.value, state.timestamp.batch.value))
            return event is api.Event.BATCH_END and state.timestamp.batch.value in (2, 3)

        evaluators = [
            api.Evaluator(label="first", dataloader=loader(1), eval_interval=is_due),
            api.Evaluator(label="second", dataloader=loader(3), eval_interval=api.Time(2, "ba"), subset_num_batches=2),
            api.Evaluator(label="third", dataloader=loader(2)),
        ]
        run.start(eval_dataloader=evaluators, eval_interval="1ep", eval_subset_num_batches=1, max_duration="5ba")
        run.attempt(run.trainer.fit)
        run.trace.append(asked)

    check(scenario)


@pytest.mark.parametrize("microbatch", [1, 2, 3, 4, 9])
@pytest.mark.parametrize("by_batch", [False, True])
def test_microbatches_and_schedulers(microbatch: int, by_batch: bool) -> None:
    def scenario(api: Api, run: Run) -> None:
        run.start(device_train_microbatch_size=microbatch, step_schedulers_every_batch=by_batch)
        run.attempt(run.trainer.fit)

    check(scenario)


@pytest.mark.parametrize("interval", ["1ep", "2ba", "0.5dur"])
@pytest.mark.parametrize("batch", [1, 2, 3, 4])  # Composer divides by max_duration, which a stop at batch 0 makes 0.
@pytest.mark.parametrize("event", STOPS)
def test_a_stop_and_a_second_fit(event: str, batch: int, interval: str) -> None:
    def scenario(api: Api, run: Run) -> None:
        run.at(event, batch, lambda state: state.stop_training())
        run.start(eval_dataloader=loader(1), eval_interval=interval, max_duration="5ep")
        run.attempt(run.trainer.fit)
        run.attempt(lambda: run.trainer.fit(duration="1ep"))
        run.attempt(lambda: run.trainer.fit(duration="2ba"))
        run.attempt(run.trainer.fit)

    check(scenario)


@pytest.mark.parametrize("event", ["fit_start", "iteration_start", *STOPS[:5]])
def test_a_stop_before_the_first_batch(event: str) -> None:
    """Composer cannot evaluate then, as it divides by max_duration, which is 0."""

    def scenario(api: Api, run: Run) -> None:
        run.at(event, 0, lambda state: state.stop_training())
        run.start(max_duration="5ep")
        run.attempt(run.trainer.fit)
        run.attempt(run.trainer.fit)
        run.attempt(lambda: run.trainer.fit(duration="4ba"))

    check(scenario)


@pytest.mark.parametrize("interval", ["1ep", "1iter", "2ba"])
def test_iterations(interval: str) -> None:
    def scenario(api: Api, run: Run) -> None:
        options: dict[str, Any] = {"eval_dataloader": loader(1), "eval_interval": interval, "max_duration": "10ba"}
        if api is TOPOSCOPE:
            options["iteration_length"] = "2ep"
        run.start(**options)
        if api is COMPOSER:  # It has no parameter for it.
            run.trainer.state._iteration_length = "2ep"
        run.attempt(run.trainer.fit)
        run.attempt(lambda: run.trainer.fit(duration="2ep"))

    check(scenario)


def test_max_duration_may_be_set_as_text_while_training() -> None:
    def scenario(api: Api, run: Run) -> None:
        def extend(state: Any) -> None:
            state.stop_training()
            state.max_duration = "7ba"

        run.at("batch_start", 2, extend)
        run.start(eval_dataloader=loader(1))
        run.attempt(run.trainer.fit)

    check(scenario)


def test_fit_again_from_the_beginning_with_other_data() -> None:
    def scenario(api: Api, run: Run) -> None:
        run.start(eval_dataloader=loader(1), max_duration="4ba")
        run.attempt(run.trainer.fit)
        run.attempt(run.trainer.fit)
        run.attempt(
            lambda: run.trainer.fit(
                reset_time=True,
                train_dataloader=loader(2),
                eval_dataloader=loader(2),
                eval_interval="3ba",
                eval_subset_num_batches=1,
            )
        )
        run.attempt(lambda: run.trainer.fit(duration="8sp"))

    check(scenario)


@pytest.mark.parametrize("subset", [1, 2, 3])
def test_subsets_of_the_batches(subset: int) -> None:
    def scenario(api: Api, run: Run) -> None:
        run.start(eval_dataloader=loader(3), train_subset_num_batches=subset, eval_subset_num_batches=subset)
        run.attempt(run.trainer.fit)
        run.attempt(run.trainer.eval)
        run.attempt(lambda: run.trainer.eval(subset_num_batches=1))
        run.attempt(lambda: run.trainer.eval(loader(2)))

    check(scenario)


@pytest.mark.parametrize("subset", [-1, 0, 1, 9])
def test_predictions(subset: int) -> None:
    def scenario(api: Api, run: Run) -> None:
        def predict(**options: Any) -> None:
            outputs = run.trainer.predict(loader(2, has_labels=False), subset_num_batches=subset, **options)
            run.trace.append([each.round(decimals=4).tolist() for each in outputs])

        run.start(max_duration="1ba")
        run.attempt(predict)
        run.attempt(run.trainer.fit)
        run.attempt(predict)
        run.attempt(lambda: predict(return_outputs=False))

    check(scenario)


@pytest.mark.parametrize("seed", range(100))
def test_random_trainings(seed: int) -> None:
    draw = random.Random(seed)
    length, interval = draw.choice(LENGTHS), draw.choice(EVALUATIONS)
    batches, microbatch, by_batch = draw.randint(1, 5), draw.choice([1, 2, 4]), draw.choice([False, True])
    stops = [(draw.choice(STOPS), draw.randint(1, 6)) for _ in range(draw.randint(0, 2))]
    durations = [draw.choice(["1ep", "2ep", "1ba", "3ba", "7sp", None]) for _ in range(draw.randint(0, 3))]

    def scenario(api: Api, run: Run) -> None:
        for event, batch in stops:
            run.at(event, batch, lambda state: state.stop_training())
        run.start(
            train_dataloader=loader(batches),
            eval_dataloader=loader(1),
            eval_interval=interval,
            max_duration=length,
            device_train_microbatch_size=microbatch,
            step_schedulers_every_batch=by_batch,
        )
        run.attempt(run.trainer.fit)
        for duration in durations:
            run.attempt(lambda: run.trainer.fit(duration=duration))  # noqa: B023
        run.attempt(run.trainer.eval)

    check(scenario)
