"""Runs: their directory, settings, configuration, summary, ends, and resuming."""

import argparse
import copy
import dataclasses
import json
import math
import os
import pickle
import signal
import subprocess
import sys
import types
from pathlib import Path

import pytest
from support.pytorch import needs_torch
from support.recorded_run import run_in, scalars_of
from support.torch_programs import TorchPrograms

from toposcope import server
from toposcope.recorder import wandb


def test_settings_of_a_run_are_lineage(tmp_path: Path) -> None:
    """Who the run is, and its configuration, flat and without secrets; tags, notes and name may change."""
    run = wandb.init(
        project="vision",
        entity="team",
        name="first try",
        group="sweep 1",
        job_type="train",
        tags=["a", "b"],
        notes="why",
        config={"lr": 0.1, "net": {"depth": 3}, "sizes": [1, 2], "api_key": "s3cr3t-value", "none": None},
    )
    run.tags = (*run.tags, "c")
    run.name = "second name"
    wandb.config.epochs = 5
    assert wandb.config["api_key"] == "s3cr3t-value"
    assert Path(run.dir).parent == tmp_path / "wandb" / "vision" / "sweep 1"
    assert run.url == Path(run.dir).as_uri()
    assert run.path == f"team/vision/{run.id}"
    run.finish()
    custom = run_in(tmp_path).lineage().custom
    expected = {
        "lr": 0.1,
        "net.depth": 3,
        "sizes": "[1, 2]",
        "none": "None",
        "epochs": 5,
        "wandb/name": "second name",
        "wandb/project": "vision",
        "wandb/entity": "team",
        "wandb/group": "sweep 1",
        "wandb/job_type": "train",
        "wandb/tags": "a, b, c",
        "wandb/notes": "why",
        "wandb/id": run.id,
    }
    assert {name: custom.get(name) for name in expected} == expected
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"s3cr3t" in path.read_bytes()]


def test_variables_take_the_place_of_arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """WANDB_DIR and the like; arguments precede them."""
    variables = {"DIR": tmp_path / "d", "PROJECT": "p", "NAME": "n", "RUN_ID": "i", "RUN_GROUP": "g", "TAGS": "a, b"}
    for name, value in variables.items():
        monkeypatch.setenv(f"WANDB_{name}", str(value))
    run = wandb.init(project="mine")
    assert run.dir == str(tmp_path / "d/wandb/mine/g/n-i")
    assert run.tags == ("a", "b")


@pytest.mark.parametrize("mode", ["disabled", None])
def test_a_disabled_run_records_nothing(mode: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the argument and by WANDB_MODE; the script sees a run."""
    monkeypatch.setenv("WANDB_MODE", "online" if mode else "disabled")
    run = wandb.init(mode=mode, config={"a": 1})
    run.log({"loss": 1.0})
    run.log({"loss": object()})
    assert (run.step, run.disabled, wandb.config.a, run.url) == (2, True, 1, None)
    assert Path(run.dir).is_dir()
    run.finish()
    assert not list(tmp_path.iterdir())


@dataclasses.dataclass
class Settings:
    """Settings of a script."""

    lr: float = 0.5


@pytest.mark.parametrize("config", [{"lr": 0.5}, argparse.Namespace(lr=0.5), Settings()])
def test_a_configuration_is_taken_from_what_scripts_have(config: object, tmp_path: Path) -> None:
    """A dict, a Namespace or a dataclass."""
    run = wandb.init(config=config)
    wandb.config.setdefaults({"lr": 9.0, "batch": 4})
    assert dict(run.config) == {"lr": 0.5, "batch": 4}
    assert run.config.get("missing", 7) == 7
    assert copy.deepcopy(run.config).as_dict() == {"lr": 0.5, "batch": 4}
    with pytest.raises(AttributeError):
        _ = run.config.missing
    run.finish()
    assert run_in(tmp_path).lineage().custom["batch"] == 4


def test_a_changed_setting_needs_allow_val_change(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Without it a warning names the setting; the new value counts, as the script goes on with it."""
    run = wandb.init(config={"lr": 0.5, "seed": 1})
    run.config.update({"seed": 2}, allow_val_change=True)
    run.config.update({"lr": 0.5})
    assert not caplog.records
    run.config.update({"lr": 0.25})
    assert "config.lr changes" in caplog.text
    run.finish()
    custom = run_in(tmp_path).lineage().custom
    assert (custom["lr"], custom["seed"]) == (0.25, 2)


def test_configuration_before_init_and_by_assignment_counts(tmp_path: Path) -> None:
    """As in old tutorials: wandb.config = {...} and wandb.config.x = ... before wandb.init()."""
    wandb.config.seed = 3
    wandb.config = {"lr": 0.5}  # type: ignore[assignment]
    run = wandb.init(config={"batch": 4}, config_exclude_keys=["secret_sauce"])
    assert dict(run.config) == {"seed": 3, "lr": 0.5, "batch": 4}


def test_the_summary_keeps_the_last_value(tmp_path: Path) -> None:
    """It is recorded as metrics of the evaluation; what the script sets itself is added."""
    run = wandb.init()
    for value in (2.0, math.nan, 3.0):
        run.log({"plain": value, "d": {"x": value}})
    run.summary["test"] = 0.75
    wandb.summary.update({"nested": {"a": 1}})
    assert run.summary.d.x == 3.0
    run.finish()
    metrics = run_in(tmp_path).lineage().metrics
    assert metrics == {"plain": 3.0, "d.x": 3.0, "test": 0.75, "nested.a": 1}


def test_settings_are_those_of_a_file_and_no_others(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A setting of W&B's files has a value; that the file of defaults is not read is reported."""
    (tmp_path / "config-defaults.yaml").write_text("seed:\n  value: 1\n")
    (tmp_path / "mine.yaml").write_text("wandb_version: 1\nlr:\n  desc: rate\n  value: 0.5\nbatch: 4\n")
    (tmp_path / "bad.yaml").write_text("- 1\n")
    assert dict(wandb.init(config="mine.yaml", config_include_keys=["lr"]).config) == {"lr": 0.5, "batch": 4}
    wandb.init(config="bad.yaml", reinit=True)
    assert [record.getMessage() for record in caplog.records] == [
        "wandb: init(config_include_keys=...): it has no effect here.",
        "wandb: config-defaults.yaml is not read: pass it as init(config=...).",
        "wandb: bad.yaml contains [1], not settings by name.",
    ]


def test_a_second_init_returns_the_run_unless_reinit(tmp_path: Path) -> None:
    """reinit=True ends the first one; "create_new" leaves it active."""
    first = wandb.init(project="p")
    assert wandb.init(config={"more": 1}) is first
    other = wandb.init(project="p", reinit="create_new")
    assert wandb.run is first
    assert other is not first
    other.log({"loss": 1.0})
    third = wandb.init(project="p", reinit=True)
    assert wandb.run is third
    third.log({"loss": 3.0})
    third.finish()
    assert len(list((tmp_path / "wandb/p").iterdir())) == 3
    assert first.config.more == 1


def test_a_cell_of_a_notebook_that_is_run_again_starts_a_new_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell = types.SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    for cell in (1.0, 2.0, 3.0):
        run = wandb.init(project="p", name="cell")
        run.log({"loss": cell})
    returned = wandb.init(reinit="return_previous")
    wandb.finish()
    assert returned is run
    assert len(list((tmp_path / "wandb/p").iterdir())) == 3


@pytest.mark.parametrize(("exit_code", "state"), [(None, "finished"), (0, "finished"), (1, "failed")])
def test_the_exit_code_is_the_state(exit_code: int | None, state: str, tmp_path: Path) -> None:
    """finish(exit_code=1) is a failed run."""
    wandb.init().log({"loss": 1.0}, step=3)
    wandb.finish(exit_code=exit_code)
    assert run_in(tmp_path).state.state == state
    assert scalars_of(tmp_path, "loss") == {3: 1.0}


def test_an_exception_in_a_with_block_is_the_end(tmp_path: Path) -> None:
    """The run is shown as failed, with the exception."""

    def fail() -> None:
        with wandb.init() as run:
            run.log({"loss": 1.0}, commit=False)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    state = run_in(tmp_path).state
    assert (state.state, state.error.type) == ("failed", "ZeroDivisionError")
    assert scalars_of(tmp_path, "loss") == {0: 1.0}


def run_script(script: str, directory: Path, *, code: int = 0) -> str:
    """Run a script in a process of its own; return what it writes to stderr."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("WANDB_")}
    program = "from toposcope.recorder import wandb\n" + script
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=directory, env=environ, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == code, done.stderr
    return done.stderr


def test_a_script_that_never_finishes_its_run_loses_nothing(tmp_path: Path) -> None:
    """The values that wait for the end of their step and the summary are written; an exception is the end."""
    script = "wandb.init(name='n'); wandb.log({'a': 1.0}, step=5); wandb.summary['s'] = 2\n"
    printed = run_script(script + "raise ValueError('no luck')", tmp_path, code=1)
    run = run_in(tmp_path)
    assert (run.state.state, run.state.error.type) == ("failed", "ValueError")
    assert scalars_of(tmp_path, "a") == {5: 1.0}
    assert run.lineage().metrics == {"a": 1.0, "s": 2}
    assert f"is recorded in {next((tmp_path / 'wandb/uncategorized').iterdir())}" in printed


def test_resume_continues_after_the_last_step(tmp_path: Path) -> None:
    """The step, the configuration and the summary are those of the first attempt, which kill -9 ended."""
    script = "import os, signal\nrun = wandb.init(id='x', resume='allow', config={'a': 1, 'b': 2})\n"
    script += "for v in (1., 2., 3.): run.log({'loss': v})\nrun._recorder.flush()\n"
    run_script(script + "os.kill(os.getpid(), signal.SIGKILL)", tmp_path, code=-signal.SIGKILL)
    run = wandb.init(id="x", resume="must", config={"b": 3})
    assert (run.step, run.starting_step, run.resumed, dict(run.config)) == (3, 3, True, {"a": 1, "b": 3})
    run.log({"loss": 4.0})
    run.finish()
    assert scalars_of(tmp_path, "loss") == {0: 1.0, 1: 2.0, 2: 3.0, 3: 4.0}
    assert run_in(tmp_path).attempts == 2


def test_resume_auto_continues_a_run_without_an_end(tmp_path: Path) -> None:
    """A finished run is not continued, and neither is one of a process that is alive."""
    script = "import os, signal\nrun = wandb.init(resume='auto')\nrun.log({'loss': 1.})\nrun._recorder.flush()\n"
    run_script(script + "os.kill(os.getpid(), signal.SIGKILL)", tmp_path, code=-signal.SIGKILL)
    run = wandb.init(resume="auto")
    assert (run.resumed, run.step) == (True, 1)
    run.finish()
    again = wandb.init(resume="auto")
    assert (again.resumed, again.step) == (False, 0)


@pytest.mark.parametrize(
    ("end", "code"),
    [
        ("raise ValueError('no')", 1),
        ("import sys; sys.exit(3)", 3),
        ("run.finish(exit_code=2)", 0),
        ("with run: raise ValueError('no')", 1),
        ("try: raise ValueError('no')\nfinally: run.finish()", 1),
    ],
)
def test_resume_auto_continues_a_run_that_failed(tmp_path: Path, end: str, code: int) -> None:
    """As in W&B, where a run that ended with another exit code than 0 is continued."""
    run_script(f"run = wandb.init(resume='auto')\nrun.log({{'loss': 1.}})\n{end}", tmp_path, code=code)
    run = wandb.init(resume="auto")
    assert (run.resumed, run.step) == (True, 1)


def test_resume_that_does_not_fit_starts_a_new_run(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Must without a run, never with one: an error is logged, or raised in strict mode."""
    first = wandb.init(id="x", resume="must")
    first.log({"loss": 1.0})
    first.finish()
    second = wandb.init(id="x", resume="never")
    assert second.id != "x"
    assert not second.resumed
    second.finish()
    assert "resume='must', but there is no run x" in caplog.text
    assert "resume='never', but run x exists" in caplog.text
    with pytest.raises(wandb.UsageError, match="no run y"):
        wandb.init(id="y", resume="must", strict=True)


def test_resume_from_hides_later_steps(tmp_path: Path) -> None:
    """Nothing is deleted: the first attempt still has them."""
    with wandb.init(id="x") as run:
        for value in range(5):
            run.log({"loss": float(value)})
    with wandb.init(resume_from="x?_step=1") as run:
        run.log({"loss": 20.0})
    assert scalars_of(tmp_path, "loss") == {0: 0.0, 1: 1.0, 2: 20.0}
    assert len(run_in(tmp_path).scalars("loss", attempt=1).step) == 5


def test_an_id_without_resume_starts_over(tmp_path: Path) -> None:
    """As in W&B the run is replaced, but its first attempt can still be shown."""
    for value in (1.0, 2.0):
        with wandb.init(id="x", name="n") as run:
            run.log({"loss": value})
            run.log({"loss": value})
    assert scalars_of(tmp_path, "loss") == {0: 2.0, 1: 2.0}
    assert run_in(tmp_path).attempts == 2


GROUP = """
import os, sys
import torch.distributed as distributed
from toposcope.recorder import wandb
os.chdir(sys.argv[1])
rank = int(os.environ["RANK"])
distributed.init_process_group("gloo", f"file://{sys.argv[1]}/meeting", rank=rank, world_size=2)
for group, ranks in (("all", (0, 1)), ("first", (0,))):
    distributed.barrier()
    if rank in ranks:
        with wandb.init(project="p", group=group, name=f"rank{rank}"):
            for step in range(3):
                wandb.log({"rank": float(rank)})
distributed.barrier()  # Gloo aborts a process whose peer ends first.
distributed.destroy_process_group()
"""


@needs_torch
def test_processes_of_a_training_are_runs_of_a_group(programs: TorchPrograms, tmp_path: Path) -> None:
    """Each process that calls init() has a run of its own in the directory of the group; or only that of rank 0."""
    programs.run(GROUP, tmp_path, folder=tmp_path, ranks=2)
    runs = {name.partition("-")[0]: run for name, run in server.open(tmp_path / "wandb/p").runs.items()}
    assert sorted(runs) == ["all/rank0", "all/rank1", "first/rank0"]
    for name, run in runs.items():
        assert run.scalars("rank").value.tolist() == [float(name[-1])] * 3
        assert run.state.state == "finished"
        assert run.lineage().custom["wandb/group"] == name.partition("/")[0]


def test_a_directory_that_cannot_be_created_stops_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The run goes where temporary files are."""
    (tmp_path / "file").write_text("")
    run = wandb.init(dir=tmp_path / "file", project=f"p{os.getpid()}")
    run.log({"loss": 1.0})
    assert "cannot be created" in caplog.text
    assert Path(run.dir).is_dir()
    assert not run.disabled


def test_a_run_pickles_as_itself() -> None:
    """Its configuration too; arguments of processes and of trainers contain them."""
    run = wandb.init(config={"a": 1})
    assert pickle.loads(pickle.dumps(run)) is run
    assert pickle.loads(pickle.dumps(run.config)).as_dict() == {"a": 1}


def test_a_forked_process_records_nothing_and_goes_on(tmp_path: Path) -> None:
    """It says so once; the parent's run is whole."""
    script = "import os\nrun = wandb.init()\nrun.log({'a': 1.0})\nchild = os.fork()\n"
    script += "if not child:\n    run.log({'a': 9.0}); run.finish(); raise SystemExit(0)\n"
    printed = run_script(script + "assert os.waitpid(child, 0)[1] == 0\nrun.log({'a': 2.0})", tmp_path)
    assert "has no effect in a process forked from" in printed
    assert scalars_of(tmp_path, "a") == {0: 1.0, 1: 2.0}
    assert run_in(tmp_path).state.state == "finished"


def test_the_file_of_a_run_identifies_it(tmp_path: Path) -> None:
    """Tools may read it: id, name, configuration and summary."""
    with wandb.init(name="n", config={"a": 1}) as run:
        run.log({"loss": 1.0})
    facts = json.loads((Path(run.dir) / "wandb-run.json").read_text())
    assert (facts["id"], facts["name"], facts["config"], facts["state"]) == (run.id, "n", {"a": 1}, "finished")
    assert facts["summary"]["loss"] == 1.0


def test_the_file_of_a_run_contains_no_secrets(tmp_path: Path) -> None:
    """Neither values of secret names nor passwords in URLs."""
    config = {"hf_token": "S3CRET", "data": {"url": "https://me:S3CRET@host/data"}, "lr": 0.1}
    with wandb.init(name="n", config=config) as run:
        run.log({"loss": 1.0})
    text = (Path(run.dir) / "wandb-run.json").read_text()
    assert "S3CRET" not in text
    assert json.loads(text)["config"]["lr"] == 0.1
