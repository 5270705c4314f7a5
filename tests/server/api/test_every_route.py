"""A process of summary-server replies to a request of every route as a server in the process of the tests does."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from support.event_files import GOLDEN
from support.server_in_process import served
from support.servers import SLOW_SECONDS, start, stop, wait_until

from toposcope.recorder import SummaryWriter
from toposcope.server.api.updates import Streams
from toposcope.server.app import make_api
from toposcope.server.loading.logdir import Logdir

MEDIA = Path(__file__).parent / "tensorboard_media/run"
RUN = "golden/mindspore/digits_momentum"
OF_RUN = {"run": RUN}
SCALARS = {"tag": ["loss/auto"]}
ACCURACY = {"metric": "accuracy"}
LANDSCAPE = {"run": RUN, "tag": "landscape_[1, 4]"}
VIEW = {"page": "scalars", "address": "#scalars", "workspace": None, "base": None}
ALERT_RULE = {"when": "loss/auto > 1"}
EMBEDDING = {"run": "spatial", "name": "words"}
MESH = {"run": "spatial", "tag": "shape"}
SAMPLES = {"run": "spatial", "tag": "completions/text_summary", "step": 1}
QUERIES: dict[str, dict[str, Any]] = {
    "scalars": SCALARS,
    "scalars.csv": SCALARS,
    "scalars/groups": SCALARS,
    "histograms": {"run": RUN, "tag": "conv1.weight/auto"},
    "images": {"run": RUN, "tag": "input"},
    "audio": {"run": "media", "tag": "voice/sine"},
    "pr_curves": {"run": "media", "tag": "val/curve"},
    "tensors": {"run": RUN, "tag": "logits"},
    "tensors/data": {"run": RUN, "tag": "logits"},
    "text": {"run": "golden/tensorboard/keras/custom", "tag": "words"},
    "samples": SAMPLES,
    "samples/sample": {**SAMPLES, "key": "q"},
    "embeddings": {"run": "spatial"},
    **dict.fromkeys(("embeddings/projection", "embeddings/sprite"), EMBEDDING),
    "embeddings/reduction": {**EMBEDDING, "method": "umap"},
    "embeddings/column": {**EMBEDDING, "column": 0},
    "embeddings/points": {**EMBEDDING, "row": 0},
    "embeddings/neighbours": {**EMBEDDING, "row": 0},
    "embeddings/search": {**EMBEDDING, "text": "a"},
    "meshes": MESH,
    "meshes/geometry": {**MESH, "step": 1},
    "importance": ACCURACY,
    **dict.fromkeys(("notes", "undrawn", "graphs", "graphs/nodes", "graphs/counts", "lineage/dataset"), OF_RUN),
    "questions/{name}": {"argument": ["--json", "--limit", "2"]},
    **dict.fromkeys(("console", "environment", "code", "files"), OF_RUN),
    **dict.fromkeys(("landscapes", "landscapes.html", "landscapes.csv", "landscapes.vtp"), LANDSCAPE),
    **dict.fromkeys(("landscapes.npz", "landscapes/losses"), LANDSCAPE),
    "landscapes.vti": LANDSCAPE,
}
BODIES: dict[str, dict[str, Any]] = {
    "PUT notes": {"alias": "x"},
    "POST notes": {"changes": [{"runs": [RUN], "change": {"alias": "x"}}]},
    "PUT runs/{run}/notes": {"alias": "x"},
    "POST scalars": SCALARS,
    "POST scalars/groups": SCALARS,
    "POST importance": ACCURACY,
    "PUT views/{name}": VIEW,
    "PUT default-view": {"name": "kept"},
    "POST links": {"address": "#scalars"},
    "POST alerts/acknowledged": {"ids": ["x"]},
    "POST embeddings/rows.csv": {**EMBEDDING, "rows": [0]},
    "POST embeddings/reduction": {**EMBEDDING, "method": "umap"},
    "PUT alerts/muted": {"run": RUN, "is_muted": True},
    "PUT alerts/rules/{name}": ALERT_RULE,
}
IN_A_REPLY = {"images/data": ("images", "images"), "audio/data": ("audio", "clips")}
"""Routes whose addresses are in the replies of others: of which, and under which name."""
DIFFERENT = {
    "/metrics",
    "health",
    "updates",
    "notes",
    "runs/{run}/notes",
    "alerts",
    "alerts/muted",
    "alerts/rules/{name}",
    "views",
    "views/{name}",
    "default-view",
    "landscapes.html",
}
"""Routes whose replies contain times, counts, what other tests store, or a random name."""
REFUSED = {("GET", "embeddings/reduction"): 409}
"""Requests for what nothing has computed."""
OPERATIONS = [
    (method.upper(), path.removeprefix("/api/"))
    for path, operations in make_api(Logdir("nowhere", 0), Streams(), "").openapi()["paths"].items()
    for method in operations
]


@pytest.fixture(scope="module")
def clients(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[httpx.Client]]:
    """Serve the same runs by a process and in this one."""
    logdir = tmp_path_factory.mktemp("logdir")
    (logdir / "golden").symlink_to(GOLDEN)
    (logdir / "media").symlink_to(MEDIA)
    with SummaryWriter(str(logdir / "spatial")) as writer:
        writer.add_embedding(np.eye(3), ["a", "b", "c"], np.zeros((3, 1, 2, 2)), 1, "words")
        writer.add_mesh("shape", np.zeros((1, 4, 3)), global_step=1)
        writer.add_text("completions", '{"prompt": "q", "completion": "a"}', 1)
    process, url = start(logdir, "--data-dir", str(tmp_path_factory.mktemp("data")))
    with (
        httpx.Client(base_url=url, timeout=SLOW_SECONDS) as client,
        served(logdir, "--data-dir", str(tmp_path_factory.mktemp("data"))) as other,
    ):
        wait_until(lambda: not client.get("api/health").json()["loading"])
        yield [client, other]
    stop(process)


def send(client: httpx.Client, method: str, route: str) -> tuple[httpx.Response, bytes]:
    """Send a request; return the reply, and its content, of an event stream the first line."""
    path, query = route.replace("{run}", RUN), QUERIES.get(route, {})
    path = path if path.startswith("/") else f"api/{path}"
    if route in IN_A_REPLY:
        listing, name = IN_A_REPLY[route]
        path, query = client.get(f"api/{listing}", params=QUERIES[listing]).json()[name][0]["url"], {}
    elif route == "views/{name}":
        path = f"api/views/{method}"
        if method != "PUT":
            stored = client.put(path, json=VIEW).json()
            query = {"base": stored["version"]} if method == "DELETE" else {}
    elif route == "alerts/rules/{name}":
        path = f"api/alerts/rules/{method}"
        if method != "PUT":
            client.put(path, json=ALERT_RULE).raise_for_status()
    elif route == "questions/{name}":
        path = "api/questions/runs"
    elif route == "default-view":
        client.put("api/views/kept", json=VIEW)
    elif route == "links/{id}":
        path = f"api/links/{client.post('api/links', json={'address': '#scalars'}).json()['id']}"
    body = BODIES.get(f"{method} {route}", {}) if method in ("POST", "PUT") else None
    with client.stream(method, path, params=None if "?" in path else query, json=body) as reply:
        return reply, next(reply.iter_raw()) if route == "updates" else reply.read()


@pytest.mark.parametrize(("method", "route"), OPERATIONS)
def test_a_process_replies_as_the_server_of_the_tests(method: str, route: str, clients: list[httpx.Client]) -> None:
    """Status and type are equal, and the content, in which revisions are of one server."""
    (one, content), (other, expected) = (send(client, method, route) for client in clients)

    assert (one.status_code, one.headers.get("content-type")) == (other.status_code, other.headers.get("content-type"))
    assert one.is_success or one.status_code == REFUSED.get((method, route)), content
    if route not in DIFFERENT:
        contents = [re.sub(rb'"revision":\d+', b"", each) for each in (content, expected)]
        assert contents[0] == contents[1]
