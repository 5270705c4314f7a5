"""Opens a logdir with MindInsight and prints everything it reads as JSON. Run by the Python with MindInsight.

usage: python mindinsight_sees.py LOGDIR [--out FILE] [--timeout SECONDS]

LOGDIR contains run directories (one level). The JSON has one entry for each run:
  {"scalar": {tag: [[step, value], ...]}, "histogram": {tag: [[step, [[left, width, count], ...]], ...]},
   "image": {tag: [[step, width, height, PNG in base64], ...]},
   "tensor": {tag: [[step, dims, dtype, statistics, elements], ...]},
   "graph": [top-level node names], "landscape": {...}, "lineage": {...}, "dataset_graph": {...}, "integrity": bool}
Tags have the suffixes of MindInsight ("loss/scalar"). It keeps at most 1000 scalars, 50 histograms, 20 tensors and 10
images per tag. Exit status: 0; 1 if a run was not loaded; 2 if MindInsight could not be started.
"""

import argparse
import base64
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

PROGRAMS = Path(sys.executable).parent
POLL_SECONDS = 0.5
STABLE_POLLS = 4


class StartError(Exception):
    """MindInsight did not start."""


class Client:
    """A client of a running MindInsight."""

    def __init__(self, port: int, deadline: float) -> None:
        self._base = f"http://127.0.0.1:{port}/v1/mindinsight/"
        self._deadline = deadline

    def get(self, path: str, **query: str) -> Any:
        """Return the JSON that a GET is answered with, or {"http_error", "body"}."""
        return self._json(urllib.request.Request(f"{self._base}{path}?{urlencode(query)}"))

    def get_bytes(self, path: str, **query: str) -> bytes:
        """Return the body of the reply to a GET request."""
        with urllib.request.urlopen(f"{self._base}{path}?{urlencode(query)}", timeout=60) as reply:
            content: bytes = reply.read()
            return content

    def post(self, path: str, data: Any) -> Any:
        """Return the JSON reply to a POST request with JSON, or {"http_error", "body"}."""
        headers = {"Content-Type": "application/json"}
        return self._json(urllib.request.Request(self._base + path, json.dumps(data).encode(), headers))

    def polls(self) -> Iterator[None]:
        """Yield at intervals until the deadline."""
        while time.monotonic() < self._deadline:
            yield
            time.sleep(POLL_SECONDS)

    def _json(self, request: urllib.request.Request) -> Any:
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as error:
            return {"http_error": error.code, "body": error.read().decode()[:300]}


@contextmanager
def mindinsight(logdir: Path, timeout: float) -> Iterator[Client]:
    """Serve a logdir within the `with` block."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="mindinsight-") as workspace:
        options = ["--summary-base-dir", str(logdir.resolve()), "--workspace", workspace]
        output = call("start", "--port", str(port), "--reload-interval", "1", *options)
        if "success" not in output:
            raise StartError(output)
        try:
            yield Client(port, time.monotonic() + timeout)
        finally:
            call("stop", "--port", str(port))


def call(*arguments: str) -> str:
    """Run the mindinsight command, which looks up its programs in PATH; return its output."""
    environment = {**os.environ, "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"}
    command = [str(PROGRAMS / "mindinsight"), *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    return done.stdout + done.stderr


def everything(client: Client) -> "dict[str, Any]":
    """Return what MindInsight reads of each run; {"not_loaded": status} for a run that it did not load."""
    lineages = {}
    runs = [job["train_id"] for job in listed_jobs(client)]
    for entry in client.post("lineagemgr/lineages", {}).get("object", []):
        lineages[entry["summary_dir"]] = entry.get("model_lineage")
    return {run.removeprefix("./"): {**read_run(client, run), "lineage": lineages.get(run)} for run in runs}


def listed_jobs(client: Client) -> "list[dict[str, Any]]":
    """Return the runs, once MindInsight has scanned the directory."""
    jobs: list[dict[str, Any]] = []
    for _ in client.polls():
        reply = client.get("datavisual/train-jobs", limit="500")
        jobs = reply.get("train_jobs", [])
        if jobs and reply.get("load_status") == "loaded":
            break
    return jobs


def read_run(client: Client, run: str) -> "dict[str, Any]":
    """Return what MindInsight reads of a run, once that no longer changes."""
    job, plugins = loaded(client, run)
    if job.get("cache_status") != "CACHED":
        return {"not_loaded": job.get("cache_status")}
    view = View(client, run)
    return {
        "integrity": job["is_integrity"],
        "plugins": plugins,
        "scalar": {tag: view.scalars(tag) for tag in plugins.get("scalar", [])},
        "histogram": {tag: view.histograms(tag) for tag in plugins.get("histogram", [])},
        "image": {tag: view.images(tag) for tag in plugins.get("image", [])},
        "tensor": {tag: view.tensors(tag) for tag in plugins.get("tensor", [])},
        "graph": view.nodes(plugins["graph"][0]) if plugins.get("graph") else [],
        "landscape": view.landscapes() if plugins.get("loss_landscape") else {},
        "dataset_graph": view.get("datasets/dataset_graph").get("dataset_graph"),
    }


def loaded(client: Client, run: str) -> "tuple[dict[str, Any], dict[str, list[str]]]":
    """Request that MindInsight loads a run; return (job, tags by plugin)."""
    client.post("datavisual/train-job-caches", {"train_ids": [run]})
    job: dict[str, Any] = {}
    plugins: dict[str, list[str]] = {}
    stable_polls = 0
    for _ in client.polls():
        job = next(iter(client.get("datavisual/train-jobs", train_id=run)["train_jobs"]), {})
        current = client.get("datavisual/plugins", train_id=run, manual_update="true").get("plugins", {})
        stable_polls = stable_polls + 1 if job.get("cache_status") == "CACHED" and current == plugins else 0
        plugins = current
        if stable_polls == STABLE_POLLS:
            break
    return job, plugins


class View:
    """What MindInsight reads of one run."""

    def __init__(self, client: Client, run: str) -> None:
        self._client, self._run = client, run

    def get(self, path: str, **query: str) -> Any:
        """Return the reply to a GET about this run."""
        return self._client.get(path, train_id=self._run, **query)

    def scalars(self, tag: str) -> "list[list[Any]]":
        """Return [step, value] of each point."""
        points = self.get("datavisual/scalar/metadata", tag=tag).get("metadatas", [])
        return [[point["step"], point["value"]] for point in points]

    def histograms(self, tag: str) -> "list[list[Any]]":
        """Return [step, [[left, width, count], ...]] of each point."""
        points = self.get("datavisual/histograms", tag=tag).get("histograms", [])
        return [[point["step"], point["buckets"]] for point in points]

    def images(self, tag: str) -> "list[list[Any]]":
        """Return [step, width, height, PNG in base64] of each point."""
        points = self.get("datavisual/image/metadata", tag=tag).get("metadatas", [])
        return [[point["step"], point["width"], point["height"], self._picture(tag, point["step"])] for point in points]

    def _picture(self, tag: str, step: int) -> str:
        query = {"train_id": self._run, "tag": tag, "step": str(step)}
        return base64.b64encode(self._client.get_bytes("datavisual/image/single-image", **query)).decode()

    def tensors(self, tag: str) -> "list[list[Any]]":
        """Return [step, dims, dtype, statistics, elements] of each point."""
        return [
            [step, value["dims"], value["data_type"], value.get("statistics"), self._elements(tag, step, value["dims"])]
            for step, value in self._tensors(tag=tag, detail="stats")
        ]

    def _tensors(self, **query: str) -> "list[tuple[int, Any]]":
        replies = self.get("datavisual/tensors", **query).get("tensors", [])
        return [(point["step"], point["value"]) for reply in replies for point in reply["values"]]

    def _elements(self, tag: str, step: int, dims: "list[int]") -> Any:
        """Return the elements of the last two dimensions as nested lists, at index 0 of all others."""
        slices = ["0"] * (len(dims) - 2) + [":"] * min(len(dims), 2)
        points = self._tensors(tag=tag, detail="data", step=str(step), dims=f"[{','.join(slices)}]")
        return points[0][1].get("data") if points else None

    def nodes(self, tag: str) -> "list[str]":
        """Return the names of the top-level nodes of a graph."""
        return [node["name"] for node in self.get("datavisual/graphs/nodes", tag=tag).get("nodes", [])]

    def landscapes(self) -> "dict[str, Any]":
        """Return the final landscape, and [interval, landscapes] of each interval."""
        intervals = self.get("datavisual/landscape/intervals").get("intervals", [])
        return {
            "final": self._landscapes(type="final"),
            "intervals": [
                [interval["value"], self._landscapes(type="interval", interval_id=interval["id"])]
                for interval in intervals
            ],
        }

    def _landscapes(self, **query: str) -> Any:
        return self.get("datavisual/landscape/landscapes", **query).get("landscapes")


def main() -> int:
    """Print what MindInsight reads."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("logdir", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--timeout", type=float, default=120)
    options = parser.parse_args()
    try:
        with mindinsight(options.logdir, options.timeout) as client:
            result = everything(client)
    except (OSError, StartError) as error:
        print(f"mindinsight_sees: {error}", file=sys.stderr)
        return 2
    text = json.dumps(result, indent=1)
    if options.out:
        options.out.write_text(text)
    else:
        print(text)
    return 0 if result and not any("not_loaded" in run for run in result.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
