"""Workspaces in a real browser: panels are added, edited, moved, saved and shared."""

import json
import shutil
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect
from support.event_files import GOLDEN, loss_run, scalar_event, version_event, write_run
from support.pages import Pages, StartServer
from support.workspaces import document_of, panel, show, workspace

from toposcope.recorder import SummaryRecord, custom_lineage


def two_runs(logdir: Path) -> Path:
    """Write two runs with losses of training and validation."""
    for name, factor in (("a", 1.0), ("b", 2.0)):
        events = [
            scalar_event(step, step, {"train/loss": factor / (step + 1), "validation/loss": factor, "epoch": step / 2})
            for step in range(10)
        ]
        write_run(logdir / name, [version_event(0), *events])
    return logdir


def boxes(page: Page) -> list[list[int]]:
    """Return x, y, w and h of the panels of the first section."""
    return [[each[part] for part in "xywh"] for each in document_of(page)["sections"][0]["panels"]]


def places(page: Page) -> list[list[list[int]]]:
    """Return x, y, w and h of the panels of each section."""
    return [
        [[each[part] for part in "xywh"] for each in section["panels"]] for section in document_of(page)["sections"]
    ]


def box_of(page: Page, selector: str) -> tuple[float, float, float, float]:
    """Return left, top, width and height of the first element."""
    box = page.locator(selector).first.bounding_box()
    assert box is not None
    return box["x"], box["y"], box["width"], box["height"]


def drag(page: Page, begin: tuple[float, float], end: tuple[float, float]) -> None:
    """Press the pointer, move it in steps, and release it."""
    page.mouse.move(*begin)
    page.mouse.down()
    page.mouse.move(*end, steps=20)
    page.mouse.up()


def menu(page: Page, at: int, key: str) -> None:
    """Choose an entry of the menu of a panel."""
    page.locator(".panel").nth(at).hover()
    page.locator('.panel [data-key="menu"]').nth(at).click()
    page.locator(f'#panel-menu [data-key="{key}"]').click()


def test_a_workspace_is_composed_saved_and_reopened_elsewhere(
    tmp_path: Path, server: StartServer, pages: Pages
) -> None:
    """It starts from likely metrics, is saved, and opens in another browser after a restart of the server."""
    logdir = two_runs(tmp_path / "runs")
    running = server(logdir)
    first = pages.open()
    first.goto(f"{running.url}#page=workspace")
    first.locator('[data-key="start"]').click()
    expect(first.locator('lines-panel[data-drawn-lines="4"]').first).to_be_visible()
    expect(first.locator("bars-panel li[data-run]").first).to_be_visible()

    first.locator('[data-key="add-panel"]').click()
    first.locator('#add-panel [data-kind="lines"]').click()
    editor = first.locator(".ws-editor")
    editor.locator('[data-field="tags"] [name="added"]').fill("epoch")
    first.keyboard.press("Enter")
    editor.locator('[name="title"]').fill("Progress")
    first.keyboard.press("Enter")
    expect(first.locator('.panel[aria-label="Progress"] lines-panel[data-drawn-lines="2"]')).to_be_visible()
    first.locator('[data-key="close-editor"]').click()
    count = first.locator(".panel").count()

    first.locator('[data-key="views"]').click()
    first.locator(".views-save input").fill("ours")
    first.keyboard.press("Enter")
    expect(first.locator('[data-view="ours"]')).to_have_attribute("aria-current", "true")
    first.goto("about:blank")
    running.stop()

    second = pages.open()
    second.goto(f"{server(logdir).url}#view=ours")
    expect(second.locator(".panel")).to_have_count(count)
    expect(second.locator('.panel[aria-label="Progress"]')).to_be_visible()


def test_panels_move_resize_and_leave_and_every_edit_is_undone(tmp_path: Path, server: StartServer, page: Page) -> None:
    """By the pointer and by keys; Ctrl+Z returns to each earlier document."""
    url = server(two_runs(tmp_path)).url
    show(page, url, workspace(panel("lines", tags=["train/loss"]), panel("lines", (4, 0, 4, 3), tags=["epoch"])))
    expect(page.locator('lines-panel[data-drawn-lines="2"]')).to_have_count(2)
    before = boxes(page)

    head = page.locator(".panel-head").first.bounding_box()
    assert head is not None
    page.mouse.move(head["x"] + 60, head["y"] + 12)
    page.mouse.down()
    page.mouse.move(head["x"] + 800, head["y"] + 40, steps=8)
    page.mouse.up()
    assert boxes(page)[0][0] > 4

    page.locator('.panel[aria-label="epoch"] [data-key="grip"]').focus()
    width = boxes(page)[1][2]
    page.keyboard.press("Shift+ArrowLeft")
    assert boxes(page)[1][2] == width - 1
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    assert boxes(page) == before

    page.locator(".panel").first.hover()
    page.locator('.panel [data-key="enlarge"]').first.click()
    expect(page.locator('[data-enlarged="true"]')).to_have_count(1)
    page.go_back()
    expect(page.locator('[data-enlarged="true"]')).to_have_count(0)

    menu(page, 0, "remove")
    expect(page.locator(".panel")).to_have_count(1)
    page.locator('[data-key="undo-removal"]').click()
    expect(page.locator(".panel")).to_have_count(2)
    menu(page, 0, "duplicate")
    expect(page.locator(".panel")).to_have_count(3)
    assert len({tuple(box[:2]) for box in boxes(page)}) == 3


def test_each_gesture_is_undone_by_itself(tmp_path: Path, server: StartServer, page: Page) -> None:
    """Panels are resized at two edges, and one is dragged to another section; each is undone alone."""
    layout = workspace(panel("lines", tags=["train/loss"]))
    dragged = panel("lines", tags=["epoch"])
    layout["sections"].append({"name": "Second", "collapsed": False, "panels": [dragged], "settings": {}})
    show(page, server(two_runs(tmp_path)).url, layout)
    expect(page.locator('lines-panel[data-drawn-lines="2"]')).to_have_count(2)

    states = [places(page)]
    x, y, width, height = box_of(page, ".panel")
    drag(page, (x + width - 3, y + 100), (x + width + 190, y + 100))
    states.append(places(page))
    x, y, width, height = box_of(page, ".panel")
    drag(page, (x + 100, y + height - 3), (x + 100, y + height + 90))
    states.append(places(page))
    head = box_of(page, '.panel[aria-label="epoch"] .panel-head')
    drag(page, (head[0] + 60, head[1] + 12), (x + width + 100, y + 40))
    states.append(places(page))

    assert (states[1][0][0][2] > 4, states[2][0][0][3] > 3) == (True, True)
    assert [len(section) for section in states[3]] == [2, 0]
    for state in reversed(states[:-1]):
        page.keyboard.press("Control+z")
        assert places(page) == state


def test_settings_cascade_and_say_where_they_come_from(tmp_path: Path, server: StartServer, page: Page) -> None:
    """A panel inherits the axis of its section, has its own, and inherits it again."""
    url = server(two_runs(tmp_path)).url
    show(page, url, workspace(panel("lines", tags=["train/loss"]), axis="relative"))
    lines = page.locator("lines-panel")
    expect(lines).to_have_attribute("data-axis", "relative")
    page.locator('[data-key="section-settings"]').click()
    page.locator('.ws-editor [data-select="axis"]').select_option("wall_time")
    expect(lines).to_have_attribute("data-axis", "wall_time")

    page.locator(".panel").hover()
    page.locator('.panel [data-key="edit"]').click()
    expect(page.locator('[data-field="axis"] [data-origin]')).to_have_attribute("data-origin", "section")
    page.locator('.ws-editor [data-select="axis"]').select_option("step")
    expect(lines).to_have_attribute("data-axis", "step")
    page.locator('[data-reset="axis"]').click()
    expect(lines).to_have_attribute("data-axis", "wall_time")


def test_a_workspace_travels_as_json_and_a_wrong_file_is_refused_with_its_path(
    tmp_path: Path, server: StartServer, page: Page
) -> None:
    """The exported file opens again; the error of another file names the path of the value."""
    document = workspace(panel("lines", tags=["train/loss"]), panel("markdown", (4, 0, 4, 3), text="# Hello"))
    url = server(two_runs(tmp_path / "runs")).url
    show(page, url, document)
    page.locator('[data-key="workspace-menu"]').click()
    with page.expect_download() as downloading:
        page.locator('.workspace-menu [data-key="export"]').click()
    path = tmp_path / "workspace.json"
    downloading.value.save_as(path)
    assert json.loads(path.read_text(encoding="utf-8")) == document

    page.goto(f"{url}#page=workspace")
    page.locator('[data-key="workspace-menu"]').click()
    page.locator(".file-row input").set_input_files(path)
    expect(page.locator("markdown-panel .heading")).to_have_text("Hello")
    document["sections"][0]["panels"][1]["kind"] = "pie"
    path.write_text(json.dumps(document), encoding="utf-8")
    page.locator('[data-key="workspace-menu"]').click()
    page.locator(".file-row input").set_input_files(path)
    expect(page.locator(".workspace-menu [role=alert]")).to_contain_text("sections[0].panels[1].kind: expected one of")


def test_only_panels_near_the_viewport_request_and_draw(tmp_path: Path, server: StartServer, page: Page) -> None:
    """Of forty panels, those far below wait until they are scrolled to; new points appear in the others."""
    loss_run(tmp_path / "run", range(5))
    many = [panel("lines", (at % 3 * 4, at // 3 * 3, 4, 3), tags=["loss"]) for at in range(40)]
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url) if request.url.endswith("/scalars") else None)
    show(page, server(tmp_path).url, workspace(*many))
    expect(page.locator("lines-panel[data-drawn-points='5']").first).to_be_visible()
    assert page.locator("lines-panel[data-drawn-lines]").count() < 30
    page.locator("lines-panel").last.scroll_into_view_if_needed()
    expect(page.locator("lines-panel").last).to_have_attribute("data-drawn-points", "5")
    loss_run(tmp_path / "run", range(8), seconds=2)
    expect(page.locator("lines-panel").last).to_have_attribute("data-drawn-points", "8")


def test_expressions_are_drawn_and_an_invalid_one_shows_where_it_is_wrong(
    tmp_path: Path, server: StartServer, pages: Pages
) -> None:
    """Their unit and join are named, x may be a tag, and the panel says what was expected at which character."""
    pages.allowed = "status of 422"
    page = pages.open()
    settings: dict[str, Any] = {"expressions": ["rate(epoch)"], "rate": "second", "join": "last", "axis": "tag:epoch"}
    layout = workspace(panel("lines", **settings), panel("lines", (4, 0, 4, 3), expressions=["epoch * )"]))
    show(page, server(two_runs(tmp_path)).url, layout)
    drawn, invalid = page.locator("lines-panel").all()
    expect(drawn).to_have_attribute("data-drawn-lines", "2")
    expect(drawn).to_have_attribute("data-axis", "value")
    expect(drawn.locator(".panel-how")).to_contain_text("rate per second")
    expect(drawn.locator(".panel-how")).to_contain_text("x: epoch")
    expect(drawn.locator(".panel-how")).to_contain_text("joined by the last value before")
    expect(invalid.locator(".expression-error")).to_contain_text("at character 9, expected")
    expect(invalid.locator(".expression-error mark")).to_have_text(")")


def test_the_axis_that_the_training_defined_is_the_default(tmp_path: Path, server: StartServer, page: Page) -> None:
    """The editor names it, the step can be chosen instead, and tags of different axes have the step."""
    two_runs(tmp_path)
    with SummaryRecord(tmp_path / "a") as recorder:
        definitions = json.dumps({"validation/*": {"step_metric": "epoch"}})
        recorder.add_value("custom_lineage_data", "settings", custom_lineage({"wandb/metrics": definitions}))
        recorder.record(9)
    both = panel("lines", (4, 0, 4, 3), tags=["validation/loss", "train/loss"])
    show(page, server(tmp_path).url, workspace(panel("lines", tags=["validation/loss"]), both))
    defined, mixed = page.locator("lines-panel").all()
    expect(defined).to_have_attribute("data-axis", "value")
    expect(defined.locator(".panel-how")).to_have_text("x: epoch · joined at equal steps")
    expect(mixed).to_have_attribute("data-axis", "step")

    page.locator(".panel").first.hover()
    page.locator('.panel [data-key="edit"]').first.click()
    axis = page.locator('.ws-editor [data-select="axis"]')
    expect(axis.locator("option:checked")).to_have_text("Automatic: epoch, as the training defined")
    axis.select_option("step")
    expect(defined).to_have_attribute("data-axis", "step")
    page.locator('[data-reset="axis"]').click()
    expect(defined).to_have_attribute("data-axis", "value")


def test_a_layout_that_tensorboardx_wrote_opens_as_a_workspace(tmp_path: Path, server: StartServer, page: Page) -> None:
    """Its categories are sections; patterns select tags, margins are filled, and what is missing is said."""
    shutil.copytree(GOLDEN / "tensorboard/custom_scalars/added", tmp_path / "layout")
    values = {"loss/mean": 2.0, "loss/low": 1.0, "loss/high": 3.0}
    write_run(tmp_path / "trained", [version_event(0), *(scalar_event(step, step, values) for step in range(5))])
    page.goto(f"{server(tmp_path).url}#page=workspace")
    page.locator('.ws-sources [data-layout="Losses"]').click()

    every, no_tag, bounds, empty = page.locator("lines-panel").all()
    expect(page.locator(".ws-section")).to_have_count(2)
    expect(every).to_have_attribute("data-drawn-lines", "3")
    expect(no_tag.locator(".state")).to_have_text("No tag matches these patterns.")
    expect(bounds).to_have_attribute("data-drawn-lines", "1")
    expect(empty.locator(".state")).to_contain_text("No data selected yet.")
    assert [each["settings"]["title"] for each in document_of(page)["sections"][0]["panels"]] == [
        "all",
        "two",
        "bounds",
    ]


def test_a_search_without_a_match_is_one_message_on_a_workspace(
    tmp_path: Path, server: StartServer, page: Page
) -> None:
    """Instead of panels that are all empty; the panels are there again when the search is cleared."""
    show(page, server(two_runs(tmp_path)).url, workspace(panel("bars", metric="train/loss"), panel("number")))
    page.locator("#run-filter").fill("nothing-like-this")
    expect(page.locator(".workspace .empty")).to_have_attribute("data-state", "no_run_found")
    expect(page.locator(".panel")).to_have_count(0)
    page.locator('[data-key="clear-search"]').click()
    expect(page.locator(".panel")).to_have_count(2)
