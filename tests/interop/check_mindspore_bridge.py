"""Our callbacks in the real mindspore.Model: what they are called for and told, and what they can do."""

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
from toposcope.recorder.training.callback import Callback
from toposcope.recorder.training.event import Event
from toposcope.recorder.training.event_callback import EventCallback
from toposcope.recorder.training.logger import Logger
from toposcope.recorder.training.logger_destination import LoggerDestination
from toposcope.recorder.training.state import State

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
    """Keeps what it is called for, as in the golden traces."""

    def __init__(self) -> None:
        self.calls: list[list[Any]] = []

    def __enter__(self) -> Callback:
        self.calls.append(["__enter__"])
        return self

    def __exit__(self, *error: Any) -> None:
        self.calls.append(["__exit__", str(error[0])])

    def keep(self, hook: str, run_context: Any) -> None:
        """Keep the hook, and what is told."""
        params = run_context.original_args()
        numbers = [params.get(key) for key in ("mode", "cur_epoch_num", "cur_step_num", "batch_num")]
        self.calls.append([hook, *numbers, sorted(params)])


class MindSporeTrace(MindSporeCallback):
    """The same in a callback of MindSpore's own style."""

    __init__, __enter__, __exit__, keep = Trace.__init__, Trace.__enter__, Trace.__exit__, Trace.keep


for hook in HOOKS:
    for kind in (Trace, MindSporeTrace):
        setattr(kind, hook, lambda self, run_context, hook=hook: self.keep(hook, run_context))


class Events(EventCallback):
    """Keeps the events, and how far the training had come."""

    def __init__(self) -> None:
        self.events: list[Event | str] = []
        self.stamps: list[tuple[int, int, int]] = []

    def run_event(self, event: Event, state: State, logger: Logger) -> None:
        """Keep the event."""
        self.events.append(event)
        timestamp = state.timestamp
        self.stamps.append((int(timestamp.epoch), int(timestamp.batch), int(timestamp.sample)))

    def close(self, state: State, logger: Logger) -> None:
        """Keep that this is the end."""
        self.events.append("close")


@pytest.mark.usefixtures("mode")
@pytest.mark.parametrize("method", ["train", "fit", "eval"])
def test_hooks_are_called_as_those_of_mindspore(method: str) -> None:
    """A bridged callback is called at the same moments, with the same facts, as one of MindSpore's in the same list."""
    ours, theirs = Trace(), MindSporeTrace()
    data = {"train": (2, batches()), "fit": (2, batches(), batches(4)), "eval": (batches(),)}[method]
    getattr(model(), method)(*data, callbacks=[theirs, bridge(ours)])
    assert ours.calls == theirs.calls
    assert ours.calls == TRACES[method]


@pytest.mark.usefixtures("mode")
def test_event_callbacks_hear_the_events_of_a_fit() -> None:
    """Two epochs of two batches, each evaluated on one batch, are the events of a trainer of ours."""
    heard = Events()
    model().fit(2, batches(), batches(4), callbacks=bridge(heard))
    counts = Counter(heard.events)
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
    order = [event for event in heard.events if event.startswith(("epoch", "eval_before_all", "eval_after_all"))]
    assert order == ["epoch_start", "epoch_end", "eval_before_all", "eval_after_all", "epoch_checkpoint"] * 2
    stamps = dict(zip(heard.events, heard.stamps, strict=False))  # Of the last event of each kind.
    assert stamps["batch_start"] == (1, 3, 12)
    assert stamps["batch_end"] == (1, 4, 16)
    assert stamps["epoch_end"] == stamps["fit_end"] == (2, 4, 16)


def test_event_callbacks_hear_a_standalone_evaluation() -> None:
    """Model.eval is a standalone evaluation."""
    heard = Events()
    model().eval(batches(4), callbacks=bridge(heard))
    assert heard.events[3:5] == ["eval_standalone_start", "eval_start"]
    assert heard.events[-3:] == ["eval_end", "eval_standalone_end", "close"]


class Stop(Callback):
    """Asks to stop at a hook."""

    def __init__(self, hook: str, step: int) -> None:
        setattr(self, hook, lambda context: context.original_args().cur_step_num == step and context.request_stop())


@pytest.mark.usefixtures("mode")
def test_a_stop_inside_an_epoch_ends_it() -> None:
    """MindSpore ends the epoch and the training for callbacks; for event callbacks a cut epoch has no end."""
    trace, heard = Trace(), Events()
    model().train(3, batches(), callbacks=[bridge(Stop("on_train_step_end", 3), trace, heard)])
    assert [call[0] for call in trace.calls[-4:]] == [
        "on_train_step_end", "on_train_epoch_end", "on_train_end", "__exit__"
    ]  # fmt: skip
    assert [call[3] for call in trace.calls if call[0] == "on_train_step_end"] == [1, 2, 3]
    assert heard.events[-4:] == ["batch_end", "batch_checkpoint", "fit_end", "close"]


@pytest.mark.parametrize("event", ["batch_end", "epoch_end", "eval_end", "epoch_checkpoint"])
def test_an_event_callback_stops_the_training(event: str) -> None:
    """State.stop_training() reaches MindSpore, from within an evaluation too."""

    class StopAtEvent(EventCallback):
        def run_event(self, now: Event, state: State, logger: Logger) -> None:
            if now == event:
                state.stop_training()

    trace = Trace()
    model().fit(5, batches(), batches(4), callbacks=[bridge(StopAtEvent(), trace)])
    steps = [call[3] for call in trace.calls if call[0] == "on_train_step_end"]
    assert steps == ([1] if event == "batch_end" else [1, 2])
    assert trace.calls[-1][0] == "__exit__"


def test_a_stop_in_an_evaluation_ends_the_evaluation_only() -> None:
    """As in MindSpore, RunContext.request_stop() is for the phase in which it is called."""
    trace = Trace()
    model().fit(2, batches(), batches(), callbacks=bridge(Stop("on_eval_step_end", 1), trace))
    assert [call[3] for call in trace.calls if call[0] == "on_eval_step_end"] == [1, 1]
    assert [call[3] for call in trace.calls if call[0] == "on_train_step_end"] == [1, 2, 3, 4]


def test_a_stop_that_another_callback_asked_for_is_seen() -> None:
    """get_stop_requested() is MindSpore's."""

    class Theirs(MindSporeCallback):
        def on_train_step_end(self, run_context: Any) -> None:
            run_context.request_stop()

    seen = []

    class Ours(Callback):
        def on_train_step_end(self, run_context: Any) -> None:
            seen.append(run_context.get_stop_requested())

    model().train(1, batches(), callbacks=[bridge(Ours()), Theirs(), bridge(Ours())])
    assert seen == [False, True]


class Broken(Callback):
    """Raises at a hook, and keeps what it is told at last."""

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
def test_an_exception_ends_the_training_and_is_told(hook: str) -> None:
    """What a callback raises is raised by Model.fit; everybody is left, with the error, and closed."""
    broken, heard, trace = Broken(hook), Events(), Trace()
    with pytest.raises(ArithmeticError, match="no more") as raised:
        model().fit(2, batches(), batches(4), callbacks=bridge(broken, heard, trace))
    evaluations = {"on_train_end": [None, None], "on_eval_step_end": [raised.value]}
    assert broken.errors == [*evaluations.get(hook, []), raised.value]
    assert trace.calls[-1] == ["__exit__", "<class 'ArithmeticError'>"]
    assert heard.events[-1] == "close"


def test_an_exception_may_be_forgotten() -> None:
    """A callback whose __exit__ returns True ends the training without an error."""

    class Forgiving(Callback):
        def __exit__(self, *error: Any) -> Any:
            return True

    model().train(1, batches(), callbacks=bridge(Forgiving(), Broken("on_train_step_end")))


def test_what_cannot_be_entered_leaves_what_was() -> None:
    """A callback whose __enter__ raises ends the training before it begins, and those before it are left."""

    class Shut(Callback):
        def __enter__(self) -> Callback:
            raise OSError("no space")

    trace, shut = Trace(), Shut()
    crossing = bridge(trace, shut)
    for _ in range(2):
        with pytest.raises(OSError, match="no space"):
            model().train(1, batches(), callbacks=crossing)
    assert [call[0] for call in trace.calls] == ["__enter__", "__exit__"] * 2


def test_facts_are_mindspores_own() -> None:
    """What our callback writes MindSpore's own reads, and the other way round; what is missing is an AttributeError."""
    seen: list[Any] = []

    class Theirs(MindSporeCallback):
        def on_train_begin(self, run_context: Any) -> None:
            run_context.original_args().theirs = "b"

        def on_train_step_end(self, run_context: Any) -> None:
            seen.append((run_context.original_args().ours, run_context.original_args()["also"]))

    class Ours(Callback):
        def on_train_begin(self, run_context: Any) -> None:
            params = run_context.original_args()
            assert isinstance(params, dict)
            assert not hasattr(params, "ours")
            with pytest.raises(AttributeError, match="metrics"):
                _ = params.metrics
            assert params.get("metrics") is None
            params.ours, params["also"] = "a", 1
            assert {**params}.keys() == set(params) == dict(params).keys()
            assert len(params) == len(params.copy()) == len(params.items())

        def on_train_step_end(self, run_context: Any) -> None:
            seen.append(run_context.original_args().pop("theirs", None))

    model().train(1, batches(4), callbacks=[bridge(Ours()), Theirs()])
    assert seen == ["b", ("a", 1)]


def test_the_list_of_callbacks_has_those_behind_bridges() -> None:
    """Whoever looks for other callbacks finds MindSpore's and ours, in their order."""
    found: list[Any] = []

    class Look(Callback):
        def on_train_begin(self, run_context: Any) -> None:
            found.extend(run_context.original_args().list_callback)

    first, second, monitor = Look(), History(), ms.train.TimeMonitor()
    model().train(1, batches(4), callbacks=[bridge(first), monitor, bridge(second)])
    assert [one for one in found if one in (first, second, monitor)] == [first, monitor, second]


def test_parts_of_a_network_that_brings_its_own_are_found() -> None:
    """Without a loss and an optimizer in Model, callbacks see those in the network."""
    seen = {}

    class Look(Callback):
        def on_train_begin(self, run_context: Any) -> None:
            seen.update(run_context.original_args())

    network = nn.Dense(3, 2)
    optimizer, loss = nn.Momentum(network.trainable_params(), 0.1, 0.9), nn.MSELoss()
    Model(nn.TrainOneStepCell(nn.WithLossCell(network, loss), optimizer)).train(1, batches(4), callbacks=bridge(Look()))
    assert (seen["optimizer"], seen["loss_fn"]) == (optimizer, loss)


def test_ours_take_no_part_in_the_evaluations_of_fit(capsys: pytest.CaptureFixture[str]) -> None:
    """As MindSpore leaves out its own callbacks, but for TimeMonitor."""
    history = History()
    model().fit(2, batches(), batches(4), callbacks=bridge(history, TimeMonitor()))
    assert [len(values) for values in history.history.values()] == [2, 2]
    assert list(history.history) == ["net_output", "mse"]
    printed = capsys.readouterr().out
    assert (printed.count("Train epoch time"), printed.count("Eval epoch time")) == (2, 2)


def test_legacy_hooks_are_refused_in_fit() -> None:
    """A class of the user's own with legacy hooks is a ValueError of MindSpore's; train and eval call them."""

    class PrintInfo(Callback):
        calls = 0

        def step_end(self, run_context: Any) -> None:
            self.calls += 1

    old = PrintInfo()
    with pytest.raises(ValueError, match=r"bridge\(PrintInfo\) callback, \{'step_end'\}"):
        model().fit(1, batches(), batches(4), callbacks=bridge(History(), old))
    assert old.calls == 0
    model().train(1, batches(), callbacks=[bridge(old)])
    model().eval(batches(4), callbacks=bridge(old))
    assert old.calls == 3


def test_what_enter_returns_is_called_instead() -> None:
    """__enter__ may return another callback."""
    trace = Trace()

    class Door(Callback):
        def __enter__(self) -> Callback:
            return trace

    model().train(1, batches(4), callbacks=bridge(Door()))
    assert sorted(call[0] for call in trace.calls) == sorted(hook for hook in HOOKS if "train" in hook)


def test_a_bridge_may_be_crossed_again() -> None:
    """One bridge serves several trainings and evaluations."""
    trace = Trace()
    crossing, trained = bridge(trace), model()
    trained.train(2, batches(), callbacks=crossing)
    trained.train(2, batches(), callbacks=crossing)
    trained.eval(batches(), callbacks=crossing)
    assert trace.calls == TRACES["train"] * 2 + TRACES["eval"]


def test_a_training_may_begin_at_a_later_epoch() -> None:
    """The timestamp counts the epochs that were trained before."""
    heard = Events()
    model().train(3, batches(), callbacks=bridge(heard), initial_epoch=2)
    epochs = {event: stamp[0] for event, stamp in zip(heard.events, heard.stamps, strict=False)}
    assert (epochs["epoch_start"], epochs["epoch_end"]) == (2, 3)


def test_sunk_data_is_not_sunk_on_a_cpu() -> None:
    """MindSpore sinks no data there: every step is seen."""
    trace = Trace()
    model().train(2, batches(), callbacks=bridge(trace), dataset_sink_mode=True)
    assert [call[3] for call in trace.calls if call[0] == "on_train_step_end"] == [1, 2, 3, 4]


def test_a_sink_is_one_step_of_many_batches() -> None:
    """Where MindSpore sinks data it tells of many steps at once: the timestamp counts them all."""
    params = ms.train.callback._InternalCallbackParam()
    params.update(mode="train", cur_step_num=0, epoch_num=2, batch_num=5, dataset_sink_mode=True, sink_size=5)
    params.update(network=None, optimizer=None, loss_fn=None, train_dataset=batches(20), list_callback=[])
    params.update(parallel_mode="stand_alone", device_number=1, train_dataset_element=())
    heard, context = Events(), RunContext(params)
    with bridge(heard) as crossing:
        crossing.on_train_begin(context)
        for params["cur_epoch_num"] in (1, 2):
            crossing.on_train_epoch_begin(context)
            params["cur_step_num"] += 5
            crossing.on_train_step_begin(context)
            params["net_outputs"] = ms.Tensor(0.5)
            crossing.on_train_step_end(context)
            crossing.on_train_epoch_end(context)
        crossing.on_train_end(context)
    ends = [stamp for event, stamp in zip(heard.events, heard.stamps, strict=False) if event == "epoch_end"]
    assert [(epoch, batch) for epoch, batch, _ in ends] == [(1, 5), (2, 10)]


def test_destinations_are_told_losses_metrics_and_times() -> None:
    """Logger destinations behind a bridge get what a trainer of ours logs."""
    logged: list[tuple[str, float, int | None]] = []

    class Keep(LoggerDestination):
        def log_metrics(self, metrics: dict[str, Any], step: int | None = None) -> None:
            logged.extend((name, float(np.asarray(value)), step) for name, value in metrics.items())

    history = History()
    model().fit(2, batches(), batches(4), callbacks=bridge(Keep(), history))
    by_name: dict[str, list[Any]] = {}
    for name, value, step in logged:
        by_name.setdefault(name, []).append((step, value))
    assert [step for step, _ in by_name["loss/train/total"]] == [0, 1, 2, 3]
    assert [value for _, value in by_name["loss/train/total"]][1::2] == history.history["net_output"]
    assert by_name["metrics/eval/mse"] == list(zip((2, 4), history.history["mse"], strict=True))
    assert by_name["time/sample"][-1] == (4, 16)


@pytest.mark.parametrize("callbacks", [(), (ms.train.LossMonitor(),), ([History()],), (History,), (None,)])
def test_a_bridge_is_for_our_callbacks(callbacks: tuple[Any, ...]) -> None:
    """Anything else is a TypeError."""
    with pytest.raises(TypeError, match="bridge"):
        bridge(*callbacks)
