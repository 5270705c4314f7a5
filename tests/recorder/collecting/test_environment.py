"""The facts about the environment in a run's custom lineage."""

import logging
import os
import re
import subprocess
import sys
import textwrap
import time
from datetime import datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from toposcope.proto import framing
from toposcope.proto.lineage_pb2 import LineageEvent
from toposcope.recorder import SummaryRecord, custom_lineage
from toposcope.recorder.collecting.environment import environment_facts

SCRIPT = "print('training')\n"


def git(directory: Path, *command: str) -> str:
    """Run git with a test identity and return its output."""
    settings = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=m")
    process = subprocess.run(("git", *settings, *command), cwd=directory, check=True, stdout=subprocess.PIPE, text=True)
    return process.stdout.strip()


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """Return a script in a repository of one commit."""
    path = tmp_path / "train.py"
    path.write_text(SCRIPT)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "first")
    return path


def test_commit_is_that_of_the_script(script: Path) -> None:
    """The working directory belongs to another repository."""
    commit = git(script.parent, "rev-parse", "HEAD")
    facts = environment_facts([str(script)])
    assert (facts["environment/git_commit"], facts["environment/git_dirty"]) == (commit, False)

    script.with_name("notes.txt").write_text("untracked")
    assert environment_facts([str(script)])["environment/git_dirty"] is False

    script.write_text(SCRIPT * 2)
    assert environment_facts([str(script)])["environment/git_dirty"] is True


def test_staged_changes_make_the_repository_dirty(script: Path) -> None:
    script.write_text(SCRIPT * 2)
    git(script.parent, "add", ".")

    assert environment_facts([str(script)])["environment/git_dirty"] is True


def test_the_repository_is_not_modified(script: Path) -> None:
    """Not even its index, which git normally refreshes when the script's modification time has changed."""
    os.utime(script, (1e9, 1e9))
    index = (script.parent / ".git" / "index").read_bytes()

    assert environment_facts([str(script)])["environment/git_dirty"] is False
    assert (script.parent / ".git" / "index").read_bytes() == index


def test_without_a_script_the_commit_is_that_of_the_working_directory(
    script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(script.parent)
    commit = git(script.parent, "rev-parse", "HEAD")
    for argv in (["-c"], [""], []):
        assert environment_facts(argv)["environment/git_commit"] == commit


def test_without_a_commit_or_git_there_are_no_git_facts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "train.py"
    path.write_text(SCRIPT)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    cases = [environment_facts([str(path)])]
    git(tmp_path, "init", "--quiet")
    cases.append(environment_facts([str(path)]))  # A repository without a commit.
    monkeypatch.setenv("PATH", "")
    cases.append(environment_facts([str(path)]))

    for facts in cases:
        assert not [name for name in facts if "git" in name]
        assert "environment/argv" in facts


def test_a_hanging_git_is_killed(script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec /bin/sleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", str(slow.parent))
    start = time.monotonic()
    facts = environment_facts([str(script)])

    assert time.monotonic() - start < 30
    assert not [name for name in facts if "git" in name]


def test_versions_are_those_of_imported_packages() -> None:
    facts = environment_facts([])

    assert facts["environment/version/numpy"] == np.__version__
    assert facts["environment/version/toposcope"] == metadata.version("toposcope")
    assert facts["environment/python"] == ".".join(map(str, sys.version_info[:3]))
    assert "environment/version/mindspore" not in facts


def test_facts_include_host_and_processes() -> None:
    before = datetime.now().astimezone()
    facts = environment_facts([], {"RANK": "3", "WORLD_SIZE": "8"})

    assert facts["environment/host"] == os.uname().nodename
    assert str(facts["environment/os"]).startswith("Linux")
    assert facts["environment/cpu_count"] == len(os.sched_getaffinity(0))
    assert (facts["environment/rank"], facts["environment/world_size"]) == (3, 8)
    start = datetime.fromisoformat(str(facts["environment/start_time"]))
    assert abs((start - before).total_seconds()) < 60
    assert (environment_facts([], {})["environment/rank"], environment_facts([], {})["environment/world_size"]) == (
        0,
        1,
    )


def test_facts_are_custom_lineage(tmp_path: Path) -> None:
    with SummaryRecord(tmp_path) as recorder:
        recorder.add_value("custom_lineage_data", "environment", custom_lineage(environment_facts()))
        recorder.record(1)

    content = next(tmp_path.glob("*_lineage")).read_bytes()
    length = framing.read_header(content[: framing.HEADER_BYTES]).length
    event = LineageEvent.FromString(content[framing.HEADER_BYTES : framing.HEADER_BYTES + length])
    texts = {name: text for entry in event.user_defined_info.user_info for name, text in entry.map_str.items()}
    assert texts["environment/python"] == ".".join(map(str, sys.version_info[:3]))
    assert re.match(r"\d{4}-\d\d-\d\dT", texts["environment/start_time"])


def test_an_invalid_command_line_and_environment_raise_nothing(caplog: pytest.LogCaptureFixture) -> None:
    class Odd:
        def __str__(self) -> str:
            raise RuntimeError("no text")

    arguments: list[Any] = ["train.py", Odd()]
    facts = environment_facts(arguments, {"RANK": "first", "CUDA_VISIBLE_DEVICES": "a,,"})

    assert "environment/argv" not in facts
    assert facts["environment/rank"] == 0
    warnings = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert "Part of the environment is not recorded: RuntimeError: no text" in warnings


def test_defaults_are_the_arguments_and_variables_of_this_process() -> None:
    script = """
        import sys
        from toposcope.recorder.collecting.environment import environment_facts
        facts = environment_facts()
        assert facts["environment/argv"] == "-c --lr 0.1 --token ***", facts
        assert facts["environment/rank"] == 5
        assert "torch" not in sys.modules
    """
    command = [sys.executable, "-W", "error", "-c", textwrap.dedent(script), "--lr", "0.1", "--token", "abc"]
    subprocess.run(command, check=True, timeout=60, env={**os.environ, "RANK": "5"})
