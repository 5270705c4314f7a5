"""Uses Toposcope with every extra, as people do: records, serves, requests, exports, computes landscapes, stores.

python tests/release/use_everything.py FOLDER

It needs moto beside the extras, for an object store. Run with the oldest and the newest dependencies by make release.
"""

import gzip
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import numpy as np
import pyarrow
from support.bowl_network import bowl_callback, train_bowl
from support.line_network import Line
from support.s3_server import S3Server, s3_server

import toposcope.server
from toposcope.recorder import SummaryRecord, custom_lineage, eval_lineage
from toposcope.recorder.checkpoints import load_checkpoint, restore, save_checkpoint
from toposcope.recorder.collecting.machine.gpus import gpus_of
from toposcope.recorder.landscapes import SummaryLandscape

SCRIPTS = Path(sys.executable).parent
RUNS = 12
LANDSCAPE = "landscape_[1, 12]"


def summary_server(*arguments: str | Path, **variables: str) -> str:
    """Run a command of summary-server that ends; return what it prints."""
    return subprocess.run(
        [SCRIPTS / "summary-server", *arguments], check=True, stdout=subprocess.PIPE, text=True, env=variables or None
    ).stdout


@contextmanager
def serving(folder: Path, logdir: Path | str, *options: str, **variables: str) -> Iterator[Callable[..., bytes]]:
    """Serve a logdir; yield a function that sends a request and returns the content of the reply."""
    command: list[str | Path] = [
        SCRIPTS / "summary-server",
        "--logdir",
        logdir,
        "--port",
        "0",
        "--index-dir",
        folder / "index",
    ]
    with subprocess.Popen(
        [*command, "--data-dir", folder / "data", *options], stdout=subprocess.PIPE, text=True, env=variables or None
    ) as process:
        try:
            assert process.stdout is not None
            address = re.search(r"http://\S+/", process.stdout.readline())
            assert address

            def request(path: str, method: str = "GET", body: Any = None, accept: str = "*/*", **query: Any) -> bytes:
                headers = {"Accept": accept, "Accept-Encoding": "gzip", "Content-Type": "application/json"}
                data = None if body is None else json.dumps(body).encode()
                url = f"{address[0]}{path}?{urlencode(query, doseq=True)}"
                with urlopen(Request(url, data, headers, method=method), timeout=300) as reply:
                    content: bytes = reply.read()
                    return gzip.decompress(content) if reply.headers["Content-Encoding"] == "gzip" else content

            while json.loads(request("api/health"))["loading"]:
                assert process.poll() is None
            yield request
        finally:
            process.terminate()


def record_sweep(place: str) -> None:
    """Record runs with every kind of value whose accuracy depends on a hyperparameter."""
    for number in range(RUNS):
        with SummaryRecord(f"{place}/sweep/{number}") as recorder:
            recorder.add_value("custom_lineage_data", "custom", custom_lineage({"rate": number / RUNS}))
            recorder.add_value("eval_lineage", "eval", eval_lineage({"accuracy": number / RUNS}))
            for step in range(100):
                recorder.add_value("scalar", "loss", 1 / (step + number + 1))
                recorder.record(step)
            recorder.add_value("tensor", "tensor", np.arange(6).reshape(2, 3))
            recorder.add_value("histogram", "histogram", np.linspace(-1, 1, 100))
            recorder.add_value("image", "image", np.zeros((1, 3, 8, 8)))
            recorder.add_value("text", "text", "A *word*.")
            recorder.record(100)


def save_checkpoints(folder: Path) -> None:
    """Save and load a network in each format."""
    key = bytes(32)
    for name, used in (("a.npz", None), ("b.safetensors", None), ("c.ckpt", key)):
        save_checkpoint(Line(), folder / name, enc_key=used)
        restore(load_checkpoint(folder / name, used), Line())


def request_everything(request: Callable[..., bytes]) -> None:
    """Request what pages request, in each form, and change notes and views."""
    get = partial(request, "api/scalars", tag="loss", run="sweep/3")
    assert len(json.loads(get(points=0))["series"][0]["value"]) == 100
    assert len(json.loads(get(points=20))["series"][0]["value"]) <= 40
    assert get(accept="application/cbor")[0] >> 5 == 5
    assert len(json.loads(request("api/runs", search="sweep rate>0.5"))["runs"]) == 5
    assert json.loads(request("api/images", tag="image", run="sweep/3"))
    assert json.loads(request("api/tensors", tag="tensor", run="sweep/3"))
    assert json.loads(request("api/importance", metric="accuracy"))
    assert b"<html" in request("api/landscapes.html", run="landscape", tag=LANDSCAPE)
    request("api/runs/sweep/3/notes", "PUT", {"alias": "third"})
    assert b"third" in request("api/notes")
    request("api/views/mine", "PUT", {"page": "scalars", "address": "#scalars", "base": None})
    assert json.loads(request("api/openapi.json"))["paths"]
    assert b"# TYPE" in request("metrics")


def export_everything(runs: Path, folder: Path) -> None:
    """Use the commands that need no server, and the API of Python."""
    assert "sweep/3" in summary_server("inspect", runs)
    for number, options in enumerate(([], ["--parquet"])):
        summary_server("export", runs, "--out", folder / f"export{number}", *options)
    summary_server("compact", runs, "--out", folder / "lake")
    summary_server("index", runs, "--index-dir", folder / "indexed", "--on", "processes:2")
    (file,) = (runs / "sweep" / "3").glob("*_MS")
    summary_server("repair", file, "--out", folder / file.name)
    with toposcope.server.open(runs) as logdir:
        series = logdir.runs["sweep/3"].scalars("loss")
        assert pyarrow.RecordBatchReader.from_stream(series).read_all().num_rows == len(series.step) == 100


def use_store(folder: Path, store: S3Server) -> None:
    """Record to an object store and serve what is there, with notes in it."""
    variables = {**os.environ, **store.environment, "TOPOSCOPE_SPOOL": str(folder / "spool")}
    program = f"import sys; sys.path.append({str(Path(__file__).parent)!r}); import use_everything as use"
    subprocess.run([sys.executable, "-c", f"{program}; use.record_sweep('s3://runs/a')"], check=True, env=variables)
    with serving(folder, "s3://runs/a", "--data-dir", "s3://runs/data", **variables) as request:
        assert len(json.loads(request("api/scalars", tag="loss", points=0))["series"]) == RUNS
        request("api/runs/sweep/3/notes", "PUT", {"alias": "third"})


def main() -> None:
    """Use everything once; an assertion or an exception says what does not work."""
    folder = Path(sys.argv[1])
    runs = folder / "runs"
    folder.mkdir()
    gpus_of({})
    save_checkpoints(folder)
    record_sweep(str(runs))
    train_bowl(runs / "landscape")
    SummaryLandscape(str(runs / "landscape")).gen_landscapes_with_multi_process(bowl_callback(), device_ids=[0, 1])
    for workers in ("1", "2"):
        with serving(folder / workers, runs, "--workers", workers) as request:
            request_everything(request)
    export_everything(runs, folder)
    with s3_server() as store:
        use_store(folder / "store", store)


if __name__ == "__main__":
    main()
