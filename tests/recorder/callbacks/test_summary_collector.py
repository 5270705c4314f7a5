"""SummaryCollector in trainings of a network without a framework; recordings are read with the server."""

import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.line_network import Line, line_batches
from support.written_events import ReadEvents

from toposcope import server
from toposcope.proto.summary_pb2 import Event
from toposcope.recorder import summary
from toposcope.recorder.callbacks.summary_collector import SummaryCollector
from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.run_context import CallbackParams, RunContext
from toposcope.recorder.training.model import Model

QUIET = {"collect_machine": False, "collect_environment": False, "collect_code": False, "collect_throughput": False}
TRAFFIC = ("disk_read", "disk_write", "network_received", "network_sent")
MACHINE = {"machine/memory_percent", "machine/disk_percent"}
SHARES = {"machine/cpu_percent", "machine/process_cpu_percent", *(f"machine/{name}_mib_per_second" for name in TRAFFIC)}
"""Only recorded if a training takes long enough."""


def run_in(directory: Path) -> Any:
    """Return the only run of a directory."""
    (run,) = server.open(directory).runs.values()
    return run


def steps_of(directory: Path, tag: str) -> list[int]:
    """Return the steps of a scalar."""
    return [int(step) for step in run_in(directory).scalars(tag).step]


def summaries(directory: Path, read_events: ReadEvents) -> list[Event]:
    """Return the events with summary values."""
    (path,) = directory.glob("*_MS")
    return [event for event in read_events(path) if event.HasField("summary")]


class ImageLine(Line):
    """A line that ignores the images of its batches, and calls every summary operator in a training step."""

    def train_step(self, *batch: Any) -> Any:
        """Train one step and record summary values."""
        _images, x, y = batch
        loss = super().train_step(x, y)
        summary.scalar("inner", loss)
        summary.tensor("activation", x)
        summary.histogram("outputs", self.predict(x))
        return np.float32(loss), y


def image_batches(number: int) -> list[tuple[Any, ...]]:
    """Return batches of four images, float32 NCHW, and the points of a line."""
    images = np.linspace(0, 1, 4 * 64, dtype=np.float32).reshape(4, 1, 8, 8)
    return [(images, x, y) for x, y in line_batches(number)]


def train(directory: Path, network: Line, batches: Any, epochs: int = 1, **options: Any) -> None:
    """Train network with a collector, by default with the settings QUIET and without metrics between collections."""
    options.setdefault("collect_specified_data", QUIET)
    options.setdefault("metric_freq", None)
    Model(network).train(epochs, batches, callbacks=SummaryCollector(directory, **options))


def test_first_step_and_multiples_are_one_event_each(tmp_path: Path, read_events: ReadEvents) -> None:
    """No step is recorded twice: neither the first, which MindSpore splits, nor the last of an epoch."""
    train(tmp_path, ImageLine(), image_batches(20), 2)

    events = summaries(tmp_path, read_events)
    assert [event.step for event in events] == [1, 10, 20, 30, 40]
    tags = {"loss/auto", "learning_rate", "weight/auto", "bias/auto", "input_data/auto"}
    operators = {"inner", "activation", "outputs"}
    assert [{value.tag for value in event.summary.value} for event in events] == [tags | operators] * 5


def test_loss_is_the_mean_of_the_first_output(tmp_path: Path) -> None:
    """The network itself records the same value at the same steps."""
    train(tmp_path, ImageLine(), image_batches(20))

    run = run_in(tmp_path)
    assert np.allclose(run.scalars("loss/auto").value, run.scalars("inner").value)
    assert list(run.scalars("loss/auto").step) == [1, 10, 20]


def test_images_are_the_first_array_of_the_batch(tmp_path: Path) -> None:
    """Four images side by side, at every collected step."""
    train(tmp_path, ImageLine(), image_batches(10))

    images = run_in(tmp_path).images("input_data/auto")
    assert [int(step) for step in images.step] == [1, 10]
    assert (images[0][0].height, images[0][0].width) == (8, 32)


def test_batches_without_images_are_logged_once_if_images_were_requested(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Everything else is collected."""
    with caplog.at_level(logging.WARNING):
        train(tmp_path / "default", Line(), line_batches(1))
        assert not caplog.records
        data = {**QUIET, "collect_input_data": True}
        train(tmp_path / "requested", Line(), line_batches(30), collect_specified_data=data)

    assert steps_of(tmp_path / "requested", "loss/auto") == [1, 10, 20, 30]
    (record,) = caplog.records
    assert "the input: no longer collected" in record.getMessage()
    assert "(4,)" in record.getMessage()


class ManyParameters(Line):
    """A line with additional parameters."""

    def parameters(self) -> dict[str, Any]:
        """Return seven parameters."""
        return {f"layer{i}.weight": np.full(3, i) for i in range(7)}


@pytest.mark.parametrize(
    ("regular", "layers"), [(None, [0, 1, 2, 3, 4]), ("layer[56]", [5, 6]), ("weight", []), (r".*\.weight", range(7))]
)
def test_histograms_are_of_the_parameters_that_match(tmp_path: Path, regular: str | None, layers: list[int]) -> None:
    """None selects the first five parameters; an expression is matched at the beginning of names."""
    train(tmp_path, ManyParameters(), line_batches(1), collect_specified_data={**QUIET, "histogram_regular": regular})

    assert run_in(tmp_path).tags("histogram") == [f"layer{i}.weight/auto" for i in layers]


def test_frequency_counts_steps(tmp_path: Path) -> None:
    """With collect_freq=3, the first and every third step is collected."""
    train(tmp_path, Line(), line_batches(8), 2, collect_freq=3)

    assert steps_of(tmp_path, "loss/auto") == [1, 3, 6, 9, 12, 15]


def test_in_sink_mode_epochs_are_collected(tmp_path: Path) -> None:
    """The unit of collect_freq is epochs; events have the number of the step."""
    collector = SummaryCollector(tmp_path, collect_freq=2, collect_specified_data=QUIET, metric_freq=None)
    Model(ImageLine()).train(5, image_batches(4), callbacks=collector, dataset_sink_mode=True)

    assert steps_of(tmp_path, "loss/auto") == [4, 8, 16]
    assert steps_of(tmp_path, "inner") == [4, 8, 16]


def test_tensors_are_collected_twenty_times(tmp_path: Path) -> None:
    """The numbers in the API documentation: 600 steps have 20 tensors and 61 other values, including the last step."""
    train(tmp_path, ImageLine(), image_batches(60), 10)

    run = run_in(tmp_path)
    tensors = [int(step) for step in run.tensors("activation").step]
    assert len(tensors) == 20
    assert (tensors[0], tensors[-1]) == (1, 600)
    assert len(run.scalars("inner").step) == len(run.scalars("loss/auto").step) == 61


def test_tensors_have_a_separate_frequency(tmp_path: Path, read_events: ReadEvents) -> None:
    """At steps where only tensors are due, nothing else is recorded."""
    train(tmp_path, ImageLine(), image_batches(12), collect_tensor_freq=4)

    events = summaries(tmp_path, read_events)
    assert [event.step for event in events] == [1, 4, 8, 10, 12]
    assert [[value.tag for value in event.summary.value] for event in events][1:3] == [["activation"]] * 2
    assert "activation" not in [value.tag for value in events[3].summary.value]


def test_exported_tensors_are_files(tmp_path: Path) -> None:
    """export_options is passed to the recorder."""
    train(tmp_path, ImageLine(), image_batches(1), export_options={"tensor_format": "npy"})

    (path,) = tmp_path.glob("export_*/tensor/*.npy")
    assert np.load(path).shape == (4,)


def test_files_do_not_exceed_max_file_size(tmp_path: Path) -> None:
    """It is passed to the recorder; nothing is lost."""
    train(tmp_path, ImageLine(), image_batches(40), collect_freq=1, max_file_size=20_000)

    sizes = [path.stat().st_size for path in tmp_path.glob("*_MS")]
    assert len(sizes) > 1
    assert max(sizes) <= 20_000
    assert steps_of(tmp_path, "loss/auto") == list(range(1, 41))


def test_only_specified_data_are_collected(tmp_path: Path) -> None:
    """With keep_default_action=False: the loss and the summary operators, but no lineage and no other scalar."""
    data = {"collect_metric": True}
    train(tmp_path, ImageLine(), image_batches(10), collect_specified_data=data, keep_default_action=False)

    run = run_in(tmp_path)
    assert set(run.tags()) == {"loss/auto", "inner", "activation", "outputs"}
    assert not list(tmp_path.glob("*_lineage"))


@pytest.mark.parametrize(
    ("key", "tag"),
    [
        ("collect_metric", "loss/auto"),
        ("collect_learning_rate", "learning_rate"),
        ("collect_throughput", "throughput/steps_per_second"),
        ("collect_machine", "machine/process_memory_gib"),
        ("collect_input_data", "input_data/auto"),
        ("collect_eval_metrics", "eval/mse"),
        ("collect_train_lineage", "train"),
        ("collect_eval_lineage", "evaluation"),
        ("collect_environment", "custom"),
    ],
)
def test_every_default_collection_can_be_disabled(tmp_path: Path, key: str, tag: str) -> None:
    """Its key is in the docstring of the class; False omits its tag and no other."""
    for directory, data in ((tmp_path / "on", {}), (tmp_path / "off", {key: False})):
        collector = SummaryCollector(directory, collect_specified_data=data)
        batches = image_batches(2)
        Model(EvaluatedImageLine(), metrics={"mse"}).fit(1, batches, batches, callbacks=collector)

    on, off = (set(run_in(tmp_path / name).tags()) - SHARES for name in ("on", "off"))
    assert tag in on
    assert on - off <= {tag, "throughput/samples_per_second", *MACHINE, "eval/loss"}
    assert off <= on
    assert f"[{key}, True]" in (SummaryCollector.__doc__ or "")


class EvaluatedImageLine(ImageLine):
    """Can be evaluated on batches with images."""

    def eval_step(self, *batch: Any) -> Any:
        """Return loss, outputs and labels."""
        _images, x, y = batch
        return super().eval_step(x, y)


class DescentLine(Line):
    """A line that provides its gradients."""

    def gradients(self) -> dict[str, Any]:
        """Return gradients of known norms."""
        return {"weight": np.array([3.0, 0.0]), "bias": np.array([4.0])}


def test_gradients_are_collected_on_request(tmp_path: Path) -> None:
    """Norms of each and of all, and histograms of gradients whose parameter names match."""
    data = {**QUIET, "collect_gradient_norm": True, "gradient_histogram_regular": "w"}
    train(tmp_path, DescentLine(), line_batches(1), collect_specified_data=data)

    run = run_in(tmp_path)
    norms = {tag: run.scalars(tag).value[0] for tag in run.tags("scalar") if tag.startswith("gradient")}
    assert norms == {"gradient_norm/global": 5.0, "gradient_norm/weight": 3.0, "gradient_norm/bias": 4.0}
    assert "gradient/weight" in run.tags("histogram")
    assert "gradient/bias" not in run.tags("histogram")


def test_throughput_counts_steps_and_samples(tmp_path: Path) -> None:
    """A step has four samples."""
    train(tmp_path, Line(), line_batches(10), collect_specified_data={})

    run = run_in(tmp_path)
    steps, samples = (run.scalars(f"throughput/{unit}_per_second").value for unit in ("steps", "samples"))
    assert np.allclose(samples, 4 * steps)
    assert (steps > 0).all()


def test_evaluations_in_fit_are_scalars_and_lineage(tmp_path: Path) -> None:
    """Scalars are recorded at the last training step; the lineage contains the newest metrics."""
    collector = SummaryCollector(tmp_path, collect_specified_data=QUIET)
    line = Line()
    Model(line, metrics={"mse": lambda outputs, labels: float(((outputs - labels) ** 2).mean())}).fit(
        3, line_batches(4), line_batches(2), callbacks=collector
    )

    run = run_in(tmp_path)
    assert steps_of(tmp_path, "eval/mse") == steps_of(tmp_path, "eval/loss") == [4, 8, 12]
    assert run.lineage().metrics["mse"] == run.scalars("eval/mse").value[-1]


def test_separate_evaluation_is_lineage_only(tmp_path: Path) -> None:
    """Model.eval() records no scalar, no graph and no training lineage."""
    batches = image_batches(2)
    Model(EvaluatedImageLine(), metrics={"mse"}).eval(batches, callbacks=SummaryCollector(tmp_path))

    run = run_in(tmp_path)
    assert run.tags() == ["evaluation"]
    assert set(run.lineage().metrics) == {"mse"}


def training_context(collector: SummaryCollector, **params: Any) -> RunContext:
    """Return the context at the beginning of a training of two epochs of ten steps."""
    return RunContext(
        CallbackParams(
            mode="train",
            network=Line(),
            train_network=Line(),
            epoch_num=2,
            batch_num=10,
            cur_step_num=0,
            list_callback=[collector],
            **params,
        )
    )


def run_steps(collector: SummaryCollector, context: RunContext, numbers: range, losses: Any = 0.5) -> None:
    """Call the hooks for steps of one epoch."""
    params = context.original_args()
    for number in numbers:
        params.cur_step_num, params.train_dataset_element = number, (np.zeros(4),)
        collector.on_train_step_begin(context)
        params.net_outputs = losses
        collector.on_train_step_end(context)


def test_metrics_may_be_arrays_and_an_invalid_one_is_omitted(tmp_path: Path, caplog: Any) -> None:
    """MindSpore drops all metrics when one of them is an array."""
    collector = SummaryCollector(tmp_path, collect_specified_data=QUIET)
    context = training_context(collector)
    with collector, caplog.at_level(logging.WARNING):
        collector.on_train_begin(context)
        run_steps(collector, context, range(1, 11))
        context.original_args().metrics = {"f1": np.array([0.25, 0.5]), "odd": object(), "acc": np.float32(0.5)}
        collector.on_train_epoch_end(context)

    run = run_in(tmp_path)
    assert run.lineage().metrics == {"f1": [0.25, 0.5], "acc": 0.5}
    assert {tag for tag in run.tags("scalar") if tag.startswith("eval")} == {"eval/f1/0", "eval/f1/1", "eval/acc"}
    assert "metric 'odd'" in caplog.text


class Stop(Callback):
    """Requests a stop, or raises, at a step."""

    def __init__(self, step: int, error: Exception | None = None) -> None:
        self.step, self.error = step, error

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Stop at the step."""
        if run_context.original_args().cur_step_num == self.step:
            if self.error is not None:
                raise self.error
            run_context.request_stop()


def test_lineage_contains_the_epochs_that_were_reached(tmp_path: Path) -> None:
    """Not the planned ones, if the training stops early; the loss is that of the last step."""
    callbacks = [SummaryCollector(tmp_path, collect_specified_data=QUIET), Stop(13)]
    Model(Line()).train(50, line_batches(10), callbacks=callbacks)

    lineage = run_in(tmp_path).lineage()
    assert lineage.hyper_parameters["epoch"] == 2
    assert lineage.hyper_parameters["device_num"] == 1
    assert lineage.hyper_parameters["batch_size"] == 4
    assert lineage.model["network"] == "Line"
    assert lineage.model["loss"] > 0


def test_lineage_of_a_training_that_raises_is_recorded(tmp_path: Path) -> None:
    """The error propagates; the collected values are recorded, and all files are complete."""
    callbacks = [SummaryCollector(tmp_path, collect_specified_data=QUIET, metric_freq=None), Stop(13, KeyError("mine"))]
    with pytest.raises(KeyError, match="mine"):
        Model(Line()).train(5, line_batches(10), callbacks=callbacks)

    run = run_in(tmp_path)
    assert run.lineage().hyper_parameters["epoch"] == 2
    assert steps_of(tmp_path, "loss/auto") == [1, 10, 13]
    assert run.damaged_records == 0


def test_learning_rate_of_a_schedule_is_in_the_lineage(tmp_path: Path) -> None:
    """It is the largest one, the base of most schedules; MindSpore's lineage has none."""

    class Decay(Callback):
        def on_train_step_begin(self, run_context: RunContext) -> None:
            params = run_context.original_args()
            params.network.learning_rate = 0.1 / params.cur_step_num

    callbacks = [Decay(), SummaryCollector(tmp_path, collect_specified_data=QUIET, metric_freq=None)]
    Model(Line()).train(1, line_batches(20), callbacks=callbacks)

    run = run_in(tmp_path)
    assert np.allclose(run.scalars("learning_rate").value, [0.1, 0.01, 0.005])
    assert run.lineage().hyper_parameters["learning_rate"] == 0.1


class Saver(Callback):
    """Writes a checkpoint at the end of the training, and provides its name, as ModelCheckpoint does."""

    def __init__(self, path: Path) -> None:
        self.path, self.latest_ckpt_file_name = path, ""

    def on_train_end(self, run_context: RunContext) -> None:
        """Write the checkpoint."""
        self.path.write_bytes(bytes(123))
        self.latest_ckpt_file_name = str(self.path)


@pytest.mark.parametrize("is_first", [True, False])
def test_checkpoint_is_in_the_lineage_for_any_order_of_callbacks(tmp_path: Path, is_first: bool) -> None:
    """MindSpore misses the last checkpoint if the collector precedes ModelCheckpoint."""
    saver = Saver(tmp_path / "last.ckpt")
    callbacks = [SummaryCollector(tmp_path / "run", collect_specified_data=QUIET), saver]
    Model(Line()).train(1, line_batches(2), callbacks=callbacks if is_first else callbacks[::-1])

    model = run_in(tmp_path / "run").lineage().model
    assert model["size"] == 123
    assert str(tmp_path / "last.ckpt") in str(model["path"])


def test_custom_lineage_data_are_in_the_lineage(tmp_path: Path) -> None:
    """They take precedence over the facts about the environment."""
    custom = {"dataset": "line", "seed": 7, "environment/host": "here"}
    train(tmp_path, Line(), line_batches(1), collect_specified_data={}, custom_lineage_data=custom)

    lineage = run_in(tmp_path).lineage()
    assert {name: lineage.custom[name] for name in custom} == custom
    assert "environment/python" in lineage.custom


def test_two_collectors_in_a_list_are_an_error(tmp_path: Path) -> None:
    """The error contains both directories."""
    collectors = [SummaryCollector(tmp_path / "first"), SummaryCollector(tmp_path / "second")]

    with pytest.raises(ValueError, match=r"first and .*second"):
        Model(Line()).train(1, line_batches(1), callbacks=collectors)


def test_unknown_mode_is_an_error(tmp_path: Path) -> None:
    """cb_params.mode must be "train" or "eval"."""
    collector = SummaryCollector(tmp_path)
    with collector, pytest.raises(ValueError, match="'predict'"):
        collector.begin(RunContext({"mode": "predict"}))


def test_collector_must_be_entered(tmp_path: Path) -> None:
    """Hooks are called within its context."""
    collector = SummaryCollector(tmp_path)
    with pytest.raises(ValueError, match="must be entered"):
        collector.on_train_begin(training_context(collector))


def test_no_file_is_created_before_the_training(tmp_path: Path) -> None:
    """Construction only creates the directory."""
    SummaryCollector(tmp_path / "run")

    assert os.listdir(tmp_path / "run") == []


def test_collector_can_be_used_for_several_trainings(tmp_path: Path) -> None:
    """Each has its own files; the second one goes on counting the steps of the network."""
    collector, model = SummaryCollector(tmp_path, collect_specified_data=QUIET, metric_freq=None), Model(Line())
    model.train(1, line_batches(10), callbacks=collector)
    model.train(1, line_batches(10), callbacks=collector)

    run = run_in(tmp_path)
    assert run.attempts == 1
    assert [int(step) for step in run.scalars("loss/auto").step] == [1, 10, 11, 20]


def test_collector_entered_by_the_user_spans_trainings(tmp_path: Path) -> None:
    """Two trainings are recorded into one file, with the lineage of both."""
    model = Model(Line())
    with SummaryCollector(tmp_path, collect_specified_data=QUIET) as collector:
        model.train(1, line_batches(10), callbacks=collector)
        model.train(2, line_batches(10), callbacks=collector)

    assert len(list(tmp_path.glob("*_MS"))) == 1
    assert run_in(tmp_path).lineage().hyper_parameters["epoch"] == 2


class Broken(Line):
    """A line whose parameters() raises."""

    def parameters(self) -> Any:
        """Raise."""
        raise RuntimeError("no parameters today")


def test_failing_collection_is_disabled_and_the_training_continues(tmp_path: Path, caplog: Any) -> None:
    """There is one log line; everything else is collected."""
    data = {**QUIET, "collect_input_data": False}
    with caplog.at_level(logging.WARNING):
        train(tmp_path, Broken(), line_batches(30), collect_specified_data=data)

    assert steps_of(tmp_path, "loss/auto") == [1, 10, 20, 30]
    (record,) = caplog.records
    assert "parameter histograms" in record.getMessage()
    assert "no parameters today" in record.getMessage()


@pytest.mark.parametrize("loss", [object(), None, (), "text"])
def test_outputs_without_a_loss_are_logged_once(tmp_path: Path, loss: object, caplog: Any) -> None:
    """The collection of the loss is disabled; everything else is collected."""
    collector = SummaryCollector(
        tmp_path, collect_specified_data={**QUIET, "collect_input_data": False}, metric_freq=None
    )
    context = training_context(collector)
    with collector, caplog.at_level(logging.WARNING):
        collector.on_train_begin(context)
        run_steps(collector, context, range(1, 21), loss)

    assert steps_of(tmp_path, "learning_rate") == [1, 10, 20]
    assert len(caplog.records) == 1


def test_nan_loss_is_recorded(tmp_path: Path) -> None:
    """The summary shows when the training diverged."""
    collector = SummaryCollector(tmp_path, collect_specified_data=QUIET, metric_freq=None)
    context = training_context(collector)
    with collector:
        collector.on_train_begin(context)
        run_steps(collector, context, range(1, 10), 0.5)
        run_steps(collector, context, range(10, 21), (np.float32("nan"), np.zeros(3)))

    assert np.isnan(run_in(tmp_path).scalars("loss/auto").value).tolist() == [False, True, True]


class Lengthless:
    """Batches of an epoch without a length."""

    def __init__(self, batches: list[Any]) -> None:
        self.batches = batches

    def __iter__(self) -> Iterator[Any]:
        return iter(self.batches)


def test_training_of_unknown_length_is_collected_to_its_end(tmp_path: Path) -> None:
    """Tensors become sparser, and the last one is near the end."""
    train(tmp_path, ImageLine(), Lengthless(image_batches(300)), collect_freq=2)

    tensors = [int(step) for step in run_in(tmp_path).tensors("activation").step]
    assert len(tensors) < 30
    assert tensors[-1] >= 240
    assert steps_of(tmp_path, "loss/auto")[-1] == 300


def test_ranks_share_tensors_and_rank_zero_has_the_lineage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each rank has its own files; only rank 0 records images and lineage."""
    monkeypatch.setenv("WORLD_SIZE", "2")
    for rank in ("0", "1"):
        monkeypatch.setenv("RANK", rank)
        train(tmp_path, ImageLine(), image_batches(40))

    run = run_in(tmp_path)
    steps = [[int(step) for step in run.tensors("activation", rank=rank).step] for rank in (0, 1)]
    assert steps == [[1, 20, 40], [10, 30]]
    assert [list(run.scalars("loss/auto", rank=rank).step) for rank in (0, 1)] == [[1, 10, 20, 30, 40]] * 2
    assert len(run.images("input_data/auto", rank=0)) == 5
    assert len(run.images("input_data/auto", rank=1)) == 0
    assert [path.name.split(".")[5] for path in tmp_path.glob("*_lineage")] == ["0"]


def test_with_all_ranks_every_rank_records_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rank 1 also records lineage and images."""
    monkeypatch.setenv("RANK", "1")
    train(tmp_path, ImageLine(), image_batches(1), all_ranks=True)

    assert len(run_in(tmp_path).images("input_data/auto", rank=1)) == 1
    assert len(list(tmp_path.glob("*_lineage"))) == 1


def test_user_written_loop_is_collected(tmp_path: Path) -> None:
    """With watch(), steps are collected, and metrics at the step of their evaluation, also within an epoch."""
    line, batches = Line(), line_batches(10)
    data = {**QUIET, "collect_input_data": False}
    with SummaryCollector(tmp_path, collect_specified_data=data, metric_freq=None).watch(
        line, None, batches, epochs=2
    ) as run:
        for _ in range(2):
            for number, (x, y) in enumerate(batches, 1):
                run.step(line.train_step(x, y), batch=(x, y))
                if number == 7:
                    run.eval({"accuracy": 0.25})
        run.eval({"accuracy": 0.5})

    assert steps_of(tmp_path, "loss/auto") == [1, 10, 20]
    assert steps_of(tmp_path, "eval/accuracy") == [7, 17, 20]
    assert run_in(tmp_path).lineage().metrics == {"accuracy": 0.5}


def test_loop_that_reports_only_losses_is_collected(tmp_path: Path) -> None:
    """Without model, optimizer and loader."""
    with SummaryCollector(tmp_path, collect_specified_data=QUIET, metric_freq=None).watch() as run:
        for step in range(1, 101):
            run.step(1 / step)

    assert steps_of(tmp_path, "loss/auto") == [1, *range(10, 101, 10)]
