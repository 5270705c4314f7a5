"""GET /api/console, /api/environment and /api/code."""

from pathlib import Path

import httpx
import pytest
from support.event_files import scalar_event, write_run
from support.servers import Serve, wait_until

from toposcope.proto.framing import frame
from toposcope.proto.summary_pb2 import Code, ConsoleOutput, Environment, Event
from toposcope.server.api.recorded.code import CodeVersions
from toposcope.server.api.recorded.console import ConsoleLines
from toposcope.server.api.recorded.environment import Environments

OUT, ERR = ConsoleOutput.STREAM_STDOUT, ConsoleOutput.STREAM_STDERR


def output(wall_time: float, *texts: str, stream: "ConsoleOutput.Stream" = OUT, dropped: int = 0) -> bytes:
    """Return the record of lines."""
    message = ConsoleOutput(dropped_lines=dropped) if dropped else ConsoleOutput()
    for text in texts:
        message.lines.add(wall_time=wall_time, stream=stream, text=text)
    return frame(Event(wall_time=wall_time, console=message).SerializeToString())


def environment(wall_time: float, **facts: str) -> bytes:
    """Return the record of an environment."""
    message = Environment()
    for name, fact in facts.items():
        message.facts.add(name=name, value=fact)
    message.packages.add(name="numpy", value="2.0")
    return frame(Event(wall_time=wall_time, environment=message).SerializeToString())


def code(wall_time: float, **fields: object) -> bytes:
    """Return the record of a version of the code."""
    return frame(Event(wall_time=wall_time, code=Code(**fields)).SerializeToString())  # type: ignore[arg-type]


def console(client: httpx.Client, **query: object) -> ConsoleLines:
    """Return lines of the run "."."""
    reply = client.get("api/console", params={"run": ".", **query}).raise_for_status()  # type: ignore[dict-item]
    return ConsoleLines.model_validate(reply.json(), extra="forbid")


def test_lines_are_numbered(tmp_path: Path, serve: Serve) -> None:
    """Over all messages, files and attempts; with stream and time."""
    write_run(tmp_path, [output(2, "one", "two"), scalar_event(3, 1, {"loss": 1}), output(4, "three", stream=ERR)])
    write_run(tmp_path, [output(12, "four", dropped=7), output(13, dropped=2)], seconds=11)
    found = console(serve(tmp_path))

    assert [(line.number, line.wall_time, line.stream, line.text) for line in found.lines] == [
        (1, 2, "stdout", "one"),
        (2, 2, "stdout", "two"),
        (3, 4, "stderr", "three"),
        (4, 12, "stdout", "four"),
    ]
    assert (found.total, found.dropped, found.rank, found.next, found.damaged) == (4, 9, 0, None, 0)


@pytest.mark.parametrize(
    ("query", "numbers", "following"),
    [
        ({"after": 0, "limit": 3}, [1, 2, 3], 3),
        ({"after": 3, "limit": 3}, [4, 5, 6], 6),
        ({"after": 18}, [19, 20], None),
        ({"after": 99}, [], None),
        ({"after": -2}, [19, 20], None),
        ({"after": -99, "limit": 1}, [1], 1),
        ({"search": "LINE 1", "limit": 4}, [1, 10, 11, 12], 12),
        ({"search": "line 1", "after": 12}, [13, 14, 15, 16, 17, 18, 19], None),
        ({"search": "."}, [], None),
        ({"rank": 3}, [], None),
    ],
)
def test_pages(
    tmp_path: Path, serve: Serve, query: dict[str, object], numbers: list[int], following: int | None
) -> None:
    """After a number, before the end, and of lines that contain a text, in upper or lower case."""
    write_run(tmp_path, [output(2 + i, *(f"Line {4 * i + j}" for j in range(1, 5))) for i in range(5)])
    found = console(serve(tmp_path), **query)

    assert [line.number for line in found.lines] == numbers
    assert found.next == following


def test_new_lines_continue_the_numbers(tmp_path: Path, serve: Serve) -> None:
    """Of a growing file."""
    path = write_run(tmp_path, [output(2, "one")])
    client = serve(tmp_path)
    assert console(client).total == 1
    with path.open("ab") as file:
        file.write(output(3, "two"))
    wait_until(lambda: console(client).total == 2)

    assert [(line.number, line.text) for line in console(client, after=1).lines] == [(2, "two")]


def test_a_reply_ends_after_some_megabytes(tmp_path: Path, serve: Serve) -> None:
    """And says where to continue; a single longer line is sent."""
    write_run(tmp_path, [output(2 + i, "x" * 1_500_000) for i in range(4)] + [output(9, "y" * 5_000_000)])
    client = serve(tmp_path)
    first = console(client)
    second = console(client, after=first.next)
    third = console(client, after=second.next)

    assert [[line.number for line in page.lines] for page in (first, second, third)] == [[1, 2], [3, 4], [5]]
    assert [page.next for page in (first, second, third)] == [2, 4, None]


def test_a_search_of_many_messages_continues(tmp_path: Path, serve: Serve) -> None:
    """A request reads a bounded number of messages; next leads to the others."""
    write_run(tmp_path, [output(2 + i, f"line {i}") for i in range(50_100)])
    client = serve(tmp_path)
    first = console(client, search="line 50099")
    second = console(client, search="line 50099", after=first.next)

    assert (first.lines, first.next, first.total) == ([], 50_001, 50_100)
    assert ([line.number for line in second.lines], second.next) == ([50_100], None)


def test_malformed_messages_are_counted(tmp_path: Path, serve: Serve) -> None:
    """The other lines are returned."""
    content = b"\x0a\x05\x1a\x03\xff\xfe\xfd"  # A line whose text is not UTF-8.
    event = Event(wall_time=3).SerializeToString() + b"\xda\x06" + bytes([len(content)]) + content
    write_run(tmp_path, [output(2, "one"), frame(event), output(4, "two")])
    found = console(serve(tmp_path))

    assert [line.text for line in found.lines if line.text in ("one", "two")] == ["one", "two"]
    assert found.damaged + found.total >= 3


def test_environments_are_listed_newest_first(tmp_path: Path, serve: Serve) -> None:
    """One for each recording."""
    write_run(tmp_path, [environment(2, host="a", python="3.11")])
    write_run(tmp_path, [environment(12, host="b")], seconds=11)
    write_run(tmp_path, [environment(14, host="c")], seconds=13, rank=1)
    client = serve(tmp_path)
    reply = client.get("api/environment", params={"run": "."}).raise_for_status().json()
    found = Environments.model_validate(reply, extra="forbid")

    assert [(each.rank, each.wall_time, each.facts) for each in found.recordings] == [
        (1, 14, {"host": "c"}),
        (0, 12, {"host": "b"}),
        (0, 2, {"host": "a", "python": "3.11"}),
    ]
    assert found.recordings[0].packages == {"numpy": "2.0"}
    newest = client.get("api/environment", params={"run": ".", "limit": 1}).json()["recordings"]
    assert newest == reply["recordings"][:1]


def test_code_is_that_of_the_newest_recording(tmp_path: Path, serve: Serve) -> None:
    """It says whether the diff is complete; a diff may be in any encoding."""
    write_run(tmp_path, [code(2, commit="abc", remote="https://host/x", diff=b"+1\n+\xff\n")])
    write_run(tmp_path, [code(12, commit="def", diff=b"+1\n", diff_bytes=100)], seconds=11)
    client = serve(tmp_path)
    reply = client.get("api/code", params={"run": ".", "limit": 2}).raise_for_status().json()
    newest, oldest = CodeVersions.model_validate(reply, extra="forbid").recordings

    assert (newest.commit, newest.remote, newest.diff, newest.diff_bytes, newest.is_cut) == (
        "def",
        "",
        "+1\n",
        100,
        True,
    )
    assert (oldest.commit, oldest.remote, oldest.diff) == ("abc", "https://host/x", "+1\n+\ufffd\n")
    assert (oldest.diff_bytes, oldest.is_cut) == (6, False)
    assert client.get("api/code", params={"run": "."}).json()["recordings"] == reply["recordings"][:1]


@pytest.mark.parametrize("route", ["console", "environment", "code"])
def test_runs_without_them_and_unknown_runs(tmp_path: Path, serve: Serve, route: str) -> None:
    """An empty reply, and 404 with the name."""
    write_run(tmp_path, [scalar_event(2, 1, {"loss": 1})])
    client = serve(tmp_path)
    reply = client.get(f"api/{route}", params={"run": "."}).raise_for_status().json()
    assert reply.get("recordings", reply.get("lines")) == []
    missing = client.get(f"api/{route}", params={"run": "missing"})

    assert (missing.status_code, missing.json()) == (404, {"detail": "no run 'missing'"})
