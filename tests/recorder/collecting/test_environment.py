"""The facts about the environment in a run's custom lineage."""

import logging
import os
import subprocess
import sys
import textwrap
from datetime import datetime
from importlib import metadata
from typing import Any

import numpy as np
import pytest

from toposcope.recorder.collecting.environment.environment import environment_facts


def test_versions_are_those_of_imported_packages() -> None:
    facts = environment_facts([])

    assert facts["version/numpy"] == np.__version__
    assert facts["version/toposcope"] == metadata.version("toposcope")
    assert facts["python"] == ".".join(map(str, sys.version_info[:3]))
    assert "version/mindspore" not in facts


def test_facts_include_host_and_processes() -> None:
    before = datetime.now().astimezone()
    facts = environment_facts([], {"RANK": "3", "WORLD_SIZE": "8"})

    assert facts["host"] == os.uname().nodename
    assert str(facts["os"]).startswith("Linux")
    assert facts["cpu_count"] == len(os.sched_getaffinity(0))
    assert (facts["rank"], facts["world_size"]) == (3, 8)
    start = datetime.fromisoformat(str(facts["start_time"]))
    assert abs((start - before).total_seconds()) < 60
    assert (environment_facts([], {})["rank"], environment_facts([], {})["world_size"]) == (0, 1)


def test_an_invalid_command_line_and_environment_raise_nothing(caplog: pytest.LogCaptureFixture) -> None:
    class Odd:
        def __str__(self) -> str:
            raise RuntimeError("no text")

    arguments: list[Any] = ["train.py", Odd()]
    facts = environment_facts(arguments, {"RANK": "first", "CUDA_VISIBLE_DEVICES": "a,,"})

    assert "argv" not in facts
    assert facts["rank"] == 0
    warnings = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert "Part of the environment is not recorded: RuntimeError: no text" in warnings


def test_defaults_are_the_arguments_and_variables_of_this_process() -> None:
    script = """
        import sys
        from toposcope.recorder.collecting.environment.environment import environment_facts
        facts = environment_facts()
        assert facts["argv"] == "-c --lr 0.1 --token ***", facts
        assert facts["rank"] == 5
        assert "torch" not in sys.modules
    """
    command = [sys.executable, "-W", "error", "-c", textwrap.dedent(script), "--lr", "0.1", "--token", "abc"]
    subprocess.run(command, check=True, timeout=60, env={**os.environ, "RANK": "5"})
