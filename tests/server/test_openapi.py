"""Schemathesis asks a real server all that its OpenAPI allows, and much that it does not."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
import schemathesis
from event_files import GOLDEN, scalar_event, write_run
from hypothesis import settings
from schemathesis import Case, GenerationMode
from schemathesis.checks import CHECKS
from schemathesis.config import GenerationConfig, ProjectConfig, ProjectsConfig, SchemathesisConfig
from schemathesis.schemas import BaseSchema
from servers import start, stop, wait_until
from summary_values import MindSporeValue, record

from toposcope.recorder import SummaryRecord

STREAM = "/api/updates"
"""Never ends by itself."""
HOSTILE = ["", "\0", '"q"\r\n', "a&b=c;d#e?f%00", "../../etc/passwd", "<script>alert(1)</script>", "ü😀", "x" * 300]
PLUGINS = {"scalars": "scalar", "scalars.csv": "scalar", "histograms": "histogram", "images": "image"} | {
    "tensors": "tensor",
    "text": "text",
    "landscapes": "landscape",
}
"""Of a route's tags."""


def hostile_runs(logdir: Path) -> None:
    """Write runs with hostile names, tags, steps and times."""
    for seconds in (float("nan"), float("inf"), 1e308):
        events = [scalar_event(seconds, step, {"loss": seconds}) for step in (-(2**63), 2**63 - 1, 0)]
        write_run(logdir / f"time {seconds}", events)
    values = [MindSporeValue(tag=tag, scalar_value=float("nan")) for tag in HOSTILE]
    texts = [MindSporeValue(tag=tag, text=tag) for tag in HOSTILE]
    write_run(logdir / 'a <run>&"ü/b%2Fc', [record(2, 1, *values), record(3, 2, *texts)])
    with SummaryRecord(logdir / "recorded") as recorder:
        recorder.add_value("image", "image", np.zeros((1, 3, 4, 5), np.float32))
        recorder.add_value("tensor", "tensor", np.array([np.nan, np.inf, 1]))
        recorder.add_value("histogram", "histogram", np.array([np.nan, np.inf, 1]))
        recorder.record(1)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """Serve the golden runs and hostile ones."""
    logdir = tmp_path_factory.mktemp("logdir")
    (logdir / "golden").symlink_to(GOLDEN)
    hostile_runs(logdir)
    process: subprocess.Popen[str]
    process, url = start(logdir)
    with httpx.Client(base_url=url) as client:
        wait_until(lambda: not client.get("api/health").json()["loading"])
        yield client
    stop(process)


def load(client: httpx.Client, described: dict[str, Any], modes: list[GenerationMode]) -> BaseSchema:
    """Return a description of the server for schemathesis."""
    generation = GenerationConfig(modes=modes, deterministic=True, no_shrink=True)
    config = SchemathesisConfig(
        seed=1, projects=ProjectsConfig(default=ProjectConfig(generation=generation, base_url=str(client.base_url)))
    )
    return schemathesis.openapi.from_dict(described, config=config)


@pytest.fixture(scope="module")
def described(client: httpx.Client) -> BaseSchema:
    """Return what the server says of itself."""
    return load(client, client.get("api/openapi.json").json(), list(GenerationMode))


@pytest.fixture(scope="module")
def known(client: httpx.Client) -> BaseSchema:
    """Return what the server says of itself, with its runs and tags: drawn at random, none would ever be found."""
    description = client.get("api/openapi.json").json()
    runs = [run["run"] for run in client.get("api/runs").json()["runs"]]
    tags = client.get("api/tags").json()["tags"]
    for path, operations in description["paths"].items():
        plugin = PLUGINS.get(path.split("/")[2])
        choices = {"run": runs, "tag": [tag["tag"] for tag in tags if tag["plugin"] == plugin]}
        for parameter in operations["get"].get("parameters", []):
            if choices.get(parameter["name"]):
                schema = parameter["schema"]
                schema.get("items", schema).update(enum=choices[parameter["name"]])
    return load(client, description, [GenerationMode.POSITIVE])


def ask(case: Case) -> None:
    """Send a request; every check must hold of the reply."""
    checks = CHECKS.get_all()
    if is_refused_by_rule(case):
        checks = [check for check in checks if check.__name__ != "positive_data_acceptance"]
    case.call_and_validate(checks=checks, timeout=10)


def is_refused_by_rule(case: Case) -> bool:
    """Say whether a rule between fields, which OpenAPI cannot tell, may refuse what fits each of them."""
    query = case.query or {}
    body = case.body if isinstance(case.body, dict) else {}
    given = {name for name, value in {**query, **body}.items() if value is not None}
    # A node alone; lo below hi; a slice that the tensor has.
    return bool(given & {"lo", "hi", "node", "slice"}) or case.method == "POST"


@schemathesis.pytest.from_fixture("described").exclude(path=STREAM).parametrize()
@settings(max_examples=20, deadline=None)
def test_any_request_is_answered_as_declared(case: Case) -> None:
    """Well-formed or not, the reply has a declared status, type and model."""
    ask(case)


@schemathesis.pytest.from_fixture("known").include(method="GET").exclude(path=STREAM).parametrize()
@settings(max_examples=20, deadline=None)
def test_what_is_there_is_answered_as_declared(case: Case) -> None:
    """So it is for the runs and tags that the logdir has, however hostile."""
    ask(case)
