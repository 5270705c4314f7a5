"""Several places that are served as one logdir."""

from pathlib import Path

import pytest
from support import http
from support.event_files import loss_run
from support.s3_server import BUCKET, s3_server
from support.servers import run, start, stop, wait_until

from toposcope import server
from toposcope.server.places.addresses import parse_places, resolved, text_of


def steps(url: str, run: str) -> list[int]:
    """Return the steps of the loss of a run."""
    reply = http.get(f"{url}api/scalars", params={"run": run, "tag": "loss"})
    return [step for series in reply.json()["series"] for step in series["step"]] if reply.status_code == 200 else []


def test_several_places_are_one_logdir(tmp_path: Path) -> None:
    """Runs begin with the names of their places and are followed live, also while one of the places is unreachable."""
    loss_run(tmp_path / "local" / "one", range(3))
    with s3_server() as store:
        store.put_tree(loss_run(tmp_path / "remote" / "two", range(4)).parent, "team/two")
        places = [f"mine={tmp_path}/local", f"later={tmp_path}/later", f"team=s3://{BUCKET}/team"]
        more = [argument for place in places[1:] for argument in ("--logdir", place)]
        process, url = start(places[0], *more, "--reload-interval", "0.2", "--workers", "2", **store.environment)
        wait_until(lambda: steps(url, "mine/one") == [0, 1, 2] and steps(url, "team/two") == [0, 1, 2, 3])
        loss_run(tmp_path / "later", range(2))
        wait_until(lambda: steps(url, "later") == [0, 1])
    problems = wait_until(lambda: http.get(f"{url}api/health").json()["problems"])
    assert list(problems) == [f"s3://{BUCKET}/team"]
    loss_run(tmp_path / "local" / "one", range(3, 6), seconds=2)
    wait_until(lambda: len(steps(url, "mine/one")) == 6)
    runs = {run["run"]: run["stale"] for run in http.get(f"{url}api/runs").json()["runs"]}
    stop(process)
    assert runs.keys() == {"later", "mine/one", "team/two"}
    assert [run for run, stale in runs.items() if stale] == ["team/two"]


def test_python_api_reads_several_places(tmp_path: Path) -> None:
    """Names of runs begin with those of the mapping; the index is that of the single directories."""
    loss_run(tmp_path / "a" / "run", range(3))
    loss_run(tmp_path / "b", range(4))
    with server.open({"x": tmp_path / "a", "y": tmp_path / "b"}, index_dir=tmp_path / "index") as logdir:
        assert list(logdir.runs) == ["x/run", "y"]
        assert list(logdir.runs["x/run"].scalars("loss").step) == [0, 1, 2]
    with pytest.raises(FileNotFoundError, match="missing"):
        server.open({"x": tmp_path / "missing"})
    with pytest.raises(ValueError, match="is inside"):
        server.open({"x": tmp_path, "y": tmp_path / "a"})


def test_one_logdir_may_contain_an_equals_sign(tmp_path: Path) -> None:
    """Directories are often named after parameters; only an address of a store, or several places, need a name."""
    assert parse_places(["runs/lr=0.1"]) == "runs/lr=0.1"
    assert parse_places(["lr=0.1"]) == "lr=0.1"
    assert parse_places(["team=s3://bucket/a=b"]) == {"team": "s3://bucket/a=b"}
    assert parse_places(["a=x", "b=y=z"]) == {"a": "x", "b": "y=z"}
    text = text_of({"b": str(tmp_path), "a": "s3://bucket/runs/"})
    assert text == f"a=s3://bucket/runs b={tmp_path.resolve()}"
    assert resolved(text) == text


@pytest.mark.parametrize(
    ("places", "message"),
    [
        (["runs", "b=other"], "'runs' is one of several logdirs and has no name: expected NAME=PLACE"),
        (["a=runs", "a=other"], "two logdirs have the name 'a'"),
        (["a/b=runs", "c=other"], "'a/b=runs' is one of several"),
        (["a=runs", "b=runs/below"], "is inside a="),
        (["a=runs", "b=./runs/"], "is inside"),
    ],
)
def test_invalid_places_are_one_line(places: list[str], message: str) -> None:
    """The error names the argument and what was expected."""
    ended = run("--port", "0", *[argument for place in places for argument in ("--logdir", place)])
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert message in ended.stderr
