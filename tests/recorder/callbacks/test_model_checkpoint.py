"""ModelCheckpoint: when it saves, the contents of the files, retention, and failures."""

import errno
import importlib.util
import os
import resource
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.line_network import Line, line_batches
from support.pytorch import torch
from support.trained_networks import numbers_of, trained_torch

from toposcope.recorder.callbacks import model_checkpoint
from toposcope.recorder.callbacks.checkpoint_config import CheckpointConfig
from toposcope.recorder.callbacks.model_checkpoint import ModelCheckpoint
from toposcope.recorder.checkpoints import load_checkpoint, restore, save_checkpoint
from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.run_context import RunContext
from toposcope.recorder.training.model import Model
from toposcope.recorder.training.watch import watch


def files_in(directory: Path) -> list[str]:
    """Return the names of the files in a directory, sorted by epoch and step."""
    return sorted(
        (file.name for file in directory.iterdir() if not file.name.endswith(".manifest.json")),
        key=lambda name: (len(name), name),
    )


def train(callbacks: Any, epochs: int = 1, batches: int = 4, **arguments: Any) -> Line:
    """Train a line and return it."""
    line = Line()
    Model(line).train(epochs, line_batches(batches), callbacks=callbacks, **arguments)
    return line


class At(Callback):
    """Calls a function at the end of one step."""

    def __init__(self, step: int, action: Callable[[], object]) -> None:
        self._step, self._action = step, action

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Call the function."""
        if run_context.original_args().cur_step_num == self._step:
            self._action()


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        """Return the time."""
        return self.seconds


@pytest.fixture
def minutes(monkeypatch: pytest.MonkeyPatch) -> Callback:
    """Return a callback that makes each step take a minute."""
    clock = Clock()
    monkeypatch.setattr(model_checkpoint, "monotonic", clock)

    class Minutes(Callback):
        def on_train_step_begin(self, run_context: RunContext) -> None:
            clock.seconds += 60

    return Minutes()


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Callable[[bool], None]]:
    """Return a function that simulates a full disk, or ends this, by a limit on the size of files."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    yield lambda is_full: resource.setrlimit(resource.RLIMIT_FSIZE, (64 if is_full else before[0], before[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


def raising(error: BaseException) -> Callable[[], None]:
    """Return a function that raises error."""

    def raise_error() -> None:
        raise error

    return raise_error


def test_every_step_is_saved_by_default_and_the_newest_five_are_kept(tmp_path: Path) -> None:
    checkpoint = ModelCheckpoint(directory=str(tmp_path))
    train(checkpoint, epochs=2)
    assert files_in(tmp_path) == ["CKP-1_4.ckpt", "CKP-2_1.ckpt", "CKP-2_2.ckpt", "CKP-2_3.ckpt", "CKP-2_4.ckpt"]
    assert checkpoint.latest_ckpt_file_name == str(tmp_path / "CKP-2_4.ckpt")


def test_steps_at_the_interval_and_the_last_one_are_saved(tmp_path: Path) -> None:
    train(ModelCheckpoint("net", tmp_path, CheckpointConfig(save_checkpoint_steps=3)), epochs=2)
    assert files_in(tmp_path) == ["net-1_3.ckpt", "net-2_2.ckpt", "net-2_4.ckpt"]


def test_last_step_is_not_saved_twice(tmp_path: Path) -> None:
    written = []
    config = CheckpointConfig(save_checkpoint_steps=4)
    checkpoint = ModelCheckpoint("net", tmp_path, config)
    train([checkpoint, At(4, lambda: written.append(os.stat(checkpoint.latest_ckpt_file_name).st_ino))])
    assert [os.stat(tmp_path / "net-1_4.ckpt").st_ino] == written


@pytest.mark.parametrize("arguments", [{}, {"save_checkpoint_steps": 0}])
def test_explicit_seconds_are_used(tmp_path: Path, minutes: Callback, arguments: dict[str, Any]) -> None:
    """Without steps, or with steps set to zero, every 120 seconds, where a step takes a minute."""
    config = CheckpointConfig(save_checkpoint_seconds=120, **arguments)
    train([minutes, ModelCheckpoint("net", tmp_path, config)], batches=5)
    assert files_in(tmp_path) == ["net-1_2.ckpt", "net-1_4.ckpt", "net-1_5.ckpt"]


def test_explicit_steps_override_seconds(tmp_path: Path, minutes: Callback) -> None:
    config = CheckpointConfig(save_checkpoint_steps=5, save_checkpoint_seconds=60)
    train([minutes, ModelCheckpoint("net", tmp_path, config)], batches=5)
    assert files_in(tmp_path) == ["net-1_5.ckpt"]


def test_without_trigger_the_end_is_saved(tmp_path: Path) -> None:
    """MindSpore saves nothing in this case."""
    config = CheckpointConfig(save_checkpoint_steps=0, save_checkpoint_seconds=0)
    train(ModelCheckpoint("net", tmp_path, config))
    assert files_in(tmp_path) == ["net-1_4.ckpt"]


def test_checkpoints_at_the_interval_of_minutes_and_the_newest_are_kept(tmp_path: Path, minutes: Callback) -> None:
    """The minutes override the default keep_checkpoint_max of five."""
    config = CheckpointConfig(keep_checkpoint_per_n_minutes=3)
    train([minutes, ModelCheckpoint("net", tmp_path, config)], batches=21)
    assert files_in(tmp_path) == [f"net-1_{step}.ckpt" for step in (1, 4, 7, 10, 13, 16, 19, 21)]


def test_only_own_files_are_deleted(tmp_path: Path) -> None:
    """Neither files of other trainings with the prefix nor files with similar names."""
    others = ["net-1_1.ckpt", "net-9_9.ckpt", "net_1-1_1.ckpt", "net-best.ckpt", "network-1_1.ckpt"]
    for name in others:
        (tmp_path / name).write_bytes(b"")
    train(ModelCheckpoint("net", tmp_path, CheckpointConfig(keep_checkpoint_max=1)))
    assert sorted(files_in(tmp_path)) == sorted([*others, "net_2-1_4.ckpt"])


def test_second_training_has_different_names_and_retention_includes_both(tmp_path: Path) -> None:
    checkpoint = ModelCheckpoint("net", tmp_path, CheckpointConfig(keep_checkpoint_max=3))
    for _ in range(2):
        train(checkpoint, batches=2)
    assert files_in(tmp_path) == ["net-1_2.ckpt", "net_1-1_1.ckpt", "net_1-1_2.ckpt"]


def test_second_training_counts_its_own_steps(tmp_path: Path) -> None:
    checkpoint = ModelCheckpoint("net", tmp_path, CheckpointConfig(2))
    train(checkpoint, batches=6)
    train(checkpoint, batches=3)
    assert files_in(tmp_path)[-2:] == ["net_1-1_2.ckpt", "net_1-1_3.ckpt"]


def test_in_sink_mode_a_checkpoint_is_saved_when_enough_steps_have_passed(tmp_path: Path) -> None:
    checkpoint = ModelCheckpoint("net", tmp_path, CheckpointConfig(4))
    train(checkpoint, epochs=4, batches=3, dataset_sink_mode=True)
    assert files_in(tmp_path) == ["net-2_3.ckpt", "net-4_3.ckpt"]


def test_epochs_of_unknown_length_count_their_steps(tmp_path: Path) -> None:
    class Unsized:
        def __iter__(self) -> Any:
            return iter(line_batches(2))

    Model(Line()).train(2, Unsized(), callbacks=ModelCheckpoint("net", tmp_path))
    assert files_in(tmp_path) == ["net-1_1.ckpt", "net-1_2.ckpt", "net-2_1.ckpt", "net-2_2.ckpt"]


def test_steps_without_epochs_belong_to_the_first(tmp_path: Path) -> None:
    """A loop may call the hooks of the callback itself."""
    checkpoint = ModelCheckpoint("net", tmp_path)
    context = RunContext({"cur_step_num": 0, "network": Line()})
    for step in (1, 2):
        context.original_args().cur_step_num = step
        checkpoint.on_train_step_end(context)
    checkpoint.on_train_end(context)
    assert files_in(tmp_path) == ["net-1_1.ckpt", "net-1_2.ckpt"]


def test_newest_checkpoint_is_in_the_params(tmp_path: Path) -> None:
    params_at_steps = []

    class Listener(Callback):
        def on_train_step_end(self, run_context: RunContext) -> None:
            params = run_context.original_args()
            params_at_steps.append((params.latest_ckpt_file, params.last_save_ckpt_step))

    train([ModelCheckpoint("net", tmp_path, CheckpointConfig(2)), Listener()], batches=3)
    second = (str(tmp_path / "net-1_2.ckpt"), 2)
    assert params_at_steps == [(None, None), second, second]


def test_relative_directory_is_resolved_at_construction(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "first")
    checkpoints = [ModelCheckpoint("net"), ModelCheckpoint("net", "deep/er")]
    monkeypatch.chdir(tmp_path / "second")
    for checkpoint in checkpoints:
        train(checkpoint, batches=1)
        assert Path(checkpoint.latest_ckpt_file_name).is_absolute()
    assert (tmp_path / "first" / "net-1_1.ckpt").exists()
    assert (tmp_path / "first" / "deep" / "er" / "net-1_1.ckpt").exists()
    assert files_in(tmp_path / "second") == []


def test_network_optimizer_and_appended_values_are_in_the_file(tmp_path: Path) -> None:
    network, optimizer = trained_torch()
    config = CheckpointConfig(append_info=["epoch_num", "step_num", {"step_num": 100, "rate": 0.01, "name": "digits"}])
    batches = [(torch.randn(8, 4), torch.randn(8, 3))] * 3
    checkpoint = ModelCheckpoint("net", tmp_path, config)
    Model(network, torch.nn.functional.mse_loss, optimizer).train(2, batches, callbacks=checkpoint)

    loaded = load_checkpoint(checkpoint.latest_ckpt_file_name)
    # trained_torch() has made one step with the optimizer.
    assert loaded.appended == {"epoch_num": 2, "step_num": 107, "rate": 0.01, "name": "digits"}
    assert loaded.step == 7
    assert numbers_of(loaded.network) == numbers_of(network.state_dict())
    assert numbers_of(loaded.optimizer) == numbers_of(optimizer.state_dict())


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_both_optimizers_of_a_watched_loop_are_in_the_file(tmp_path: Path, format: str) -> None:
    """They can be restored separately."""
    network = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Linear(3, 1))
    optimizers = [
        torch.optim.Adam(network[0].parameters(), lr=0.01),
        torch.optim.SGD(network[1].parameters(), lr=0.1, momentum=0.9),
    ]
    checkpoint = ModelCheckpoint("net", tmp_path, CheckpointConfig(format=format))
    with watch(checkpoint, network, optimizers) as run:
        for _ in range(2):
            loss = network(torch.randn(8, 4)).square().mean()
            loss.backward()
            for optimizer in optimizers:
                optimizer.step()
            run.step(loss)
    saved = numbers_of([optimizer.state_dict() for optimizer in optimizers])

    loaded = load_checkpoint(checkpoint.latest_ckpt_file_name)
    fresh = [torch.optim.Adam(network[0].parameters()), torch.optim.SGD(network[1].parameters(), lr=1.0)]
    restore(loaded, network, fresh)
    assert numbers_of(loaded.optimizer) == saved
    assert numbers_of([optimizer.state_dict() for optimizer in fresh]) == saved


@pytest.mark.parametrize("wrapper", ["torch.compile", "DataParallel"])
def test_wrapped_module_is_saved_with_its_own_names(tmp_path: Path, wrapper: str) -> None:
    network, _ = trained_torch()
    wrapped = torch.nn.DataParallel(network) if wrapper == "DataParallel" else torch.compile(network, backend="eager")
    context = RunContext({"cur_step_num": 1, "network": wrapped})
    ModelCheckpoint("net", tmp_path).on_train_step_end(context)
    restore(load_checkpoint(tmp_path / "net-1_1.ckpt"), trained_torch(seed=1)[0])


def test_saved_network_is_saved_in_place_of_the_trained_one(tmp_path: Path) -> None:
    """The optimizer, which belongs to the trained one, is not saved."""
    saved_network = Line()
    saved_network.load_parameters({"weight": np.ones(1), "bias": np.ones(1)})
    train(checkpoint := ModelCheckpoint("net", tmp_path, CheckpointConfig(saved_network=saved_network)))
    loaded = load_checkpoint(checkpoint.latest_ckpt_file_name)
    assert (numbers_of(loaded.network), loaded.optimizer) == ([[1], [1]], None)


def test_optimizer_is_saved_if_the_saved_network_is_the_trained_one(tmp_path: Path) -> None:
    network, optimizer = trained_torch()
    checkpoint = ModelCheckpoint("net", tmp_path, CheckpointConfig(saved_network=network))
    checkpoint.on_train_step_end(RunContext({"cur_step_num": 1, "network": network, "optimizer": optimizer}))
    assert load_checkpoint(checkpoint.latest_ckpt_file_name).optimizer is not None


@pytest.mark.parametrize("mode", ["AES-GCM", "AES-CBC"])
def test_files_are_encrypted_with_the_key_of_the_config(tmp_path: Path, mode: str) -> None:
    config = CheckpointConfig(enc_key=b"0123456789abcdef", enc_mode=mode, crc_check=True)
    line = train(checkpoint := ModelCheckpoint("net", tmp_path, config))
    path = checkpoint.latest_ckpt_file_name
    loaded = load_checkpoint(path, key=b"0123456789abcdef", mode=mode)
    assert numbers_of(loaded.network) == numbers_of(line.parameters())
    with pytest.raises(ValueError, match="encrypted with another key"):
        load_checkpoint(path, key=bytes(16), mode=mode)


def test_safetensors_files_have_their_own_extension(tmp_path: Path) -> None:
    train(checkpoint := ModelCheckpoint("net", tmp_path, CheckpointConfig(format="safetensors")), batches=1)
    assert files_in(tmp_path) == ["net-1_1.safetensors"]
    assert load_checkpoint(checkpoint.latest_ckpt_file_name).network.keys() == {"weight", "bias"}


class Slow:
    """An array whose values are available only after an event."""

    def __init__(self) -> None:
        self.is_available = threading.Event()

    def __array__(self, *_: Any, **__: Any) -> Any:
        """Return the values after the event."""
        assert self.is_available.wait(30)
        return np.zeros(1)


def test_thread_writes_the_state_of_the_saved_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The training changes the arrays in place while the file is being written."""
    slow, weight = Slow(), np.ones(1)
    checkpoint = ModelCheckpoint("net", tmp_path, CheckpointConfig(2, async_save="thread"))
    network = Line()
    monkeypatch.setattr(network, "parameters", lambda: {"weight": weight, "slow": slow})
    context = RunContext({"cur_step_num": 2, "network": network})

    checkpoint.on_train_step_end(context)
    weight += 1
    assert ([name for name in files_in(tmp_path) if name[0] != "."], checkpoint.latest_ckpt_file_name) == ([], "")
    slow.is_available.set()
    checkpoint.on_train_end(context)

    assert load_checkpoint(tmp_path / "net-1_2.ckpt").network["weight"].tolist() == [1]


def test_saving_waits_for_the_previous_save(tmp_path: Path) -> None:
    """Threads write all files in order, and the last one is complete at the end."""
    train(checkpoint := ModelCheckpoint("net", tmp_path, CheckpointConfig(async_save=True)), epochs=3)
    assert files_in(tmp_path) == ["net-2_4.ckpt", *(f"net-3_{step}.ckpt" for step in (1, 2, 3, 4))]
    assert checkpoint.latest_ckpt_file_name.endswith("net-3_4.ckpt")
    for name in files_in(tmp_path):
        load_checkpoint(tmp_path / name)


@pytest.mark.parametrize("async_save", [False, True])
def test_full_disk_does_not_end_the_training_and_its_end_is_saved(
    tmp_path: Path, async_save: bool, full_disk: Callable[[bool], None], caplog: pytest.LogCaptureFixture
) -> None:
    """Each failed checkpoint is logged, and no partial file remains."""
    checkpoint = ModelCheckpoint("net", tmp_path, CheckpointConfig(async_save=async_save))
    train([checkpoint, At(1, lambda: full_disk(True)), At(3, lambda: full_disk(False))])
    assert files_in(tmp_path)[-1] == "net-1_4.ckpt"
    assert not [name for name in files_in(tmp_path) if "part" in name]
    failures = [record for record in caplog.records if "could not be saved" in record.getMessage()]
    assert 1 <= len(failures) <= 3
    assert {record.levelname for record in failures} == {"ERROR"}


@pytest.mark.parametrize("async_save", [False, True])
def test_last_step_that_cannot_be_saved_is_an_error_at_the_end(
    tmp_path: Path, async_save: bool, full_disk: Callable[[bool], None]
) -> None:
    checkpoint = ModelCheckpoint("net", tmp_path, CheckpointConfig(async_save=async_save))
    steps: list[int] = []
    tracing = [At(step, partial(steps.append, step)) for step in range(1, 5)]
    with pytest.raises(OSError, match="last step") as raised:
        train([checkpoint, At(2, lambda: full_disk(True)), *tracing])
    full_disk(False)
    assert isinstance(raised.value.__cause__, OSError)
    assert raised.value.__cause__.errno == errno.EFBIG
    assert steps == [1, 2, 3, 4]
    assert checkpoint.latest_ckpt_file_name.startswith(str(tmp_path / "net-1_"))


@pytest.mark.parametrize("async_save", [False, True])
def test_unsupported_network_is_an_error_at_the_first_step(tmp_path: Path, async_save: bool) -> None:
    checkpoint = ModelCheckpoint("net", tmp_path, CheckpointConfig(async_save=async_save))
    with pytest.raises(TypeError, match="parameters"):
        checkpoint.on_train_step_end(RunContext({"cur_step_num": 1, "network": object()}))


def test_error_of_the_thread_is_raised_at_the_next_hook(tmp_path: Path) -> None:
    """An error in the values, unlike one of the disk, is permanent."""
    checkpoint = ModelCheckpoint("net", tmp_path, CheckpointConfig(async_save=True))
    line = Line()
    line.load_parameters({"weight": np.array([object()]), "bias": np.zeros(1)})
    context = RunContext({"cur_step_num": 1, "network": line})

    def save_and_end() -> None:
        checkpoint.on_train_step_end(context)  # This already raises if the thread was fast.
        checkpoint.on_train_end(context)

    with pytest.raises(TypeError, match="dtype object"):
        save_and_end()


@pytest.mark.parametrize("form", ["single", "list", "tuple"])
@pytest.mark.parametrize("error", [ValueError("wrong"), KeyboardInterrupt()])
def test_breakpoint_is_saved_regardless_of_how_callbacks_are_passed(
    tmp_path: Path, form: str, error: BaseException
) -> None:
    """Retention rules ignore it."""
    config = CheckpointConfig(2, keep_checkpoint_max=1, exception_save=True)
    checkpoint = ModelCheckpoint("net", tmp_path, config)
    forms: dict[str, Any] = {"single": checkpoint, "list": [checkpoint], "tuple": (checkpoint,)}
    line = Failing(step=7, error=error)
    with pytest.raises(type(error)):
        Model(line).train(2, line_batches(4), callbacks=forms[form])
    assert files_in(tmp_path) == ["net-2_2.ckpt", "net-2_3_breakpoint.ckpt"]
    saved = load_checkpoint(tmp_path / "net-2_3_breakpoint.ckpt")
    assert numbers_of(saved.network) == numbers_of(line.parameters())


class Failing(Line):
    """A line whose training raises at one step."""

    def __init__(self, step: int, error: BaseException) -> None:
        super().__init__()
        self._remaining_steps, self._error = step, error

    def train_step(self, x: Any, y: Any) -> float:
        """Take a step, or raise."""
        self._remaining_steps -= 1
        if not self._remaining_steps:
            raise self._error
        return super().train_step(x, y)


@pytest.mark.parametrize("async_save", [False, True])
def test_no_breakpoint_is_saved_by_default(tmp_path: Path, async_save: bool) -> None:
    """The file that was being written is complete."""
    checkpoint = ModelCheckpoint("net", tmp_path, CheckpointConfig(2, async_save=async_save))
    with pytest.raises(ValueError, match="wrong"):
        Model(Failing(3, ValueError("wrong"))).train(1, line_batches(4), callbacks=checkpoint)
    assert files_in(tmp_path) == ["net-1_2.ckpt"]
    assert checkpoint.latest_ckpt_file_name.endswith("net-1_2.ckpt")


def test_breakpoint_that_cannot_be_saved_does_not_hide_the_exception(
    tmp_path: Path, full_disk: Callable[[bool], None], caplog: pytest.LogCaptureFixture
) -> None:
    checkpoint = ModelCheckpoint("net", tmp_path, CheckpointConfig(100, exception_save=True))
    with pytest.raises(ValueError, match="wrong"):
        train([checkpoint, At(1, lambda: full_disk(True)), At(2, raising(ValueError("wrong")))])
    full_disk(False)
    assert files_in(tmp_path) == []
    assert "breakpoint.ckpt could not be saved" in caplog.text


def test_evaluation_saves_nothing(tmp_path: Path) -> None:
    """Neither separately nor within fit()."""
    checkpoint = ModelCheckpoint("net", tmp_path, CheckpointConfig(exception_save=True))
    model = Model(Line(), metrics={"loss"})
    model.eval(line_batches(3), callbacks=checkpoint)
    assert files_in(tmp_path) == []
    model.fit(1, line_batches(2), line_batches(9), callbacks=checkpoint)
    assert files_in(tmp_path) == ["net-1_1.ckpt", "net-1_2.ckpt"]


def test_other_ranks_save_only_with_all_ranks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    train(ModelCheckpoint("net", tmp_path))
    assert files_in(tmp_path) == []
    train(ModelCheckpoint("net", tmp_path, all_ranks=True), batches=1)
    assert files_in(tmp_path) == ["net-1_1_rank_1.ckpt"]


def test_stop_saves_the_last_step(tmp_path: Path) -> None:
    class Stop(Callback):
        def on_train_step_end(self, run_context: RunContext) -> None:
            run_context.request_stop()

    train([ModelCheckpoint("net", tmp_path, CheckpointConfig(100)), Stop()])
    assert files_in(tmp_path) == ["net-1_1.ckpt"]


def test_checkpoints_of_a_killed_training_are_complete(tmp_path: Path) -> None:
    """Every file with the name of a checkpoint can be loaded."""
    script = """
        import sys
        import numpy as np
        from toposcope.recorder.callbacks.checkpoint_config import CheckpointConfig
        from toposcope.recorder.callbacks.model_checkpoint import ModelCheckpoint
        from toposcope.recorder.training.events.run_context import RunContext

        class Network:
            def parameters(self):
                return {"weight": np.zeros(500_000)}

        checkpoint = ModelCheckpoint("net", sys.argv[1], CheckpointConfig(async_save=True))
        for step in range(1, 10_000):
            checkpoint.on_train_step_end(RunContext({"cur_step_num": step, "network": Network()}))
            print(step, flush=True)
    """
    command = [sys.executable, "-c", textwrap.dedent(script), str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as training:
        assert training.stdout is not None
        for _ in range(8):
            training.stdout.readline()
        training.kill()
    names = [name for name in files_in(tmp_path) if not name.startswith(".")]
    assert names
    for name in names:
        assert load_checkpoint(tmp_path / name).network["weight"].size == 500_000


def test_subclass_may_decide_when_to_save(tmp_path: Path) -> None:
    """Each step calls step_end(), as documented."""

    class OddSteps(ModelCheckpoint):
        def step_end(self, run_context: RunContext) -> None:
            if run_context.original_args().cur_step_num % 2:
                super().step_end(run_context)

    train(OddSteps("net", tmp_path), batches=5)
    assert files_in(tmp_path) == [f"net-1_{step}.ckpt" for step in (1, 3, 5)]


def test_guide_keeps_the_checkpoint_with_the_best_accuracy(tmp_path: Path) -> None:
    """A user's callback calls save_checkpoint() after each evaluation that improves on all earlier ones."""

    class SaveBest(Callback):
        def __init__(self) -> None:
            self.best = -np.inf

        def on_train_epoch_end(self, run_context: RunContext) -> None:
            params = run_context.original_args()
            if params.eval_results["accuracy"] > self.best:
                self.best = params.eval_results["accuracy"]
                best = {"accuracy": self.best, "epoch_num": params.cur_epoch_num}
                save_checkpoint(params.network, tmp_path / "best.ckpt", append=best)

    accuracies = iter([0.5, 0.9, 0.7])

    class Accuracy:
        def clear(self) -> None: ...

        def update(self, *_: Any) -> None: ...

        def eval(self) -> float:
            return next(accuracies)

    model = Model(Line(), metrics={"accuracy": Accuracy()})
    model.fit(3, line_batches(2), line_batches(2), callbacks=SaveBest())
    assert load_checkpoint(tmp_path / "best.ckpt").appended == {"accuracy": 0.9, "epoch_num": 2}


def test_guide_saves_below_a_threshold_of_the_loss(tmp_path: Path) -> None:
    class SaveBelow(Callback):
        def __init__(self, threshold: float) -> None:
            self.threshold = threshold

        def on_train_step_end(self, run_context: RunContext) -> None:
            params = run_context.original_args()
            if params.net_outputs < self.threshold:
                save_checkpoint(params.train_network, f"{tmp_path}/{params.cur_epoch_num}_{params.cur_step_num}.ckpt")
                run_context.request_stop()

    line = train(SaveBelow(0.5), epochs=9)
    (name,) = files_in(tmp_path)
    assert numbers_of(load_checkpoint(tmp_path / name).network) == numbers_of(line.parameters())


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"prefix": 1}, ValueError),
        ({"prefix": "a/b"}, ValueError),
        ({"prefix": ""}, ValueError),
        ({"directory": 1}, ValueError),
        ({"directory": " "}, ValueError),
        ({"config": {}}, TypeError),
        ({"all_ranks": 1}, TypeError),
    ],
)
def test_invalid_arguments_raise_the_documented_errors(arguments: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error, match=next(iter(arguments))):
        ModelCheckpoint(**arguments)


def test_directory_that_is_a_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(NotADirectoryError, match="file"):
        ModelCheckpoint(directory=tmp_path / "file")


@pytest.mark.parametrize(
    ("package", "arguments"), [("cryptography", {"enc_key": bytes(16)}), ("safetensors", {"format": "safetensors"})]
)
def test_missing_package_is_an_error_before_the_training(
    tmp_path: Path, package: str, arguments: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == package else find_spec(name))
    with pytest.raises(ImportError, match=f"pip install {package}"):
        train([ModelCheckpoint("net", tmp_path, CheckpointConfig(**arguments)), At(1, pytest.fail)])


class Results(Callback):
    """Reports an evaluation at the end of each epoch, as fit() does."""

    def __init__(self, *values: float) -> None:
        self._values = iter(values)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Add the next result."""
        run_context.original_args()["eval_results"] = {"eval_loss": next(self._values)}


def test_the_number_of_checkpoints_counts_over_restarts(tmp_path: Path) -> None:
    """Files that others have written, or replaced, are never deleted."""
    other, replaced = tmp_path / "CKP-9_9.ckpt", tmp_path / "CKP_1-1_3.ckpt"
    other.write_bytes(b"of another program")
    config = CheckpointConfig(save_checkpoint_steps=1, keep_checkpoint_max=3)
    for start in range(4):
        train(ModelCheckpoint(directory=tmp_path, config=config))
        if not start:
            replaced.write_bytes(b"replaced by the user")

    assert files_in(tmp_path) == [other.name, replaced.name, *(f"CKP_4-1_{step}.ckpt" for step in (2, 3, 4))]
    assert replaced.read_bytes() == b"replaced by the user"


def test_the_best_checkpoint_is_kept(tmp_path: Path) -> None:
    """Besides the newest ones."""
    config = CheckpointConfig(save_checkpoint_steps=4, keep_checkpoint_max=2)
    checkpoint = ModelCheckpoint(directory=tmp_path, config=config, monitor="eval_loss")
    train([Results(0.9, 0.2, 0.5, 0.4, 0.3), checkpoint], epochs=5)

    assert files_in(tmp_path) == ["CKP-2_4.ckpt", "CKP-4_4.ckpt", "CKP-5_4.ckpt"]
    assert checkpoint.best_ckpt_file_name == str(tmp_path / "CKP-2_4.ckpt")


def test_only_better_checkpoints_are_saved(tmp_path: Path) -> None:
    """Also better than those of an earlier start."""
    config = CheckpointConfig(keep_checkpoint_max=1)
    for results, best in (([0.5, 0.7], "CKP-1_4"), ([0.6, 0.4], "CKP_1-2_4"), ([0.8, 0.9], "CKP_1-2_4")):
        checkpoint = ModelCheckpoint(directory=tmp_path, config=config, monitor="eval_loss", save_best_only=True)
        train([Results(*results), checkpoint], epochs=2)
        assert files_in(tmp_path) == [f"{best}.ckpt"]
        assert checkpoint.best_ckpt_file_name == str(tmp_path / f"{best}.ckpt")


def test_save_best_only_requires_a_monitored_value(tmp_path: Path) -> None:
    """The mode and the value are checked at once."""
    with pytest.raises(ValueError, match="requires monitor"):
        ModelCheckpoint(directory=tmp_path, save_best_only=True)
    with pytest.raises(ValueError, match="mode must be"):
        ModelCheckpoint(directory=tmp_path, monitor="eval_loss", mode="best")


def test_a_manifest_that_cannot_be_read_keeps_everything(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """One line says so."""
    (tmp_path / ".CKP.manifest.json").write_text("{")
    config = CheckpointConfig(save_checkpoint_steps=4, keep_checkpoint_max=1)
    train(ModelCheckpoint(directory=tmp_path, config=config))
    assert files_in(tmp_path) == ["CKP-1_4.ckpt"]
    assert "checkpoints of earlier starts are kept" in caplog.text
