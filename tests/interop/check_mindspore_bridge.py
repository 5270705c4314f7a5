"""Our callbacks in the real mindspore.Model: their calls, their params, and their effects."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
import pytest
from mindspore import nn
from mindspore.train import Callback as MindSporeCallback
from mindspore.train import Model, RunContext

from toposcope.recorder.callbacks.history import History
from toposcope.recorder.callbacks.time_monitor import TimeMonitor
from toposcope.recorder.frameworks.mindspore import bridge
from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.event_callback import EventCallback
from toposcope.recorder.training.events.logger_destination import LoggerDestination
from toposcope.recorder.training.progress.event import Event
from toposcope.recorder.training.state.logger import Logger
from toposcope.recorder.training.state.state import State

TRACES = json.loads((Path(__file__).parents[1] / "golden/traces/mindspore.json").read_text())
MODES = [pytest.param(ms.GRAPH_MODE, id="graph mode"), pytest.param(ms.PYNATIVE_MODE, id="PyNative mode")]
HOOKS = [
    f"on_{phase}_{moment}"
    for phase in ("train", "eval")
    for moment in ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end")
]


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> Iterator[int]:
    """Run networks in one of MindSpore's modes."""
    before = ms.get_context("mode")
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=before)


def batches(samples: int = 8) -> Any:
    """Return batches of four samples."""
    random = np.random.default_rng(0)
    columns = {"x": random.random((samples, 3), np.float32), "y": random.random((samples, 2), np.float32)}
    return ms.dataset.NumpySlicesDataset(columns, shuffle=False).batch(4)


def model() -> Model:
    """Return a small model with a metric."""
    network = nn.Dense(3, 2)
    optimizer = nn.Momentum(network.trainable_params(), 0.1, 0.9)
    return Model(network, nn.MSELoss(), optimizer, metrics={"mse": ms.train.MSE()})


class Trace(Callback):
    """Records its calls in the form of the golden traces."""

    def __init__(self) -> None:
        self.calls: list[list[Any]] = []

    def __enter__(self) -> Callback:
        self.calls.append(["__enter__"])
        return self

    def __exit__(self, *error: Any) -> None:
        self.calls.append(["__exit__", str(error[0])])

    def add(self, hook: str, run_context: Any) -> None:
        """Record the hook and its params."""
        params = run_context.original_args()
        numbers = [params.get(key) for key in ("mode", "cur_epoch_num", "cur_step_num", "batch_num")]
        self.calls.append([hook, *numbers, sorted(params)])


class MindSporeTrace(MindSporeCallback):
    """The same as a callback of MindSpore."""

    __init__, __enter__, __exit__, add = Trace.__init__, Trace.__enter__, Trace.__exit__, Trace.add


for hook in HOOKS:
    for kind in (Trace, MindSporeTrace):
        setattr(kind, hook, lambda self, run_context, hook=hook: self.add(hook, run_context))


class Events(EventCallback):
    """Records the events with the numbers of finished epochs, batches and samples."""

    def __init__(self) -> None:
        self.events: list[Event | str] = []
        self.stamps: list[tuple[int, int, int]] = []

    def run_event(self, event: Event, state: State, logger: Logger) -> None:
        """Record the event."""
        self.events.append(event)
        timestamp = state.timestamp
        self.stamps.append((int(timestamp.epoch), int(timestamp.batch), int(timestamp.sample)))

    def close(self, state: State, logger: Logger) -> None:
        """Record the end."""
        self.events.append("close")


@pytest.mark.usefixtures("mode")
@pytest.mark.parametrize("method", ["train", "fit", "eval"])
def test_hooks_are_called_like_those_of_mindspore(method: str) -> None:
    """A bridged callback is called at the same moments, with the same params, as a MindSpore callback in the list."""
    ours, theirs = Trace(), MindSporeTrace()
    data = {"train": (2, batches()), "fit": (2, batches(), batches(4)), "eval": (batches(),)}[method]
    getattr(model(), method)(*data, callbacks=[theirs, bridge(ours)])
    assert ours.calls == theirs.calls
    assert ours.calls == TRACES[method]


@pytest.mark.usefixtures("mode")
def test_event_callbacks_receive_the_events_of_fit() -> None:
    """The events of two epochs of two batches, each evaluated on one batch, are those of our Trainer."""
    trace = Events()
    model().fit(2, batches(), batches(4), callbacks=bridge(trace))
    counts = Counter(trace.events)
    assert counts == {
        **dict.fromkeys(["init", "before_load", "after_load", "fit_start", "iteration_start", "fit_end", "close"], 1),
        **dict.fromkeys(["epoch_start", "epoch_end", "epoch_checkpoint", "eval_before_all", "eval_after_all"], 2),
        **dict.fromkeys(["eval_start", "eval_batch_start", "eval_before_forward", "eval_after_forward"], 2),
        **dict.fromkeys(["eval_batch_end", "eval_end"], 2),
        **dict.fromkeys(["after_dataloader", "batch_start", "before_train_batch", "before_forward"], 4),
        **dict.fromkeys(["after_forward", "before_loss", "after_loss", "before_backward", "after_backward"], 4),
        **dict.fromkeys(["after_train_batch", "batch_end", "batch_checkpoint"], 4),
        "before_dataloader": 6,
    }
    order = [event for event in trace.events if event.startswith(("epoch", "eval_before_all", "eval_after_all"))]
    assert order == ["epoch_start", "epoch_end", "eval_before_all", "eval_after_all", "epoch_checkpoint"] * 2
    stamps = dict(zip(trace.events, trace.stamps, strict=False))  # Of the last event of each kind.
    assert stamps["batch_start"] == (1, 3, 12)
    assert stamps["batch_end"] == (1, 4, 16)
    assert stamps["epoch_end"] == stamps["fit_end"] == (2, 4, 16)


def test_event_callbacks_receive_the_events_of_a_standalone_evaluation() -> None:
    """Model.eval is a standalone evaluation."""
    trace = Events()
    model().eval(batches(4), callbacks=bridge(trace))
    assert trace.events[3:5] == ["eval_standalone_start", "eval_start"]
    assert trace.events[-3:] == ["eval_end", "eval_standalone_end", "close"]


class Stop(Callback):
    """Requests a stop at a hook."""

    def __init__(self, hook: str, step: int) -> None:
        setattr(self, hook, lambda context: context.original_args().cur_step_num == step and context.request_stop())


@pytest.mark.usefixtures("mode")
def test_a_stop_inside_an_epoch_ends_it() -> None:
    """MindSpore calls on_train_epoch_end and on_train_end; EPOCH_END is not run for an epoch that was cut short."""
    trace, event_trace = Trace(), Events()
    model().train(3, batches(), callbacks=[bridge(Stop("on_train_step_end", 3), trace, event_trace)])
    assert [call[0] for call in trace.calls[-4:]] == [
        "on_train_step_end", "on_train_epoch_end", "on_train_end", "__exit__"
    ]  # fmt: skip
    assert [call[3] for call in trace.calls if call[0] == "on_train_step_end"] == [1, 2, 3]
    assert event_trace.events[-4:] == ["batch_end", "batch_checkpoint", "fit_end", "close"]


@pytest.mark.parametrize("event", ["fit_start", "batch_end", "epoch_end", "eval_end", "epoch_checkpoint"])
def test_an_event_callback_stops_the_training(event: str) -> None:
    """State.stop_training() stops MindSpore's training, also within an evaluation."""

    class StopAtEvent(EventCallback):
        def run_event(self, current_event: Event, state: State, logger: Logger) -> None:
            if current_event == event:
                state.stop_training()

    trace = Trace()
    model().fit(5, batches(), batches(4), callbacks=[bridge(StopAtEvent(), trace)])
    steps = [call[3] for call in trace.calls if call[0] == "on_train_step_end"]
    assert steps == ([1] if event in ("fit_start", "batch_end") else [1, 2])
    assert trace.calls[-1][0] == "__exit__"


def test_a_stop_in_an_evaluation_ends_only_the_evaluation() -> None:
    """As in MindSpore, RunContext.request_stop() applies to the phase in which it is called."""
    trace = Trace()
    model().fit(2, batches(), batches(), callbacks=bridge(Stop("on_eval_step_end", 1), trace))
    assert [call[3] for call in trace.calls if call[0] == "on_eval_step_end"] == [1, 1]
    assert [call[3] for call in trace.calls if call[0] == "on_train_step_end"] == [1, 2, 3, 4]


def test_a_stop_requested_by_another_callback_is_visible() -> None:
    """get_stop_requested() returns MindSpore's state."""

    class Theirs(MindSporeCallback):
        def on_train_step_end(self, run_context: Any) -> None:
            run_context.request_stop()

    requested = []

    class Ours(Callback):
        def on_train_step_end(self, run_context: Any) -> None:
            requested.append(run_context.get_stop_requested())

    model().train(1, batches(), callbacks=[bridge(Ours()), Theirs(), bridge(Ours())])
    assert requested == [False, True]


class Broken(Callback):
    """Raises at a hook, and stores the errors that __exit__() receives."""

    def __init__(self, hook: str) -> None:
        self.errors: list[BaseException | None] = []
        setattr(self, hook, self.fail)

    def fail(self, run_context: Any) -> None:
        """Raise."""
        raise ArithmeticError("no more")

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        assert (kind, trace) == (None, None) if error is None else (type(error), error.__traceback__)
        self.errors.append(error)


@pytest.mark.parametrize("hook", ["on_train_begin", "on_train_step_end", "on_eval_step_end", "on_train_end"])
def test_an_exception_ends_the_training(hook: str) -> None:
    """Model.fit raises the exception of a callback; all callbacks are exited with it and closed."""
    broken, event_trace, trace = Broken(hook), Events(), Trace()
    with pytest.raises(ArithmeticError, match="no more") as raised:
        model().fit(2, batches(), batches(4), callbacks=bridge(broken, event_trace, trace))
    evaluations: dict[str, list[BaseException | None]] = {
        "on_train_end": [None, None],
        "on_eval_step_end": [raised.value],
    }
    assert broken.errors == [*evaluations.get(hook, []), raised.value]
    assert trace.calls[-1] == ["__exit__", "<class 'ArithmeticError'>"]
    assert event_trace.events[-1] == "close"


def test_a_callback_may_suppress_an_exception() -> None:
    """If its __exit__ returns True, the training ends without an error."""

    class Suppressing(Callback):
        def __exit__(self, *error: Any) -> Any:
            return True

    model().train(1, batches(), callbacks=bridge(Suppressing(), Broken("on_train_step_end")))


def test_entered_callbacks_are_exited_if_another_cannot_be_entered() -> None:
    """A callback whose __enter__ raises ends the training before it begins."""

    class Failing(Callback):
        def __enter__(self) -> Callback:
            raise OSError("no space")

    trace, failing = Trace(), Failing()
    bridged = bridge(trace, failing)
    for _ in range(2):
        with pytest.raises(OSError, match="no space"):
            model().train(1, batches(), callbacks=bridged)
    assert [call[0] for call in trace.calls] == ["__enter__", "__exit__"] * 2


def test_params_are_shared_with_mindspore() -> None:
    """Our callbacks and MindSpore's read the items that the others write; a missing one is an AttributeError."""
    values: list[Any] = []

    class Theirs(MindSporeCallback):
        def on_train_begin(self, run_context: Any) -> None:
            run_context.original_args().theirs = "b"

        def on_train_step_end(self, run_context: Any) -> None:
            values.append((run_context.original_args().ours, run_context.original_args()["also"]))

    class Ours(Callback):
        def on_train_begin(self, run_context: Any) -> None:
            params: Any = run_context.original_args()
            assert issubclass(type(params), dict)
            assert not hasattr(params, "ours")
            with pytest.raises(AttributeError, match="metrics"):
                _ = params.metrics
            assert params.get("metrics") is None
            params.ours, params["also"] = "a", 1
            assert {**params}.keys() == set(params) == dict(params).keys()
            assert len(params) == len(params.copy()) == len(params.items())

        def on_train_step_end(self, run_context: Any) -> None:
            values.append(run_context.original_args().pop("theirs", None))

    model().train(1, batches(4), callbacks=[bridge(Ours()), Theirs()])
    assert values == ["b", ("a", 1)]


def test_the_list_of_callbacks_contains_bridged_callbacks() -> None:
    """It contains MindSpore's callbacks and ours in order."""
    callbacks: list[Any] = []

    class ReadList(Callback):
        def on_train_begin(self, run_context: Any) -> None:
            callbacks.extend(run_context.original_args().list_callback)

    first, second, monitor = ReadList(), History(), ms.train.TimeMonitor()
    model().train(1, batches(4), callbacks=[bridge(first), monitor, bridge(second)])
    assert [each for each in callbacks if each in (first, second, monitor)] == [first, monitor, second]


def test_optimizer_and_loss_inside_the_network_are_in_the_params() -> None:
    """If Model has none."""
    copied = {}

    class CopyParams(Callback):
        def on_train_begin(self, run_context: Any) -> None:
            copied.update(run_context.original_args())

    network = nn.Dense(3, 2)
    optimizer, loss = nn.Momentum(network.trainable_params(), 0.1, 0.9), nn.MSELoss()
    trained = Model(nn.TrainOneStepCell(nn.WithLossCell(network, loss), optimizer))
    trained.train(1, batches(4), callbacks=bridge(CopyParams()))
    assert (copied["optimizer"], copied["loss_fn"]) == (optimizer, loss)


def test_built_in_callbacks_take_no_part_in_the_evaluations_of_fit(capsys: pytest.CaptureFixture[str]) -> None:
    """Except TimeMonitor, as in MindSpore."""
    history = History()
    model().fit(2, batches(), batches(4), callbacks=bridge(history, TimeMonitor()))
    assert [len(values) for values in history.history.values()] == [2, 2]
    assert list(history.history) == ["net_output", "mse"]
    printed = capsys.readouterr().out
    assert (printed.count("Train epoch time"), printed.count("Eval epoch time")) == (2, 2)


def test_legacy_hooks_are_an_error_in_fit() -> None:
    """MindSpore raises ValueError for a user's class with legacy hooks; train and eval call them."""

    class PrintInfo(Callback):
        calls = 0

        def step_end(self, run_context: Any) -> None:
            self.calls += 1

    legacy = PrintInfo()
    with pytest.raises(ValueError, match=r"bridge\(PrintInfo\) callback, \{'step_end'\}"):
        model().fit(1, batches(), batches(4), callbacks=bridge(History(), legacy))
    assert legacy.calls == 0
    model().train(1, batches(), callbacks=[bridge(legacy)])
    model().eval(batches(4), callbacks=bridge(legacy))
    assert legacy.calls == 3


def test_the_callback_returned_by_enter_is_called_instead() -> None:
    """__enter__ may return another callback."""
    trace = Trace()

    class Replaced(Callback):
        def __enter__(self) -> Callback:
            return trace

    model().train(1, batches(4), callbacks=bridge(Replaced()))
    assert sorted(call[0] for call in trace.calls) == sorted(hook for hook in HOOKS if "train" in hook)


def test_a_bridge_can_be_used_again() -> None:
    """For several trainings and evaluations; a second training with an optimizer goes on counting its steps."""
    trace = Trace()
    bridged, trained = bridge(trace), model()
    trained.train(2, batches(), callbacks=bridged)
    trained.train(2, batches(), callbacks=bridged)
    trained.eval(batches(), callbacks=bridged)
    again = [[*call[:3], call[3] + 4, *call[4:]] if len(call) > 3 else call for call in TRACES["train"]]
    assert trace.calls == TRACES["train"] + again + TRACES["eval"]


def test_a_training_may_begin_at_a_later_epoch() -> None:
    """The timestamp counts the epochs that were trained before."""
    trace = Events()
    model().train(3, batches(), callbacks=bridge(trace), initial_epoch=2)
    epochs = {event: stamp[0] for event, stamp in zip(trace.events, trace.stamps, strict=False)}
    assert (epochs["epoch_start"], epochs["epoch_end"]) == (2, 3)


def test_sink_mode_has_no_effect_on_a_cpu() -> None:
    """MindSpore does not sink data on a CPU: hooks are called at every step."""
    trace = Trace()
    model().train(2, batches(), callbacks=bridge(trace), dataset_sink_mode=True)
    assert [call[3] for call in trace.calls if call[0] == "on_train_step_end"] == [1, 2, 3, 4]


def test_a_sink_is_one_step_of_many_batches() -> None:
    """In sink mode MindSpore calls the hooks once for many steps: the timestamp counts all of them."""
    params = ms.train.callback._InternalCallbackParam()
    params.update(mode="train", cur_step_num=0, epoch_num=2, batch_num=5, dataset_sink_mode=True, sink_size=5)
    params.update(network=None, optimizer=None, loss_fn=None, train_dataset=batches(20), list_callback=[])
    params.update(parallel_mode="stand_alone", device_number=1, train_dataset_element=())
    trace, context = Events(), RunContext(params)
    with bridge(trace) as bridged:
        bridged.on_train_begin(context)
        for params["cur_epoch_num"] in (1, 2):
            bridged.on_train_epoch_begin(context)
            params["cur_step_num"] += 5
            bridged.on_train_step_begin(context)
            params["net_outputs"] = ms.Tensor(0.5)
            bridged.on_train_step_end(context)
            bridged.on_train_epoch_end(context)
        bridged.on_train_end(context)
    ends = [stamp for event, stamp in zip(trace.events, trace.stamps, strict=False) if event == "epoch_end"]
    assert [(epoch, batch) for epoch, batch, _ in ends] == [(1, 5), (2, 10)]


def test_destinations_receive_losses_metrics_and_times() -> None:
    """Bridged logger destinations receive what our Trainer logs."""
    logged: list[tuple[str, float, int | None]] = []

    class Destination(LoggerDestination):
        def log_metrics(self, metrics: dict[str, Any], step: int | None = None) -> None:
            logged.extend((name, float(np.asarray(value)), step) for name, value in metrics.items())

    history = History()
    model().fit(2, batches(), batches(4), callbacks=bridge(Destination(), history))
    by_name: dict[str, list[Any]] = {}
    for name, value, step in logged:
        by_name.setdefault(name, []).append((step, value))
    assert [step for step, _ in by_name["loss/train/total"]] == [0, 1, 2, 3]
    assert [value for _, value in by_name["loss/train/total"]][1::2] == history.history["net_output"]
    assert by_name["metrics/eval/mse"] == list(zip((2, 4), history.history["mse"], strict=True))
    assert by_name["time/sample"][-1] == (4, 16)


@pytest.mark.parametrize("callbacks", [(), (ms.train.LossMonitor(),), ([History()],), (History,), (None,)])
def test_a_bridge_accepts_only_our_callbacks(callbacks: tuple[Any, ...]) -> None:
    """Other arguments raise TypeError."""
    with pytest.raises(TypeError, match="bridge"):
        bridge(*callbacks)
