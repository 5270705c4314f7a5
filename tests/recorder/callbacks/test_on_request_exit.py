"""OnRequestExit: a signal or a file ends a training after its step, and the next one continues it."""

import json
import logging
import os
import signal
import textwrap
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.pytorch import needs_torch, torch
from support.recorded_run import scalars_of
from support.torch_programs import TorchPrograms
from support.written_events import read_all_events

from toposcope.proto.summary_pb2 import RecordingEnd
from toposcope.recorder.callbacks import (
    BackupAndRestore,
    Callback,
    OnRequestExit,
    RunContext,
    SummaryCollector,
)
from toposcope.recorder.checkpoints import load_checkpoint
from toposcope.recorder.train_thor import thor
from toposcope.recorder.training import Model
from toposcope.recorder.training.watch import watch

STEPS = 4


def batches() -> "list[tuple[torch.Tensor, torch.Tensor]]":
    generator = torch.Generator().manual_seed(0)
    return [(torch.randn(8, 4, generator=generator), torch.randint(3, (8,), generator=generator)) for _ in range(STEPS)]


def model(network: Any = None) -> Model:
    torch.manual_seed(0)
    network = (
        torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8), torch.nn.Linear(8, 3))
        if network is None
        else network
    )
    optimizer = torch.optim.SGD(network.parameters(), 0.1, momentum=0.9)
    return Model(network, torch.nn.CrossEntropyLoss(), optimizer, metrics={"acc"})


def weights(trained: Model) -> "list[torch.Tensor]":
    return [each.detach() for each in trained.train_network.parameters()]


class At(Callback):
    """Notes the steps, and calls a function at one of them."""

    def __init__(self, step: int = 0, action: Callable[[], object] = int) -> None:
        self.steps: list[int] = []
        self._step, self._action = step, action

    def on_train_step_begin(self, run_context: RunContext) -> None:
        """Note the step."""
        self.steps.append(step := run_context.original_args().cur_step_num)
        if step == self._step:
            self._action()


def send(number: int = signal.SIGTERM) -> None:
    """Send a signal to this process."""
    os.kill(os.getpid(), number)


def test_a_training_ends_after_the_step_and_the_next_one_continues_it(tmp_path: Path) -> None:
    """At the end of an epoch to the same bits; the recording is interrupted, then finished."""
    whole, stopped, continued = model(), model(), model()
    whole.train(3, batches())
    first, second = At(8, send), At()
    request = OnRequestExit(file_name="net", directory=tmp_path / "exits")
    stopped.train(3, batches(), callbacks=[request, first, SummaryCollector(tmp_path / "run")])
    saved = load_checkpoint(tmp_path / "exits" / "rank_0" / "net_train.ckpt")
    continued.train(
        3,
        batches(),
        callbacks=[
            OnRequestExit(file_name="net", directory=tmp_path / "exits"),
            second,
            SummaryCollector(tmp_path / "run"),
        ],
    )

    assert (request.exit, request.stop_train) == (True, True)
    assert (first.steps, second.steps) == (list(range(1, 9)), list(range(9, 13)))
    assert saved.step == 8
    assert saved.appended.items() >= {"epoch_num": 2, "step_num": 8, "batch_num": 4}.items()
    assert list(scalars_of(tmp_path / "run", "loss/auto")) == list(range(1, 13))
    assert all(map(torch.equal, weights(whole), weights(continued)))
    ends = [list(read_all_events(path))[-1].end for path in sorted((tmp_path / "run").glob("*_MS"))]
    assert [end.state for end in ends] == [RecordingEnd.STATE_INTERRUPTED, RecordingEnd.STATE_FINISHED]
    assert ends[0].error_text == "OnRequestExit"
    assert not (tmp_path / "exits" / "rank_0" / "net_train.ckpt").exists()


class Batches(Callback):
    """Keeps the numbers of the batches, and requests the exit after some of them."""

    def __init__(self, at: int) -> None:
        self.at, self.seen = at, list[tuple[int, int, int]]()

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Keep step, epoch and batch."""
        params = run_context.original_args()
        self.seen.append((params.cur_step_num, params.cur_epoch_num, int(params.train_dataset_element[0][0, 0])))
        if len(self.seen) == self.at:
            send()


@pytest.mark.parametrize("is_shuffled", [False, True])
def test_an_interrupted_epoch_continues_with_its_next_batch(tmp_path: Path, is_shuffled: bool) -> None:
    """Whatever the seed of a new process: every step is trained once, with the batch of an uninterrupted training."""

    def train(at: int, folder: str) -> list[tuple[int, int, int]]:
        inputs = torch.arange(20.0)[:, None].repeat(1, 2)
        data = torch.utils.data.TensorDataset(inputs, torch.zeros(20, 1))
        loader = torch.utils.data.DataLoader(data, shuffle=is_shuffled)
        linear = torch.nn.Linear(2, 1)
        network = torch.nn.Sequential(torch.nn.Dropout(), linear)
        trained = Model(network, torch.nn.MSELoss(), torch.optim.SGD(network.parameters(), lr=0.001))
        backup, batches = BackupAndRestore(tmp_path / folder), Batches(at)
        exits = OnRequestExit(directory=tmp_path / folder, save_mindir=False)
        trained.train(2, loader, callbacks=[backup, batches, exits])
        trained_weights.append(linear.weight.detach().clone())
        return batches.seen

    trained_weights: list[Any] = []
    torch.manual_seed(0)
    expected = train(0, "whole")
    seen = []
    for start in range(3):
        torch.manual_seed(0 if start == 0 else 100 + start)
        seen += train(15, "interrupted")

    assert seen == expected
    assert len(seen) == 40
    torch.testing.assert_close(trained_weights[-1], trained_weights[0], rtol=0, atol=0)


@pytest.mark.parametrize("kind", ["plain", "compiled", "THOR"])
def test_the_program_of_the_network_is_saved(tmp_path: Path, kind: str) -> None:
    """In evaluation mode, while the network keeps its mode and weights."""
    trained = model()
    network = trained.train_network
    if kind == "compiled":
        trained = model(torch.compile(network, backend="eager"))
    if kind == "THOR":
        trained = Model(network, torch.nn.CrossEntropyLoss(), thor(network, 0.1, 0.1, 0.9, frequency=1))
    trained.train(2, batches(), callbacks=[OnRequestExit(directory=tmp_path), At(3, send)])
    program = torch.export.load(tmp_path / "rank_0" / "Net_train.pt2").module()

    inputs = batches()[0][0]
    assert network.training
    network.eval()
    torch.testing.assert_close(program(inputs), network(inputs))
    assert sorted(path.name for path in (tmp_path / "rank_0").iterdir()) == ["Net_train.ckpt", "Net_train.pt2"]


def test_saving_the_program_causes_no_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """PyTorch warns of files whose names do not end in .pt2."""
    logger = logging.getLogger("torch.export.pt2_archive._package")
    logger.addHandler(caplog.handler)
    try:
        model().train(1, batches(), callbacks=[OnRequestExit(directory=tmp_path), At(1, send)])
    finally:
        logger.removeHandler(caplog.handler)
    assert not [each for each in caplog.records if each.levelno >= logging.WARNING]


def test_a_network_that_cannot_be_exported_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The checkpoint is saved."""

    class Branches(torch.nn.Linear):
        def forward(self, inputs: torch.Tensor) -> torch.Tensor:
            return super().forward(inputs) * (1 if inputs.sum().item() > 0 else 2)

    model(Branches(4, 3)).train(1, batches(), callbacks=[OnRequestExit(directory=tmp_path), At(2, send)])
    assert "program could not be saved" in caplog.text
    assert [path.name for path in (tmp_path / "rank_0").iterdir()] == ["Net_train.ckpt"]


def test_nothing_is_saved_if_nothing_is_requested(tmp_path: Path) -> None:
    """Only the training ends; without a request nothing happens."""
    for action, steps in ((send, 2), (int, 8)):
        at = At(2, action)
        request = OnRequestExit(False, False, directory=tmp_path / "exits")
        model().train(2, batches(), callbacks=[request, at])
        assert len(at.steps) == steps
        assert request.stop_train == (steps == 2)
    assert not (tmp_path / "exits").exists()


@pytest.mark.parametrize("content", ['{"GracefulExit": 1}', '{"GracefulExit": 1, "other": [2]}'])
def test_a_file_requests_the_exit(tmp_path: Path, content: str) -> None:
    """Also one that appears during the training."""
    config = tmp_path / "config.json"
    at = At(3, lambda: config.write_text(content))
    model().train(2, batches(), callbacks=[OnRequestExit(directory=tmp_path, config_file=config), at])
    assert at.steps == [1, 2, 3]


@pytest.mark.parametrize("content", ["{", "[1]", '{"GracefulExit": 0}', "{}", "\x00"])
def test_other_contents_of_the_file_request_nothing(
    tmp_path: Path, content: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A file that is not JSON is one warning."""
    config = tmp_path / "config.json"
    config.write_text(content)
    at = At()
    model().train(1, batches(), callbacks=[OnRequestExit(directory=tmp_path, config_file=str(config)), at])
    assert len(at.steps) == STEPS
    assert len(caplog.records) == (content in ("{", "\x00"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1])
def test_the_previous_handler_is_restored(tmp_path: Path, number: int) -> None:
    """Also after an exception; the handler of the signal that is set is used."""
    received: list[int] = []
    previous = signal.signal(number, lambda received_number, _: received.append(received_number))

    def fail() -> None:
        raise KeyError("mine")

    try:
        request = OnRequestExit(directory=tmp_path, sig=number)
        with pytest.raises(KeyError, match="mine"):
            model().train(1, batches(), callbacks=[request, At(2, fail)])
        send(number)
        assert received == [number]
        at = At(2, lambda: send(number))
        model().train(1, batches(), callbacks=[request, at])
        send(number)
        assert at.steps == [1, 2]
        assert received == [number, number]
    finally:
        signal.signal(number, previous)


def test_an_evaluation_ends_after_its_step(tmp_path: Path) -> None:
    """Its network is saved; the network is not changed by files of earlier exits."""

    class Evaluated(Callback):
        def __init__(self) -> None:
            self.steps = 0

        def on_eval_step_begin(self, run_context: RunContext) -> None:
            self.steps += 1
            if self.steps == 2:
                send()

    trained, evaluated = model(), Evaluated()
    trained.train(2, batches(), callbacks=[OnRequestExit(directory=tmp_path), At(2, send)])
    other = model(torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8), torch.nn.Linear(8, 3)))
    before = [each.clone() for each in weights(other)]
    other.eval(batches(), callbacks=[OnRequestExit(directory=tmp_path), evaluated])

    assert evaluated.steps == 2
    assert all(map(torch.equal, before, weights(other)))
    names = sorted(path.name for path in (tmp_path / "rank_0").iterdir())
    assert names == ["Net_eval.ckpt", "Net_eval.pt2", "Net_train.ckpt", "Net_train.pt2"]


def test_a_request_in_an_evaluation_inside_a_training_ends_the_training_after_it(tmp_path: Path) -> None:
    """The whole evaluation counts."""

    class Evaluated(Callback):
        steps = 0

        def on_eval_step_end(self, run_context: RunContext) -> None:
            self.steps += 1
            send()

    evaluated, at = Evaluated(), At()
    request = OnRequestExit(directory=tmp_path, save_mindir=False)
    model().fit(3, batches(), batches(), callbacks=[request, evaluated, at])

    assert (evaluated.steps, len(at.steps)) == (STEPS, STEPS)
    assert load_checkpoint(tmp_path / "rank_0" / "Net_train.ckpt").appended["finished_epochs"] == 1


def test_the_backup_of_a_stopped_training_is_kept(tmp_path: Path) -> None:
    """BackupAndRestore deletes it only after the training has reached its end."""
    callbacks = [BackupAndRestore(tmp_path / "backup"), OnRequestExit(False, False)]
    model().train(3, batches(), callbacks=[*callbacks, At(6, send)])
    assert (tmp_path / "backup" / "backup.ckpt").exists()
    at = At()
    model().train(3, batches(), callbacks=[*callbacks, at])
    assert at.steps == list(range(7, 13))
    assert not (tmp_path / "backup" / "backup.ckpt").exists()


@pytest.mark.parametrize("is_reversed", [True, False])
def test_the_latest_of_several_files_is_restored(tmp_path: Path, is_reversed: bool) -> None:
    """That of the backup, if the process was killed after it continued from the exit; in any order of callbacks."""
    callbacks = [BackupAndRestore(tmp_path / "backup"), OnRequestExit(True, False, directory=tmp_path)]
    callbacks = callbacks[::-1] if is_reversed else callbacks

    def fail() -> None:
        raise KeyError("killed")

    model().train(4, batches(), callbacks=[*callbacks, At(2, send)])
    with pytest.raises(KeyError, match="killed"):
        model().train(4, batches(), callbacks=[*callbacks, At(8, fail)])
    at = At()
    model().train(4, batches(), callbacks=[*callbacks, at])
    # The exit was after step 2, the last backup after the first epoch, at step 4; three epochs follow.
    assert at.steps == list(range(5, 17))
    assert not list(tmp_path.rglob("*.ckpt"))


def test_a_loop_of_the_user_is_stopped_and_continued(tmp_path: Path) -> None:
    """If it ends when the run asks for it."""
    recorded = []
    for step in (3, 0):
        torch.manual_seed(0)
        network = torch.nn.Linear(4, 3)
        optimizer = torch.optim.SGD(network.parameters(), 0.1)
        at = At(step, send)
        with watch([OnRequestExit(directory=tmp_path), at], network, optimizer, batches(), epochs=1) as run:
            for inputs, labels in batches():
                optimizer.zero_grad()
                loss = torch.nn.functional.cross_entropy(network(inputs), labels)
                loss.backward()
                optimizer.step()
                if not run.step(loss):
                    break
        recorded.append(at.steps)
    assert recorded == [[1, 2, 3], [4, 5, 6, 7]]


def test_outside_of_the_main_thread_only_the_file_is_observed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """With a warning."""
    config, at = tmp_path / "config.json", At(2, lambda: config.write_text('{"GracefulExit": 1}'))
    request = OnRequestExit(directory=tmp_path, config_file=config)
    trained, data = model(), batches()
    thread = threading.Thread(target=lambda: trained.train(1, data, callbacks=[request, at]))
    thread.start()
    thread.join()

    assert at.steps == [1, 2]
    assert "only in the main thread" in caplog.text


TRAINING = """
    import os, signal, sys
    import torch
    from torch import distributed
    from toposcope.recorder.callbacks import BackupAndRestore, Callback, OnRequestExit
    from toposcope.recorder.training import Model

    directory, rank = sys.argv[1], int(os.environ["RANK"])

    class Request(Callback):
        def on_train_begin(self, run_context):
            self.steps = []

        def on_train_step_begin(self, run_context):
            self.steps.append(step := run_context.original_args().cur_step_num)
            if step == 3 and rank == 1:
                os.kill(os.getpid(), signal.SIGTERM)

    distributed.init_process_group("gloo", f"file://{directory}/store", rank=rank, world_size=2)
    torch.manual_seed(rank)
    batches = [(torch.randn(8, 4), torch.randint(3, (8,))) for _ in range(4)]
    for _ in range(2):
        torch.manual_seed(0)
        network = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 3))
        request = Request()
        callbacks = [BackupAndRestore(f"{directory}/backup"), OnRequestExit(True, False, "Net", directory), request]
        optimizer = torch.optim.SGD(network.parameters(), 0.1)
        Model(network, torch.nn.CrossEntropyLoss(), optimizer).train(2, batches, callbacks=callbacks)
        distributed.barrier()
        print(f"{rank} {request.steps} {network.module.weight.sum().item():.6f}", flush=True)
    os._exit(0)  # PyTorch's threads occasionally abort or hang during interpreter shutdown.
"""


@needs_torch
def test_all_processes_end_after_the_same_step(programs: TorchPrograms, tmp_path: Path) -> None:
    """If one of them receives the signal; they continue together."""
    printed = programs.run(textwrap.dedent(TRAINING), tmp_path, folder=tmp_path, ranks=2)

    first, second = (
        [line.partition(" ")[2] for line in printed.splitlines() if line.startswith(rank)] for rank in "01"
    )
    assert first == second
    assert [json.loads(line.rsplit(" ", 1)[0]) for line in first] == [[1, 2, 3], list(range(4, 9))]
    assert not list(tmp_path.glob("rank_*/*.ckpt"))


@pytest.mark.parametrize(
    "arguments",
    [
        {"save_ckpt": 1},
        {"save_mindir": None},
        {"file_name": 5},
        {"file_name": ""},
        {"file_name": "a/b"},
        {"directory": 5},
        {"config_file": 5},
        {"sig": "SIGTERM"},
        {"sig": True},
        {"sig": signal.SIGKILL},
        {"sig": signal.SIGSTOP},
        {"sig": 0},
        {"sig": 1000},
    ],
)
def test_wrong_arguments(tmp_path: Path, arguments: dict[str, Any]) -> None:
    """A ValueError, as MindSpore documents, that names the argument."""
    with pytest.raises(ValueError, match=next(iter(arguments))):
        OnRequestExit(**{"directory": tmp_path, **arguments})
