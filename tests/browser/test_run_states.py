"""The states of runs and what restarts hide, in a real browser."""

import re
from pathlib import Path

from playwright.sync_api import Page, Route, expect
from support.element_state import expect_state
from support.event_files import NAME, end_event, heartbeat_event, scalar_event, version_event, write_run
from support.pages import Pages, StartServer
from support.servers import wait_until

from toposcope.proto import summary_pb2
from toposcope.server.api.replies.cbor import encode_cbor

START = 1_700_000_000.0
TRACEBACK = 'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\nValueError: <b>bad</b> shape\n'
FAILED, FINISHED = summary_pb2.RecordingEnd.STATE_FAILED, summary_pb2.RecordingEnd.STATE_FINISHED


def write_recording(
    folder: Path,
    end: bytes = b"",
    *,
    rank: int = 0,
    began: float = START,
    steps: int = 3,
    heartbeat_seconds: float = 30,
) -> None:
    """Write what one process recorded: its start, losses, and its end unless that is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    start = summary_pb2.RecordingStart(
        host=f"node{rank}",
        process_id=1000 + rank,
        rank=rank,
        command_line="python train.py --lr 0.1",
        heartbeat_seconds=heartbeat_seconds,
    )
    session = f"{rank}{began:012.0f}".encode()
    values = [scalar_event(began + step, step, {"loss": 1 / step}) for step in range(1, steps + 1)]
    records = [version_event(began, session, start=start), *values, end]
    (folder / NAME.format(seconds=int(began), rank=rank)).write_bytes(b"".join(records))


def failed(wall_time: float) -> bytes:
    """Return the end mark of a recording that failed."""
    return end_event(wall_time, FAILED, error_type="ValueError", error_text="<b>bad</b> shape", traceback=TRACEBACK)


def test_the_error_of_a_failed_run_can_be_read(server: StartServer, pages: Pages, tmp_path: Path) -> None:
    """Mark, details and page of a run have its state, its error with the traceback, and the state of each process."""
    write_recording(tmp_path / "broken", failed(START + 9))
    write_recording(tmp_path / "broken", end_event(START + 8, FINISHED), rank=1)
    write_recording(tmp_path / "done", end_event(START + 5, FINISHED))
    url = server(tmp_path).url
    page = pages.open()
    page.goto(url)

    broken = page.locator('.run[data-run="broken"]')
    mark = broken.get_by_role("img", name=re.compile(r"^Failed at 2023-11-1\d \d\d:\d\d:29$"))
    expect(mark).to_have_attribute("data-state", "failed")
    sentence = mark.get_attribute("aria-label") or ""
    expect(page.locator('.run[data-run="done"] .state-mark')).to_have_attribute("data-state", "finished")
    assert "ValueError: <b>bad</b> shape" in (broken.get_attribute("title") or "")

    broken.hover()
    broken.locator('[data-key="details"]').click()
    panel = page.locator("#panel")
    expect(panel.locator(".state-sentence")).to_have_text(sentence)
    expect(panel.locator(".error-text")).to_have_text("<b>bad</b> shape")
    expect(panel.locator(".run-error pre")).to_be_hidden()
    panel.get_by_text("Traceback", exact=True).click()
    expect(panel.locator(".run-error pre")).to_have_text(TRACEBACK.strip())
    processes = panel.locator(".recordings li")
    expect(processes.locator(".recording-state")).to_have_text(
        [f"rank 0 {sentence}", re.compile("^rank 1 Finished at ")]
    )
    expect(processes.locator(".recording-place")).to_have_text(
        ["node0 · process 1000", "ValueError: <b>bad</b> shape", "node1 · process 1001"]
    )
    expect(panel.locator(".command-line")).to_have_text(["python train.py --lr 0.1"])

    table = pages.open(lang="zh-CN")
    table.goto(url + "#page=overview")
    table.locator('.heads [data-column="state"] button').click()
    expect(table.locator('td[data-column="state"]')).to_have_text(["失败ValueError", "已完成"])
    expect(table.locator(".state-note")).to_have_attribute("title", re.compile("ValueError: <b>bad</b> shape"))
    table.locator('[data-key="filter-row"]').click()
    table.locator('[data-filter="state"]').fill("已完成")
    expect(table.locator(".run-line")).to_have_count(1)
    table.locator("a.run-name").click()
    expect(table.locator(".run-page .state-sentence")).to_have_text(re.compile(r"^于 2023-11-1\d \d\d:\d\d:25 完成$"))


def test_attempts_that_a_restart_hides_are_one_click_away(server: StartServer, page: Page, tmp_path: Path) -> None:
    """The status of a card counts hidden points; its buttons show all attempts or one, and the URL has the choice."""
    write_recording(tmp_path / "restarted", steps=20)
    write_recording(tmp_path / "restarted", end_event(START + 999, FINISHED), began=START + 900, steps=5)
    page.goto(server(tmp_path).url)
    card = page.locator('scalar-card[data-tag="loss"]')
    note = card.locator('[data-note="attempts"]')
    expect(note).to_have_text("20 points of attempt 1 hidden")

    card.hover()
    card.locator('[data-key="status"]').click()
    card.locator('[data-attempt="all"]').click()
    expect_state(card, "lines", [["restarted", "attempt 1"], ["restarted", "attempt 2"]])
    expect(card).to_have_attribute("data-drawn-points", "25")
    assert "scalar.attempt=all" in page.url
    card.get_by_role("button", name="Attempt 1 only").click()
    expect(card).to_have_attribute("data-drawn-points", "20")
    expect(note).to_have_text("Attempt 1 only")
    card.locator('[data-attempt="stitched"]').click()
    expect(card).to_have_attribute("data-drawn-points", "5")
    assert "scalar.attempt" not in page.url


def test_a_change_of_state_fetches_no_series(server: StartServer, page: Page, tmp_path: Path) -> None:
    """When a run is lost, its mark changes; its chart is neither fetched nor drawn again."""
    write_recording(tmp_path / "run", heartbeat_seconds=2)
    (file,) = (tmp_path / "run").iterdir()
    page.goto(server(tmp_path).url)
    mark, card = page.locator(".run .state-mark"), page.locator("scalar-card")
    shown = page.locator('.run .state-mark[data-state="running"]'), page.locator('scalar-card[data-drawn-points="3"]')

    def is_shown() -> bool:
        """Keep the run alive, however long the page takes."""
        with file.open("ab") as recording:
            recording.write(heartbeat_event(START + 4))
        page.wait_for_timeout(200)
        return all(one.count() for one in shown)

    wait_until(is_shown)
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url.rpartition("/api/")[2]))
    plot = card.evaluate_handle("card => card.plot")

    expect(mark).to_have_attribute("data-state", "lost")

    assert card.evaluate("(card, plot) => card.plot === plot", plot)
    assert "runs/columns" in requested
    assert not {"scalars", "overview"} & set(requested)


def test_run_that_cannot_be_read_at_present_is_marked(server: StartServer, pages: Pages, tmp_path: Path) -> None:
    """Its row has a mark with the reason, and its page says that what was read before is shown."""
    write_recording(tmp_path / "stale")
    write_recording(tmp_path / "other")
    url = server(tmp_path).url
    page = pages.open()

    def with_a_stale_run(route: Route) -> None:
        content = route.fetch(headers={**route.request.headers, "accept": "*/*"}).json()
        if content["fact"].get("stale"):
            code = [0 if run == "stale" else -1 for run in content["runs"].split("\0")]
            content["fact"]["stale"] = {"code": code, "value": ["Stale file handle"]}
        route.fulfill(body=encode_cbor(content), content_type="application/cbor")

    page.route("**/api/runs/columns", with_a_stale_run)
    page.goto(url)

    sentence = "Its files cannot be read at present (Stale file handle). What was read before is shown."
    expect(page.locator('.run[data-run="stale"]').get_by_role("img", name=sentence)).to_be_visible()
    expect(page.locator('.run[data-run="other"] .stale')).to_have_count(0)
    page.goto(f"{url}#page=overview&over.run=stale")
    expect(page.locator("[data-note=stale]")).to_have_text(sentence)
    page.unroute_all(behavior="wait")  # A request that is still answered when the page closes would fail the next test.


def test_expression_of_a_shared_address_does_not_block_the_page(
    server: StartServer, pages: Pages, tmp_path: Path
) -> None:
    """An expression that would backtrack for years filters runs and tags at once."""
    for name in ("x" * 200, "xxy"):
        write_run(tmp_path / name, [scalar_event(1000.0, 0, {"x" * 200: 1.0, "xxy": 1.0})], 1000)
    page = pages.open()

    page.goto(f"{server(tmp_path).url}#tags=(x%2Bx%2B)%2By&runs=%2F(x%2Bx%2B)%2By%2F")

    expect(page.locator(".run")).to_have_count(1)
    expect(page.locator(".run .run-name")).to_have_text("xxy")
    expect(page.locator("scalar-card")).to_have_count(1)
    expect(page.locator('scalar-card[data-tag="xxy"]')).to_be_visible()
