"""Requests that the OpenAPI document allows, and invalid ones, to golden runs and a hostile one."""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import requests
import schemathesis
from schemathesis import BaseSchema, Case, GenerationMode
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.config import (
    CoveragePhaseConfig,
    GenerationConfig,
    PhasesConfig,
    ProjectConfig,
    ProjectsConfig,
    SchemathesisConfig,
)

from support.event_files import GOLDEN, scalar_event, write_run
from support.server_in_process import served
from support.servers import SLOW_SECONDS
from support.summary_values import MindSporeValue, record
from toposcope.recorder import SummaryRecord
from toposcope.server.api.updates import Streams
from toposcope.server.app import make_api
from toposcope.server.loading.logdir import Logdir

STREAM = "/api/updates"
"""Never ends by itself."""
LONGEST_URL = 60_000
"""Longer ones are refused with 400 by the server's parser of HTTP, before there is a route."""
GOLDEN_RUN, HOSTILE_RUN = "golden/mindspore/digits_momentum", 'a <run>&"ü/b%2Fc'
HOSTILE = ["", "\0", '"q"\r\n', "a&b=c;d#e?f%00", "../../etc/passwd", "<script>alert(1)</script>", "ü😀", "x" * 300]
TAGS = {
    "scalars": ["loss", "loss/auto", *HOSTILE],
    "scalars.csv": ["loss", "loss/auto", *HOSTILE],
    "text": HOSTILE,
    "histograms": ["values", "conv1.weight/auto"],
    "images": ["values", "input"],
    "tensors": ["values", "logits"],
    "landscapes": ["landscape_[4]", "landscape_[1, 4]"],
    "landscapes.html": ["landscape_[4]", "landscape_[1, 4]"],
    "landscapes.npz": ["landscape_[4]", "landscape_[1, 4]"],
    "landscapes.vti": ["landscape_[4]", "landscape_[1, 4]"],
}
"""Tags of the runs above by route."""


def write_hostile_runs(logdir: Path) -> None:
    """Write a run with hostile names, steps, times and values."""
    scalars = [MindSporeValue(tag=tag, scalar_value=float("nan")) for tag in HOSTILE]
    texts = [MindSporeValue(tag=tag, text=tag) for tag in HOSTILE]
    steps = [
        scalar_event(seconds, step, {"loss": 1e308}) for seconds, step in ((float("nan"), -(2**63)), (0, 2**63 - 1))
    ]
    write_run(logdir / HOSTILE_RUN, [*steps, record(2, 1, *scalars), record(float("inf"), 2, *texts)])
    with SummaryRecord(logdir / HOSTILE_RUN) as recorder:
        for plugin, value in (
            ("image", np.zeros((1, 3, 4, 5), np.float32)),
            ("tensor", np.array([[np.nan, np.inf, 1e300]])),
            ("histogram", np.array([np.nan, np.inf, 1.0])),
        ):
            recorder.add_value(plugin, "values", value)
            recorder.record(3)


@contextmanager
def served_runs(logdir: Path) -> Iterator[str]:
    """Serve the golden runs and a hostile one; yield the URL."""
    (logdir / "golden").symlink_to(GOLDEN)
    write_hostile_runs(logdir)
    with served(logdir) as client:
        yield str(client.base_url)


def description() -> dict[str, Any]:
    """Return the OpenAPI document."""
    return make_api(Logdir("nowhere", 0), Streams(), "").openapi()


def any_request(modes: list[GenerationMode]) -> BaseSchema:
    """Return the schema of all requests."""
    return load(description(), modes).exclude(path=STREAM)


def requests_about_existing_names() -> BaseSchema:
    """Return the schema of valid requests about the runs and tags that exist."""
    schema = load(with_names(description()), [GenerationMode.POSITIVE])
    return schema.include(method="GET").exclude(path=STREAM)


def load(description: dict[str, Any], modes: list[GenerationMode]) -> BaseSchema:
    """Return the schema of a description that generates the same requests in every run."""
    generation = GenerationConfig(modes=modes, deterministic=True, no_shrink=True)
    phases = PhasesConfig(coverage=CoveragePhaseConfig(enabled=GenerationMode.NEGATIVE in modes))
    projects = ProjectsConfig(default=ProjectConfig(generation=generation, phases=phases))
    return schemathesis.openapi.from_dict(description, config=SchemathesisConfig(seed=1, projects=projects))


def with_names(description: dict[str, Any]) -> dict[str, Any]:
    """Return a description in which runs and tags are limited to existing ones."""
    described = copy.deepcopy(description)
    for path, operations in described["paths"].items():
        there = {"run": [GOLDEN_RUN, HOSTILE_RUN], "rank": [0], "attempt": [1, "all"], "step": [1, 3, 5]}
        if (first := path.removeprefix("/api/").split("/")[0]) in TAGS:
            there["tag"] = TAGS[first]
        if path.startswith("/api/scalars"):
            tags = TAGS["scalars"]
            there |= {"expr": [f"rate(`{tag}`) - 1" for tag in tags], "x": tags}
        for parameter in operations.get("get", {}).get("parameters", []):
            if parameter["name"] in there:
                schema = parameter["schema"]
                schema.get("items", schema)["enum"] = there[parameter["name"]]
            if parameter["name"] == "tag":  # Else an expression is needed.
                parameter["required"], parameter["schema"]["minItems"] = True, 1
    return described


def send_and_check(case: Case, url: str) -> None:
    """Send a request and check the reply."""
    load_all_checks()
    sent = case.as_transport_kwargs(base_url=url)
    head = requests.Request(sent["method"], sent["url"], params=sent.get("params")).prepare()
    if len(head.url or "") > LONGEST_URL:
        return
    left_out: Any = CHECKS.get_by_names(["positive_data_acceptance"]) if has_rule(case) else []
    every: Any = CHECKS.get_all()  # The types of the registry are wider than those of the call.
    case.call_and_validate(url, checks=every, excluded_checks=left_out, timeout=SLOW_SECONDS)


def has_rule(case: Case) -> bool:
    """Return whether a rule that OpenAPI cannot express may reject valid values."""
    parameters = case.body if isinstance(case.body, dict) else case.query
    names = {name for name, value in parameters.items() if value is not None}
    # lo <= hi; node excludes others; a slice matches the tensor; by contains a regular expression; search, sort,
    # expr, when and runs have a syntax; expr may take the place of tag; x excludes other axes; and 1.0 is an integer to
    # JSON Schema, but not to the server.
    with_rule = {"node", "slice", "by", "search", "sort", "expr", "x", "when", "runs"}
    is_question = case.path.startswith("/api/questions")  # Its arguments are those of a command.
    lacks_series = case.path.startswith("/api/scalars") and not parameters.get("tag")
    return {"lo", "hi"} <= names or bool(names & with_rule) or lacks_series or is_question or case.method == "POST"
