"""A client that has the series of an earlier reply is sent only what is new."""

import asyncio
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import ASGIApp
from support.documentation import examples
from support.event_files import NAME, loss_run, scalar_event, version_event, write_run
from support.servers import Serve, wait_until

from toposcope.server.api.updates import Streams
from toposcope.server.app import make_api
from toposcope.server.loading.logdir import Logdir


def test_series_that_have_not_changed_are_left_out(serve: Serve, tmp_path: Path) -> None:
    """With a revision, the reply contains the series of runs that have changed since then."""
    for run in ("a", "b"):
        path = write_run(tmp_path / run, [scalar_event(100, 1, {"loss": 0.5})])
    live = serve(tmp_path)
    revision = live.get("/api/scalars?tag=loss").json()["revision"]
    assert live.get(f"/api/scalars?tag=loss&since={revision}").status_code == 304
    with path.open("ab") as file:
        file.write(scalar_event(101, 2, {"loss": 0.25}))
    url = f"/api/scalars?tag=loss&since={revision}"
    reply = wait_until(lambda: (reply := live.get(url)).status_code == 200 and reply.json())
    assert reply["since"] == revision
    assert [(series["run"], series["value"]) for series in reply["series"]] == [("b", [0.5, 0.25])]
    assert live.get("/api/scalars?tag=loss").json()["since"] is None


@pytest.mark.parametrize("workers", ["1", "2"])
def test_revisions_of_another_server_are_unknown(serve_process: Serve, tmp_path: Path, workers: str) -> None:
    """A server that was started again does not take a revision of its predecessor for one of its own."""
    run = loss_run(tmp_path / "a", range(3))
    first = serve_process(tmp_path, "--workers", workers)
    paths = ("scalars?tag=loss", "scalars/groups?tag=loss", "overview?metric=loss")
    revisions = {path: first.get(f"/api/{path}").json()["revision"] for path in paths}
    for path, revision in revisions.items():
        assert first.get(f"/api/{path}&since={revision}").status_code == 304
    with run.open("ab") as file:
        file.write(scalar_event(9, 9, {"loss": 0.25}))
    second = serve_process(tmp_path, "--workers", workers)
    for path, revision in revisions.items():
        for _ in range(4):  # Of several workers.
            reply = second.get(f"/api/{path}&since={revision}", headers={"Connection": "close"})
            assert reply.status_code == 200
            assert reply.json().get("since") is None


def documented_client() -> Any:
    """Return the class of the documentation that follows series."""
    [block] = [block for block in examples("http_api.md", "Only what is new") if "class Series" in block]
    names: dict[str, Any] = {}
    exec(block, names)
    return names["Series"]


Series = documented_client()


class Client:
    """Posts requests to an application in this process."""

    def __init__(self, app: ASGIApp) -> None:
        self._transport = httpx.ASGITransport(app)

    def post(self, path: str, json: dict[str, Any]) -> httpx.Response:
        """Return the reply."""

        async def send() -> httpx.Response:
            async with httpx.AsyncClient(transport=self._transport, base_url="http://localhost") as client:
                return await client.post(path, json=json)

        return asyncio.run(send())


class GrowingRuns:
    """Event files of some runs and ranks, and a server without a process: it loads when load() is called."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.logdir = Logdir(str(folder), 0)
        self.client = Client(make_api(self.logdir, Streams(), "", read_only=True))
        self._files: dict[tuple[str, int], Path] = {}
        self._steps: dict[tuple[str, int], int] = {}
        self._time = 100

    def append(self, run: str, rank: int, points: list[tuple[int, float]]) -> None:
        """Append points, whose steps are relative to the last one of the file."""
        key = run, rank
        if key not in self._files:
            self._begin(key)
        with self._files[key].open("ab") as file:
            for distance, value in points:
                self._time += 1
                self._steps[key] += distance
                file.write(scalar_event(self._time, self._steps[key], {"loss": value, "twice": 2 * value}))

    def restart(self, run: str, rank: int, back: int, points: list[tuple[int, float]]) -> None:
        """Begin another file some steps before the last one, and append points."""
        self._begin((run, rank))
        self._steps[run, rank] = max(0, self._steps[run, rank] - back)
        self.append(run, rank, points)

    def replace(self, run: str, rank: int, points: list[tuple[int, float]]) -> None:
        """Write the last file again, from its beginning."""
        if (run, rank) in self._files:
            self._files[run, rank].write_bytes(version_event(self._time))
            self.append(run, rank, points)

    def remove(self, run: str, rank: int, points: object) -> None:
        """Remove a run."""
        shutil.rmtree(self.folder / run, ignore_errors=True)
        self._files = {key: path for key, path in self._files.items() if key[0] != run}

    def _begin(self, key: tuple[str, int]) -> None:
        self._time += 10
        run, rank = key
        (self.folder / run).mkdir(exist_ok=True)
        self._files[key] = self.folder / run / NAME.format(seconds=self._time, rank=rank)
        self._files[key].write_bytes(version_event(self._time))
        self._steps.setdefault(key, 0)

    def load(self) -> None:
        """Load what is new."""
        self.logdir.walk_soon()
        self.logdir.step()

    def everything(self, query: dict[str, Any]) -> dict[tuple[str, str, int], Any] | None:
        """Return what a client without any series is sent, by tag, run and rank; None if there is nothing."""
        reply = self.client.post("/api/scalars", json=query)
        if reply.status_code == 404:
            return None
        return by_name(reply.raise_for_status().json()["series"])


def by_name(series: list[Any]) -> dict[tuple[str, str, int], Any]:
    """Return series by tag, run and rank, without what differs between whole and partial replies."""
    named = {(each["tag"], each["run"], each["rank"]): each for each in series}
    return {
        key: {name: part for name, part in each.items() if name not in ("kept", "cursor")}
        for key, each in named.items()
    }


@contextmanager
def growing_runs() -> Iterator[GrowingRuns]:
    """Return runs in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        runs = GrowingRuns(Path(folder))
        try:
            yield runs
        finally:
            runs.logdir.stop_loading()


IN_ORDER = st.lists(st.tuples(st.integers(1, 3), st.floats(width=32)), min_size=1, max_size=30)
ANY_ORDER = st.lists(st.tuples(st.integers(-3, 5), st.floats()), max_size=5)
WHERE = (st.sampled_from("aaab"), st.sampled_from([0, 0, 0, 1]))
CHANGES = st.one_of(
    st.tuples(st.just("append"), *WHERE, IN_ORDER | ANY_ORDER),
    st.tuples(st.just("append"), *WHERE, IN_ORDER),
    st.tuples(st.just("restart"), *WHERE, st.integers(0, 20), IN_ORDER),
    st.tuples(st.just("replace"), *WHERE, IN_ORDER),
    st.tuples(st.just("remove"), *WHERE, st.none()),
)
QUERIES = st.fixed_dictionaries(
    {"tag": st.sampled_from([["loss"], ["loss", "twice"]]), "points": st.sampled_from([0, 4, 10, 1000])},
    optional={
        "run": st.just(["b", "a", "none"]),
        "rank": st.sampled_from(["all", 1]),
        "attempt": st.sampled_from(["all", 1, 2]),
        "axis": st.sampled_from(["wall_time", "relative", "active", "relative_step"]),
        "scale": st.just("log"),
        "smooth": st.sampled_from(["ema:0.9", "time:5", "median:5", "auto"]),
        "column": st.sampled_from([["value"], ["step", "smoothed"], ["wall_time", "step"]]),
        "lo": st.just(5.0),
        "hi": st.just(40.0),
    },
)


@given(QUERIES, st.lists(CHANGES, min_size=3, max_size=12))
def test_client_that_follows_has_what_a_whole_reply_contains(query: dict[str, Any], changes: list[Any]) -> None:
    """Whatever happens to the files: appended points, restarts, other ranks, steps out of order, removed runs."""
    with growing_runs() as runs:
        follower = Series(runs.client, **query)
        for name, run, rank, *how in changes:
            getattr(runs, name)(run, rank, *how)
            runs.load()
            expected = runs.everything(query)
            if expected is None:
                with pytest.raises(httpx.HTTPStatusError, match="404"):
                    follower.update()
            else:
                follower.update()
                assert by_name(follower.series.values()) == expected


@given(QUERIES, QUERIES, IN_ORDER, IN_ORDER)
def test_cursors_of_another_query_are_harmless(
    query: dict[str, Any], other: dict[str, Any], before: list[Any], after: list[Any]
) -> None:
    """A client that changes its query has what a whole reply contains, if it drops what it requests no longer."""
    with growing_runs() as runs:
        runs.append("a", 0, [(1, 0.5), *before])
        runs.load()
        follower = Series(runs.client, **query)
        if runs.everything(query) is None:
            return
        follower.update()
        runs.append("a", 0, after)
        runs.load()
        follower.query, follower.revision = other, None
        expected = runs.everything(other)
        if expected is not None:
            follower.update()
            assert by_name(follower.series.values()) == expected


@pytest.mark.parametrize(("points", "sent"), [(0, 2), (1000, 2), (100, 6)])
@pytest.mark.parametrize("smooth", [None, "ema:0.9"])
def test_one_new_point_is_sent_alone(points: int, sent: int, smooth: str | None) -> None:
    """With the last one before, which a point of the same step would replace; of long series, with its bucket."""
    random = np.random.default_rng(0)
    query = {"tag": ["loss"], "points": points, "smooth": smooth}
    with growing_runs() as runs:
        runs.append("a", 0, [(1, value) for value in random.normal(size=700)])
        runs.load()
        held = runs.client.post("/api/scalars", json=query).json()
        whole = 0
        for _ in range(100):
            runs.append("a", 0, [(1, random.normal())])
            runs.load()
            cursors = [series["cursor"] for series in held["series"]]
            since = held["revision"]
            held = runs.client.post("/api/scalars", json={**query, "since": since, "cursor": cursors}).json()
            [series] = held["series"]
            whole += len(series["value"]) > sent
        assert whole <= 1  # Once the buckets become larger.


def test_series_that_changes_before_its_end_is_sent_again() -> None:
    """A restart hides points, a file is written again, a step is out of order: the client keeps nothing."""
    with growing_runs() as runs:
        query = {"tag": ["loss"], "points": 0}
        follower = Series(runs.client, **query)
        changes = {
            "restart": lambda: runs.restart("a", 0, 20, [(1, 0.25)] * 40),
            "replace": lambda: runs.replace("a", 0, [(1, 0.125)] * 60),
            "append": lambda: runs.append("a", 0, [(-50, 4.0)]),
        }
        runs.append("a", 0, [(1, float(step)) for step in range(50)])
        for change in (lambda: None, *changes.values()):
            change()
            runs.load()
            follower.update()
            [series] = follower.series.values()
            assert series["kept"] == 0
            assert by_name(follower.series.values()) == runs.everything(query)


def test_cursors_are_valid_for_the_next_server(serve: Serve, serve_process: Serve, tmp_path: Path) -> None:
    """Nothing is kept for them: a server that was started again sends the new points only, and so does any worker."""
    run = loss_run(tmp_path / "a", range(50))
    follower = Series(serve(tmp_path), tag=["loss"])
    follower.update()
    with run.open("ab") as file:
        file.write(scalar_event(99, 50, {"loss": 0.25}))
    follower.client = serve_process(tmp_path, "--workers", "2")
    follower.update()
    [series] = follower.series.values()
    assert (series["kept"], series["step"]) == (49, [*range(51)])
    assert by_name([series]) == by_name(follower.client.get("/api/scalars?tag=loss").json()["series"])


def test_cursors_are_checked(serve: Serve, tmp_path: Path) -> None:
    """Text that is no cursor is refused; a cursor that fits nothing is ignored."""
    loss_run(tmp_path / "a", range(3))
    client = serve(tmp_path)
    assert client.get("/api/scalars?tag=loss&cursor=abc").status_code == 422
    [series] = client.get(f"/api/scalars?tag=loss&cursor={'A' * 24}").json()["series"]
    assert (series["kept"], series["step"]) == (0, [0, 1, 2])
