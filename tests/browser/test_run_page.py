"""The page of a run: what was recorded about its process, in a real browser."""

from pathlib import Path

from playwright.sync_api import Page, expect
from support.event_files import write_run
from support.pages import StartServer

from toposcope.proto import framing, summary_pb2
from toposcope.recorder import SummaryRecord, custom_lineage

HOSTILE = "<img src=x onerror=alert(1)>"


def console(number: int, text: str) -> bytes:
    """Return a record of one line of output."""
    event = summary_pb2.Event(wall_time=float(number), step=number)
    event.console.lines.add(wall_time=float(number), text=text, stream=summary_pb2.ConsoleOutput.STREAM_STDERR)
    return framing.frame(event.SerializeToString())


def process(commit: str, host: str) -> bytes:
    """Return records of the code and the environment of a process."""
    code = summary_pb2.Event(wall_time=1.0)
    code.code.commit, code.code.diff = commit, f"-old\n+{HOSTILE}\n".encode()
    environment = summary_pb2.Event(wall_time=1.0)
    environment.environment.facts.add(name="host", value=host)
    environment.environment.packages.add(name="numpy", value="2.0.0")
    return framing.frame(code.SerializeToString()) + framing.frame(environment.SerializeToString())


def test_console_code_and_environment_of_a_run_are_shown(server: StartServer, page: Page, tmp_path: Path) -> None:
    """The console follows the run and can be searched; code and environment are shown as text, never as HTML."""
    lines = [console(number, f"step {number} {HOSTILE}") for number in range(1, 41)]
    path = write_run(tmp_path / "trained", [process("c0ffee", "node7"), *lines])
    page.goto(server(tmp_path).url + "#page=overview&over.run=trained")

    output = page.locator('[data-section="console"] [data-line]')
    expect(output).to_have_count(40)
    page.get_by_role("log", name="Console").scroll_into_view_if_needed()
    expect(output.last).to_have_text(f"step 40 {HOSTILE}")
    with path.open("ab") as file:
        file.write(console(41, "the newest line"))
    expect(output.last).to_have_text("the newest line")
    expect(output.last).to_be_in_viewport()
    page.get_by_role("searchbox", name="Search the console").fill("STEP 17")
    expect(output).to_have_text([f"step 17 {HOSTILE}"])
    page.get_by_role("searchbox", name="Search the console").fill("no such text")
    expect(page.locator('[data-section="console"] .hint')).to_have_text("No line contains this text.")

    expect(page.locator('[data-section="code"] code').first).to_have_text("c0ffee")
    page.get_by_text("Changes since the commit", exact=True).click()
    expect(page.locator('[data-section="code"] pre')).to_contain_text(HOSTILE)
    expect(page.locator('[data-section="environment"] [data-fact="host"] td')).to_have_text("node7")
    expect(page.locator(".run-section img")).to_have_count(0)
    with page.expect_response(lambda reply: "/api/undrawn" in reply.url) as listed:
        page.reload()
    assert listed.value.json()["tags"] == []


def test_a_run_is_compared_to_the_baseline_below_its_charts(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Charts come first, with the line of the baseline; then what differs from its hyperparameters, except its name."""
    for name, width in {"baseline": 8, "trained": 16}.items():
        with SummaryRecord(tmp_path / name) as recorder:
            settings = {"depth": 2, "wandb/name": name, "width": width}
            recorder.add_value("custom_lineage_data", "settings", custom_lineage(settings))
            for step in range(3):
                recorder.add_value("scalar", "loss", float(width - step))
                recorder.add_value("scalar", "machine/cpu_percent", 50.0)
                recorder.record(step)
    page.goto(server(tmp_path).url + "#page=overview&over.run=trained&app.baseline=baseline")

    expect(page.locator('[data-section="charts"] run-chart[data-tag="loss"]')).to_have_attribute(
        "data-drawn-lines", "2"
    )
    expect(page.locator('[data-section="machine"] run-chart')).to_have_attribute("data-tag", "machine/cpu_percent")
    rows = page.locator('[data-section="parameters"] tr')
    expect(rows.locator("td")).to_have_text(["16 baseline: 8", "2", "trained"])
    expect(page.locator('[data-section="parameters"] [data-differs]')).to_have_attribute("data-fact", "width")
    page.get_by_role("navigation", name="Sections").get_by_role("button", name="Files").click()
    expect(page.locator("run-files")).to_be_focused()
    expect(page.locator("run-files [data-file]").last).to_be_in_viewport()
    order = page.locator(".run-page [data-section]").evaluate_all("all => all.map(section => section.dataset.section)")
    assert order == ["charts", "parameters", "machine", "data", "files", "notes"]
