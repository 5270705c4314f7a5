"""What is collected beside the training thread, by real trainings in their own processes."""

import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psutil
from support.repositories import git, program_in, repository_with
from support.run_events import code_in, environments_in, events_in, lines_in, machine_steps_in

TRAINING = """
    import os, sys
    from toposcope.recorder.callbacks import SummaryCollector

    def train(directory, steps=3, then=lambda step: None, **keywords):
        with SummaryCollector(directory, **keywords).watch() as run:
            for step in range(1, steps + 1):
                run.step(1.0 / step)
                then(step)
"""


def run(directory: Path, script: str, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Run a training program in a directory; train() is defined in it."""
    path = directory / "train.py"
    path.write_text(textwrap.dedent(TRAINING) + textwrap.dedent(script))
    return subprocess.run(
        [sys.executable, "train.py", *arguments],
        cwd=directory,
        check=True,
        capture_output=True,
        text=True,
        timeout=100,
        env={**os.environ, **variables},
    )


def test_environment_and_code_are_recorded_once(tmp_path: Path) -> None:
    """By a training of any length, from rank 0; the custom lineage has the same facts."""
    directory = repository_with(tmp_path / "project", model="x = 1\n")
    git(directory, "remote", "add", "origin", "https://host.example/x.git")
    (directory / "model.py").write_text("x = 2\n")
    run(directory, "train('run', steps=0)", "--lr", "0.1", CUDA_VISIBLE_DEVICES="", SLURM_JOB_ID="42")

    (environment,), (code,) = environments_in(directory / "run"), code_in(directory / "run")
    facts = {fact.name: fact.value for fact in environment.facts}
    assert facts["argv"] == "train.py --lr 0.1"
    assert facts["python"] == ".".join(map(str, sys.version_info[:3]))
    assert facts["host"] == os.uname().nodename
    assert facts["directory"] == str(directory)
    assert facts["variable/SLURM_JOB_ID"] == "42"
    assert (facts["git_commit"], facts["git_dirty"]) == (git(directory, "rev-parse", "HEAD"), "true")
    assert "numpy" in {package.name for package in environment.packages}
    assert (code.commit, code.remote) == (facts["git_commit"], "https://host.example/x.git")
    assert b"-x = 1\n+x = 2\n" in code.diff
    lineage = next((directory / "run").glob("*_lineage")).read_bytes()
    assert b"environment/git_commit" in lineage
    assert facts["git_commit"].encode() in lineage


def test_other_ranks_record_machine_metrics_only(tmp_path: Path) -> None:
    """Unless all_ranks is set."""
    run(tmp_path, "train('run'); train('all', all_ranks=True)", RANK="1", WORLD_SIZE="2")

    assert environments_in(tmp_path / "run") == []
    assert machine_steps_in(tmp_path / "run")
    assert len(environments_in(tmp_path / "all")) == 1


def test_each_collection_can_be_switched_off(tmp_path: Path) -> None:
    """By its key."""
    directory = repository_with(tmp_path / "project", model="x = 1\n")
    run(
        directory,
        """
        train("nothing", keep_default_action=False)
        train("no_code", collect_specified_data={"collect_code": False})
        train("no_environment", collect_specified_data={"collect_environment": False, "collect_machine": False})
        """,
    )

    found = {
        name: (len(environments_in(run_)), len(code_in(run_)), len(machine_steps_in(run_)))
        for name in ("nothing", "no_code", "no_environment")
        if (run_ := directory / name)
    }
    assert found == {"nothing": (0, 0, 0), "no_code": (1, 0, 1), "no_environment": (0, 1, 0)}


def test_machine_metrics_are_at_the_step_that_the_training_has_reached(tmp_path: Path) -> None:
    """At an interval, also during a long step, and at the end."""
    run(
        tmp_path,
        """
        import time
        from support.run_events import machine_steps_in
        from pathlib import Path

        def wait(step):
            while machine_steps_in(Path("run")).count(step) < 2:
                time.sleep(0.01)

        train("run", then=wait, machine_seconds=0.02)
        """,
        PYTHONPATH=os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]),
    )

    steps = machine_steps_in(tmp_path / "run")
    assert steps == sorted(steps)
    assert set(steps) - {0} == {1, 2, 3}


def test_a_hanging_git_delays_neither_training_nor_end(tmp_path: Path) -> None:
    """The end waits two seconds for it; the environment is recorded without it, with one log line."""
    directory = repository_with(tmp_path / "project", model="x = 1\n")
    program_in(tmp_path / "bin", "git", f"echo $$ >> {tmp_path}/pids\nsleep 300")
    program = """
        import time
        start = time.monotonic()
        durations = []
        train("run", then=lambda step: durations.append(time.monotonic()))
        print(durations[-1] - start < 1.5, time.monotonic() - durations[-1] < 30)
    """
    start = time.monotonic()
    finished = run(directory, program, PATH=f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")

    assert time.monotonic() - start < 60
    assert finished.stdout == "True True\n"
    assert len(environments_in(directory / "run")) == 1
    assert code_in(directory / "run") == []
    assert finished.stderr.count("git took too long") == 1
    groups = set(map(int, (tmp_path / "pids").read_text().split()))
    assert groups
    assert not [process for process in psutil.process_iter(["status"]) if group_of(process) in groups]


def group_of(process: psutil.Process) -> int | None:
    """Return the process group of a living process."""
    try:
        return None if process.info["status"] == psutil.STATUS_ZOMBIE else os.getpgid(process.pid)
    except ProcessLookupError:
        return None


SECRETS = ("ENVIRONMENT-S3CRET", "hunter2-S3CRET", "ARGUMENT-S3CRET", "DIFF-S3CRET", "REMOTE-S3CRET", "CONSOLE-S3CRET")


def test_no_secret_is_in_the_files(tmp_path: Path) -> None:
    """Not those in the environment, the command line, the diff, the remote and the output."""
    directory = repository_with(tmp_path / "project", settings="x = 1\n")
    git(directory, "remote", "add", "origin", "https://me:REMOTE-S3CRET@host.example/x.git")
    (directory / "settings.py").write_text(
        'API_KEY = "DIFF-S3CRET"\npassword: str = "DIFF-S3CRET"\nnote = "hunter2-S3CRET"\n'
        'url = "postgres://user:DIFF-S3CRET@host/db"\n'
    )
    run(
        directory,
        """
        import logging
        logging.basicConfig()

        def show(step):
            print("token: CONSOLE-S3CRET", os.environ["SERVICE_TOKEN"])
            print(f"connecting to https://user:CONSOLE-S3CRET@host/{step}", file=sys.stderr)
            print(sys.argv, "Authorization: Bearer CONSOLE-S3CRET", {"password": "CONSOLE-S3CRET"}, flush=True)
            logging.warning("using %s", os.environ["DB_PASSWORD"])
            sys.stdout.write("using ARGUMENT-" + "S3CRET")

        train("run", then=show, collect_specified_data={"collect_console": True})
        """,
        *("--api-key", "ARGUMENT-S3CRET", "--password=ARGUMENT-S3CRET", "https://me:ARGUMENT-S3CRET@host/data"),
        SERVICE_TOKEN="ENVIRONMENT-S3CRET",
        DB_PASSWORD="hunter2-S3CRET",
        MASTER_ADDR="https://me:ENVIRONMENT-S3CRET@host",
    )

    content = b"".join(path.read_bytes() for path in (directory / "run").rglob("*") if path.is_file())
    assert len(lines_in(directory / "run")) >= 13
    assert b'password: str = "***"' in content
    for secret in SECRETS:
        assert secret.encode() not in content
    assert b"S3CRET" not in content


def test_a_forked_process_ends_without_the_threads_of_its_parent(tmp_path: Path) -> None:
    """A child that leaves the with statement records nothing and waits for nothing."""
    program = """
        def fork(step):
            if step == 2 and os.fork() == 0:
                print("child")
                raise SystemExit(3)
            if step == 3:
                print(os.waitstatus_to_exitcode(os.wait()[1]))

        train("run", then=fork, collect_specified_data={"collect_console": True})
    """
    finished = run(tmp_path, program)

    assert finished.stdout.split() == ["child", "3"]
    assert lines_in(tmp_path / "run")[-1] == "3"
    assert "child" not in lines_in(tmp_path / "run")
    assert len(environments_in(tmp_path / "run")) == 1
    assert list(events_in(tmp_path / "run"))
