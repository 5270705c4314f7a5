"""Trainings of transformers.Trainer that ToposcopeCallback records, compared with what the Trainer reports itself."""

import logging
import math
import pickle
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from support.recorded_run import run_in, scalars_of, tags_of
from support.transformers_training import RecordingTrainer, arguments, logged, random_texts, tiny_model, trainer
from transformers import (
    EarlyStoppingCallback,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    T5Config,
    T5ForConditionalGeneration,
    TrainerCallback,
    TrainerControl,
    TrainerState,
)
from transformers.trainer_callback import CallbackHandler

from toposcope import server
from toposcope.recorder.callbacks import EarlyStopping, LossMonitor, SummaryCollector
from toposcope.recorder.frameworks.transformers import ToposcopeCallback

pytestmark = pytest.mark.filterwarnings("ignore")
QUIET = {"collect_specified_data": {"collect_graph": False, "collect_machine": False}}
VERSION = tuple(map(int, transformers.__version__.split(".")[:2]))
EVAL_STRATEGY = "evaluation_strategy" if VERSION < (4, 41) else "eval_strategy"


def recording(directory: Path, **settings: Any) -> ToposcopeCallback:
    """Return a callback that records what is cheap."""
    return ToposcopeCallback(directory, **(QUIET | settings))


def lineage_of(directory: Path) -> dict[str, Any]:
    """Return the user-defined lineage of a run."""
    return dict(run_in(directory).lineage().custom)


@pytest.fixture(autouse=True)
def _checkpoints_are_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let old releases of Transformers load the random states in their checkpoints with a new PyTorch."""
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")


class Raising(TrainerCallback):
    """Raises an error at the end of a step."""

    def __init__(self, step: int) -> None:
        self.step = step

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if state.global_step == self.step:
            raise ValueError("a full disk")


def test_losses_are_those_of_the_trainer(tmp_path: Path) -> None:
    """Every step has the loss, and the learning rate that it used."""
    t = trainer(tmp_path / "out", [ToposcopeCallback(tmp_path / "run")])
    t.train()

    losses = scalars_of(tmp_path / "run", "loss/auto")
    assert list(losses) == [1, 2, 3, 4, 5, 6]
    assert list(losses.values()) == t.losses
    assert losses == pytest.approx(logged(t, "loss"), abs=1e-4)
    expected = [0.01 * (1 - step / 6) for step in range(6)]
    assert list(scalars_of(tmp_path / "run", "learning_rate").values()) == pytest.approx(expected)
    run = run_in(tmp_path / "run")
    assert run.state.state == "finished"
    assert {"graph", "histogram", "environment", "lineage"} <= run.plugins.keys()


def test_losses_do_not_depend_on_what_is_logged(tmp_path: Path) -> None:
    """With rare logs there is a loss for each step; the logged one is the mean since the last log."""
    t = trainer(tmp_path / "out", [recording(tmp_path / "run")], logging_steps=3)
    t.train()

    losses = scalars_of(tmp_path / "run", "loss/auto")
    assert list(losses.values()) == t.losses
    means = scalars_of(tmp_path / "run", "train/loss")
    assert means == pytest.approx(logged(t, "loss"))
    assert means[6] == pytest.approx(sum(losses[step] for step in (4, 5, 6)) / 3, abs=1e-3)


def test_accumulated_losses_are_those_of_steps_of_the_optimizer(tmp_path: Path) -> None:
    """Tokens weigh equally in a step; the last step of an epoch has fewer micro-batches."""
    directory = tmp_path / "run"
    settings: dict[str, Any] = {"gradient_accumulation_steps": 4, "num_train_epochs": 2}
    t = trainer(tmp_path / "out", [recording(directory, collect_freq=1)], number=40, **settings)
    t.train()

    losses = scalars_of(directory, "loss/auto")
    assert losses == pytest.approx(logged(t, "loss"), abs=1e-3)
    assert list(losses) == list(range(1, t.state.global_step + 1))
    is_shorter_at_the_end = len(t.losses) == 20  # In old releases a step may continue in the next epoch.
    assert is_shorter_at_the_end or VERSION < (4, 57)
    if VERSION < (4, 46):  # Their means, not weighted by tokens.
        assert [4 * loss for loss in losses.values()] == pytest.approx(
            [sum(t.losses[i : i + 4]) for i in range(0, 16, 4)]
        )
    elif is_shorter_at_the_end:
        parts = [t.losses[i : i + 4] for i in (0, 4, 8)]
        parts += [t.losses[i : i + 4] for i in (10, 14, 18)]
        sums = [sum(part[:2] if i % 3 == 2 else part) for i, part in enumerate(parts)]
        assert list(losses.values()) == pytest.approx(sums)
    samples = scalars_of(directory, "throughput/samples_per_second")
    steps = scalars_of(directory, "throughput/steps_per_second")
    assert samples[1] / steps[1] == pytest.approx(16)


def test_nan_is_recorded(tmp_path: Path) -> None:
    """The Trainer replaces a loss that is not finite by a mean when it logs; the run has it as it was."""

    class Diverging(RecordingTrainer):
        def compute_loss(self, *args: Any, **kwargs: Any) -> Any:
            result = super().compute_loss(*args, **kwargs)
            return result * math.nan if self.state.global_step == 2 else result

    t = Diverging(
        tiny_model(),
        arguments(tmp_path / "out"),
        train_dataset=random_texts(16),
        callbacks=[recording(tmp_path / "run")],
    )
    t.train()

    assert math.isnan(scalars_of(tmp_path / "run", "loss/auto")[3])


def test_report_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """report_to="toposcope" records below output_dir, or where the variable says; two callbacks record once."""
    trainer(tmp_path / "out", report_to=["toposcope"]).train()
    assert len(scalars_of(tmp_path / "out/toposcope", "loss/auto")) == 6

    monkeypatch.setenv("TOPOSCOPE_LOGGING_DIR", str(tmp_path / "runs"))
    trainer(tmp_path / "out", report_to=["toposcope"]).train()
    trainer(tmp_path / "out", report_to=["toposcope"], run_name="second").train()
    assert sorted(server.open(tmp_path / "runs").runs) == ["out", "second"]

    with pytest.raises(ValueError, match="a full disk"):
        trainer(tmp_path / "both", [recording(tmp_path / "explicit"), Raising(2)], report_to=["toposcope"]).train()
    assert run_in(tmp_path / "explicit").state.state == "failed"
    assert sorted(server.open(tmp_path / "runs").runs) == ["out", "second"]


def test_two_callbacks_record_two_runs(tmp_path: Path) -> None:
    """In different directories, also if the training begins again."""

    class OutOfMemory(RecordingTrainer):
        def training_step(self, model: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
            if self.state.global_step == 1 and len(inputs["labels"]) == 4:
                raise RuntimeError("CUDA out of memory.")
            return super().training_step(model, inputs, *args, **kwargs)

    names = ("first", "second")
    t = OutOfMemory(
        tiny_model(),
        arguments(tmp_path / "out", auto_find_batch_size=True),
        train_dataset=random_texts(8),
        callbacks=[recording(tmp_path / name) for name in names],
    )
    t.train()

    losses = [scalars_of(tmp_path / name, "loss/auto") for name in names]
    assert losses[0] == losses[1]
    assert list(losses[0].values()) == t.losses[1:]


def test_evaluations_are_recorded_once(tmp_path: Path) -> None:
    """The metrics of an evaluation, which the Trainer reports twice, are one point of eval/<metric>."""
    directory = tmp_path / "run"
    settings: dict[str, Any] = {EVAL_STRATEGY: "steps", "eval_steps": 2}
    t = trainer(tmp_path / "out", [recording(directory)], **settings)
    t.train()
    t.evaluate()

    points = run_in(directory).scalars("eval/loss", attempt="all")
    losses = [entry["eval_loss"] for entry in t.state.log_history if "eval_loss" in entry]
    assert points.step.tolist() == [2, 4, 6, 6]
    assert points.value.tolist() == pytest.approx(losses)
    assert not [tag for tag in tags_of(directory, "scalar") if tag.startswith("train/eval")]
    assert scalars_of(directory, "eval/runtime")[4] == logged(t, "eval_runtime")[4]
    assert run_in(directory).lineage().metrics["loss"] == pytest.approx(losses[-1])


def test_generated_texts_are_evaluated_once(tmp_path: Path) -> None:
    """With predict_with_generate, logs once per epoch, and the best model loaded at the end."""
    torch.manual_seed(0)
    sizes = {"d_model": 16, "d_kv": 8, "d_ff": 16, "num_layers": 1, "num_heads": 2}
    model = T5ForConditionalGeneration(T5Config(vocab_size=64, decoder_start_token_id=0, dropout_rate=0.0, **sizes))
    settings: dict[str, Any] = {EVAL_STRATEGY: "epoch", "logging_strategy": "epoch", "save_strategy": "epoch"}
    best: dict[str, Any] = {"load_best_model_at_end": True, "metric_for_best_model": "length"}
    settings |= {"report_to": ["toposcope"], "num_train_epochs": 2, "per_device_train_batch_size": 4, "use_cpu": True}
    generation = {"predict_with_generate": True, "generation_max_length": 6}
    lengths: list[float] = []

    def metrics(prediction: Any) -> dict[str, float]:
        lengths.append(-1.0 - len(lengths))  # The first evaluation is the best one.
        return {"length": lengths[-1]}

    texts = random_texts(12)
    t = Seq2SeqTrainer(
        model,
        Seq2SeqTrainingArguments(str(tmp_path / "out"), **settings, **best, **generation),
        train_dataset=texts,
        eval_dataset=texts[:4],
        compute_metrics=metrics,
    )
    t.train()
    results = t.predict(texts[:4]).metrics

    directory = tmp_path / "out/toposcope"
    assert scalars_of(directory, "train/loss") == pytest.approx(logged(t, "loss"))
    losses = scalars_of(directory, "loss/auto")
    assert sum(losses[step] for step in (1, 2, 3)) / 3 == pytest.approx(logged(t, "loss")[3], abs=1e-3)
    for name in ("loss", "length", "runtime"):
        points = run_in(directory).scalars(f"eval/{name}", attempt="all")
        assert dict(zip(points.step.tolist(), points.value.tolist(), strict=True)) == logged(t, f"eval_{name}")
        assert points.step.tolist() == [3, 6]
    assert scalars_of(directory, "eval/test/length") == {6: results["test_length"]}
    assert t.state.best_model_checkpoint == str(tmp_path / "out/checkpoint-3")
    assert [text.texts for text in run_in(directory).text("checkpoint")] == [["checkpoint-3"], ["checkpoint-6"]]
    assert run_in(directory).attempts == 1
    assert run_in(directory).state.state == "finished"


def test_several_data_sets_are_evaluated(tmp_path: Path) -> None:
    """The name of a data set is part of the tag."""
    texts = random_texts(16)
    t = RecordingTrainer(
        tiny_model(),
        arguments(tmp_path / "out", **{EVAL_STRATEGY: "epoch"}),
        train_dataset=texts,
        eval_dataset={"near": texts[:4], "far": texts[4:]},
        callbacks=[recording(tmp_path / "run")],
    )
    t.train()

    for name in ("near", "far"):
        assert scalars_of(tmp_path / "run", f"eval/{name}_loss") == pytest.approx(logged(t, f"eval_{name}_loss"))


def test_evaluation_without_a_training_is_lineage(tmp_path: Path) -> None:
    """Its metrics belong to no step."""
    metrics = trainer(tmp_path / "out", [recording(tmp_path / "run")]).evaluate()

    assert run_in(tmp_path / "run").lineage().metrics["loss"] == pytest.approx(metrics["eval_loss"])
    assert not tags_of(tmp_path / "run", "scalar")


def test_predictions_are_recorded(tmp_path: Path) -> None:
    """The metrics of predict() have the label test."""
    t = trainer(tmp_path / "out", [recording(tmp_path / "run")])
    t.train()
    metrics = t.predict(random_texts(4)).metrics

    assert scalars_of(tmp_path / "run", "eval/test/loss") == {6: pytest.approx(metrics["test_loss"])}


def test_logged_values_are_recorded(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """What the Trainer or the user logs has the tag train/<name>, at the step of log_history."""

    class Logging(TrainerCallback):
        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            if state.global_step == 2:
                t.log({"reward": 0.5, "note": "text", "eval_bleu": torch.tensor(0.25), "odd": object()})

    t = trainer(tmp_path / "out", [recording(tmp_path / "run"), Logging()])
    t.train()
    t.log({"late": 1.0})
    t.evaluate()

    assert [record for record in caplog.records if "after the training: train/late" in record.getMessage()]
    assert run_in(tmp_path / "run").text("train/note")[0].texts == ["text"]
    assert len([record for record in caplog.records if "train/odd" in record.getMessage()]) == 1

    assert scalars_of(tmp_path / "run", "train/reward") == {2: 0.5}
    assert scalars_of(tmp_path / "run", "eval/bleu") == {2: 0.25}
    assert scalars_of(tmp_path / "run", "train/grad_norm") == pytest.approx(logged(t, "grad_norm"))
    assert scalars_of(tmp_path / "run", "train/train_loss") == pytest.approx(logged(t, "train_loss"))
    assert not {"train/epoch", "train/learning_rate"} & set(tags_of(tmp_path / "run", "scalar"))


@pytest.mark.skipif(VERSION < (4, 42), reason="the hook on_optimizer_step is newer")
def test_gradients_are_collected(tmp_path: Path) -> None:
    """They exist when a step ends: their norm is the one that the Trainer reports, without clipping."""
    data = {**QUIET["collect_specified_data"], "collect_gradient_norm": True}
    callback = ToposcopeCallback(tmp_path / "run", collect_freq=1, collect_specified_data=data)
    t = trainer(tmp_path / "out", [callback], max_grad_norm=1e9)
    t.train()

    assert scalars_of(tmp_path / "run", "gradient_norm/global") == pytest.approx(logged(t, "grad_norm"), rel=1e-4)


def test_settings_are_lineage(tmp_path: Path) -> None:
    """The TrainingArguments and the configuration of the model, without secrets and without metrics made of them."""
    callback = recording(tmp_path / "run", custom_lineage_data={"training/seed": "mine", "note": "first"})
    t = trainer(tmp_path / "out", [callback], hub_token="hf_" + "a1B2" * 9, weight_decay=0.25, run_name="named")
    t.train()

    settings = lineage_of(tmp_path / "run")
    assert settings["training/weight_decay"] == 0.25
    assert settings["training/learning_rate"] == 0.01
    assert settings["training/run_name"] == "named"
    assert settings["training/seed"] == "mine"
    assert settings["model/n_embd"] == 16
    assert settings["model/parameters"] == sum(each.numel() for each in t.model.parameters())
    assert not [name for name in settings if "token" in name and "hub" in name]
    assert not any(b"a1B2" in path.read_bytes() for path in (tmp_path / "run").iterdir())
    assert run_in(tmp_path / "run").lineage().hyper_parameters["optimizer"] == "AdamW"
    assert {tag.split("/")[0] for tag in tags_of(tmp_path / "run", "scalar")} == {
        "learning_rate",
        "loss",
        "throughput",
        "train",
    }


def test_checkpoints_are_recorded(tmp_path: Path) -> None:
    """Each saved checkpoint is a text at its step."""
    settings: dict[str, Any] = {"save_strategy": "steps", "save_steps": 2}
    trainer(tmp_path / "out", [recording(tmp_path / "run")], **settings).train()

    texts = run_in(tmp_path / "run").text("checkpoint")
    assert texts.step.tolist() == [2, 4, 6]
    assert [text.texts for text in texts] == [["checkpoint-2"], ["checkpoint-4"], ["checkpoint-6"]]


def test_resumed_training_continues_the_run(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The steps of both processes are one series; the second begins after the checkpoint."""
    settings: dict[str, Any] = {"save_strategy": "steps", "save_steps": 2, "report_to": ["toposcope"]}
    with pytest.raises(ValueError, match="a full disk"):
        trainer(tmp_path / "out", [Raising(5)], **settings).train()
    directory = tmp_path / "out/toposcope"
    assert list(scalars_of(directory, "loss/auto")) == [1, 2, 3, 4, 5]
    assert not [record for record in caplog.records if "earlier training" in record.getMessage()]

    t = trainer(tmp_path / "out", **settings)
    t.train(resume_from_checkpoint=True)

    run = run_in(directory)
    assert run.attempts == 2
    assert list(scalars_of(directory, "loss/auto")) == [1, 2, 3, 4, 5, 6]
    second = run.scalars("loss/auto", attempt=2)
    assert second.step.tolist() == [5, 6]
    assert second.value.tolist() == t.losses
    assert run.state.state == "finished"


def test_another_training_in_the_directory_is_an_attempt(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A training that begins again says so in the log."""
    for _ in range(2):
        trainer(tmp_path / "out", [recording(tmp_path / "run")]).train()

    assert run_in(tmp_path / "run").attempts == 2
    assert len([record for record in caplog.records if "an earlier training, up to step 6" in record.getMessage()]) == 1


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt])
def test_failed_training_is_reported(tmp_path: Path, kind: type[BaseException]) -> None:
    """The exception that train() raises is in the run, also if the program handles it."""

    class Failing(RecordingTrainer):
        def get_train_dataloader(self) -> Any:
            for i, batch in enumerate(super().get_train_dataloader()):
                if i == 3:
                    raise kind("no such file")
                yield batch

    class Loader(Failing):
        def get_train_dataloader(self) -> Any:
            trainer = self

            class Batches(torch.utils.data.IterableDataset):
                def __iter__(self) -> Any:
                    return Failing.get_train_dataloader(trainer)

            return torch.utils.data.DataLoader(Batches(), batch_size=None)

    t = Loader(
        tiny_model(),
        arguments(tmp_path / "out", max_steps=6),
        train_dataset=random_texts(24),
        callbacks=[recording(tmp_path / "run")],
    )
    with pytest.raises(kind, match="no such file"):
        t.train()

    state = run_in(tmp_path / "run").state
    assert state.state == ("failed" if kind is ValueError else "interrupted")
    assert state.error is not None
    assert (state.error.type, state.error.text) == (kind.__name__, "no such file")
    assert list(scalars_of(tmp_path / "run", "loss/auto")) == [1, 2, 3]


def test_training_that_begins_again_with_smaller_batches(tmp_path: Path) -> None:
    """auto_find_batch_size begins again after an error: two attempts of one run."""

    class OutOfMemory(RecordingTrainer):
        def training_step(self, model: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
            if self.state.global_step == 2 and len(inputs["labels"]) == 4:
                raise RuntimeError("CUDA out of memory.")
            return super().training_step(model, inputs, *args, **kwargs)

    t = OutOfMemory(
        tiny_model(),
        arguments(tmp_path / "out", auto_find_batch_size=True),
        train_dataset=random_texts(24),
        callbacks=[recording(tmp_path / "run")],
    )
    t.train()

    run = run_in(tmp_path / "run")
    assert run.attempts == 2
    first, second = run.state.recordings
    assert first.error is not None
    assert (first.state, first.error.text, second.state) == ("failed", "CUDA out of memory.", "finished")
    assert list(scalars_of(tmp_path / "run", "loss/auto").values()) == t.losses[2:]


def test_our_callbacks_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Callbacks of both libraries may stop the training."""
    ours = [EarlyStopping(monitor="eval_loss", patience=1), LossMonitor()]
    settings: dict[str, Any] = {EVAL_STRATEGY: "epoch", "num_train_epochs": 3, "learning_rate": 0.0}
    t = trainer(tmp_path / "out", [recording(tmp_path / "run", callbacks=ours)], **settings)
    t.train()
    assert t.state.global_step == 12
    assert list(scalars_of(tmp_path / "run", "loss/auto")) == list(range(1, 13))
    assert "epoch: 2 step: 6, loss is" in capsys.readouterr().out

    settings = {EVAL_STRATEGY: "steps", "eval_steps": 1, "save_steps": 1, "learning_rate": 0.0}
    best: dict[str, Any] = {"load_best_model_at_end": True, "metric_for_best_model": "loss", "save_strategy": "steps"}
    theirs = EarlyStoppingCallback(2)
    t = trainer(tmp_path / "out2", [recording(tmp_path / "run2"), theirs], **settings, **best)
    t.train()
    assert t.state.global_step == 3
    assert list(scalars_of(tmp_path / "run2", "loss/auto")) == [1, 2, 3]


def test_pickling(tmp_path: Path) -> None:
    """A copy of a callback records a training of its own, also one made during a training."""
    copies = []

    class Pickling(TrainerCallback):
        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            copies.append(pickle.dumps(callback))

    callback = recording(tmp_path / "run")
    trainer(tmp_path / "out", [callback, Pickling()]).train()
    trainer(tmp_path / "out", [pickle.loads(copies[1])]).train()

    assert run_in(tmp_path / "run").attempts == 2
    assert len(copies[0]) < 2000


def test_trials_of_a_search_are_runs(tmp_path: Path) -> None:
    """Each trial of a hyperparameter search has a directory, named by hp_name() or by its number."""
    pytest.importorskip("optuna")
    for name, hp_name in (("numbered", None), ("named", lambda trial: f"trial_{trial.number}")):
        t = RecordingTrainer(
            None,
            arguments(tmp_path / name, **{EVAL_STRATEGY: "epoch"}),
            train_dataset=random_texts(8),
            eval_dataset=random_texts(4),
            model_init=lambda: tiny_model(),
            callbacks=[recording(tmp_path / "runs" / name)],
        )
        t.hyperparameter_search(
            hp_space=lambda trial: {"learning_rate": trial.suggest_float("learning_rate", 0.001, 0.01)},
            n_trials=2,
            backend="optuna",
            hp_name=hp_name,
        )

    runs = server.open(tmp_path / "runs").runs
    assert sorted(runs) == ["named/trial_0", "named/trial_1", "numbered/run-0", "numbered/run-1"]
    rates = [dict(run.lineage().custom)["training/learning_rate"] for run in runs.values()]
    assert len(set(rates)) == 4
    assert [dict(run.lineage().custom)["trial/learning_rate"] for run in runs.values()] == rates
    assert {run.scalars("loss/auto").step.tolist()[-1] for run in runs.values()} == {2}


def test_wrong_arguments_are_refused(tmp_path: Path) -> None:
    """Before anything is trained, and with the name of what is wrong."""
    with pytest.raises(TypeError, match="unknown"):
        ToposcopeCallback(tmp_path, unknown=1)
    with pytest.raises(ValueError, match="collect_freq"):
        ToposcopeCallback(tmp_path, collect_freq=0)
    with pytest.raises(ValueError, match="not a SummaryCollector"):
        ToposcopeCallback(tmp_path, callbacks=[SummaryCollector(tmp_path)])


def test_another_trainer_with_callbacks(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Of a trainer that is no transformers.Trainer, steps and what it logs are recorded; losses of steps are not."""
    model = tiny_model()
    optimizer = torch.optim.AdamW(model.parameters(), 0.25)
    state, control, settings = TrainerState(max_steps=2, num_train_epochs=1), TrainerControl(), arguments(tmp_path)
    handler = CallbackHandler([recording(tmp_path / "run")], model, None, optimizer, None)
    handler.on_init_end(settings, state, control)
    handler.on_train_begin(settings, state, control)
    for _ in range(2):
        handler.on_step_begin(settings, state, control)
        state.global_step += 1
        handler.on_step_end(settings, state, control)
        handler.on_log(settings, state, control, {"loss": state.global_step / 2})
    handler.on_train_end(settings, state, control)

    assert scalars_of(tmp_path / "run", "train/loss") == {1: 0.5, 2: 1.0}
    assert "loss/auto" not in tags_of(tmp_path / "run", "scalar")
    warnings = [record.getMessage() for record in caplog.records if record.name.startswith("toposcope")]
    assert [message for message in warnings if "losses of steps are not recorded" in message]
    assert len(warnings) == 1


def test_processes_without_a_rank_record_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Their files would be taken for those of the first process."""
    model, state, control = tiny_model(), TrainerState(is_world_process_zero=False), TrainerControl()
    handler = CallbackHandler([recording(tmp_path / "run")], model, None, None, None)
    for hook in (handler.on_train_begin, handler.on_step_end, handler.on_train_end):
        hook(arguments(tmp_path), state, control)

    assert not (tmp_path / "run").exists()
    assert len([record for record in caplog.records if "records nothing" in record.getMessage()]) == 1


def test_methods_of_the_trainer_are_restored(tmp_path: Path) -> None:
    """After a training, training_step() is that of the class."""
    t = trainer(tmp_path / "out", [recording(tmp_path / "run")])
    t.train()

    assert "training_step" not in vars(t)


def test_callback_that_is_added_later(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """add_callback() records the same, exceptions outside of training_step() only when they end the program."""
    t = trainer(tmp_path / "out")
    t.add_callback(recording(tmp_path / "run"))
    with caplog.at_level(logging.WARNING, "toposcope"):
        t.train()

    assert list(scalars_of(tmp_path / "run", "loss/auto").values()) == t.losses
    assert not [record for record in caplog.records if record.name.startswith("toposcope")]
