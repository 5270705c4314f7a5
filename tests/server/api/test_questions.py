"""GET /api/questions/{name}: what the commands of questions print."""

import asyncio
from pathlib import Path

import httpx
import pytest
from support.event_files import loss_run
from support.servers import Serve

from toposcope.server.api.updates import Streams
from toposcope.server.app import make_api
from toposcope.server.loading.logdir import Logdir

RUN = "mindspore/digits_momentum"


def test_an_answer_is_an_object_or_lines(golden: httpx.Client) -> None:
    """As the arguments ask for; the exit status says whether something matched."""
    best = ["--metric", "min(loss/auto)"]
    reply = golden.get("/api/questions/best", params={"argument": [*best, "--json"]}).json()
    assert (reply["status"], reply["lines"]) == (0, None)
    assert [run["run"] for run in reply["answer"]["runs"]] == [RUN]

    reply = golden.get("/api/questions/best", params={"argument": best}).json()
    assert (reply["status"], reply["answer"], reply["lines"][-1]) == (0, None, "1 run")
    assert golden.get("/api/questions/runs", params={"argument": "name:nothing"}).json()["status"] == 1


@pytest.mark.parametrize(
    ("name", "arguments", "status", "detail"),
    [
        ("show", ["nothing"], 404, "there is no run 'nothing'"),
        ("show", [], 400, "the following arguments are required: RUN"),
        ("runs", ["--limit", "x"], 400, "argument --limit: invalid number 'x': expected an integer, 0 or greater"),
        ("runs", ["lr<"], 400, "lr<"),
        ("runs", ["--help"], 400, "unknown argument '--help'"),
        ("runs", ["--schema"], 400, "unknown argument '--schema'"),
        ("runs", ["--index-dir", "/tmp"], 400, "unknown argument '--index-dir'"),
        ("runs", ["--data-dir=/tmp"], 400, "unknown argument '--data-dir=/tmp'"),
        ("runs", ["--formats", "none"], 400, "unknown argument '--formats'"),
        ("image", [RUN, "input", "--out", "/tmp/x"], 400, "unknown argument '--out'"),
        ("get", [], 400, "expected at least one --tag or --expr"),
        ("names", [], 422, "name='names': Input should be 'runs'"),
    ],
)
def test_an_error_is_that_of_the_command(
    golden: httpx.Client, name: str, arguments: list[str], status: int, detail: str
) -> None:
    """Nothing that a command says of the machine where it runs is an argument."""
    reply = golden.get(f"/api/questions/{name}", params={"argument": arguments})
    assert reply.status_code == status
    assert detail in reply.json()["detail"]


def test_many_points_need_memory(serve: Serve, tmp_path: Path) -> None:
    """A server refuses what does not fit, and answers about fewer points."""
    loss_run(tmp_path, range(300_000))
    client = serve(tmp_path, "--memory-limit", "1M")
    selected = ["--json", "--tag", "loss"]
    reply = client.get("/api/questions/get", params={"argument": selected})
    assert reply.status_code == 422
    assert "at most 1 MiB (--memory-limit); request fewer series" in reply.json()["detail"]
    assert client.get("/api/questions/get", params={"argument": [*selected, "--points", "10"]}).status_code == 200


def test_a_server_that_still_reads_says_so() -> None:
    """An answer about some of the runs would be wrong."""

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(make_api(Logdir("nowhere", 0), Streams(), ""))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.get("/api/questions/runs")

    reply = asyncio.run(ask())
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "1")
    assert "still reads the runs" in reply.json()["detail"]
