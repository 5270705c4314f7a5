"""The bell, the marks of runs and the alerts on the page of a run."""

from pathlib import Path

from playwright.sync_api import Page, expect
from support.event_files import loss_run
from support.pages import Pages, StartServer

from toposcope.recorder import SummaryRecord

NOTIFICATIONS = """
window.notifications = [];
window.Notification = class extends Notification {
  constructor(title, options) { super(title, options); window.notifications.push([title, options.body]); }
};
"""
HOSTILE = "<img src=x onerror=alert(1)>"


def record(directory: Path) -> None:
    """Record a run that fails a rule, and two alerts of its own."""
    with SummaryRecord(directory) as recorder:
        recorder.alert(HOSTILE, "first line\nsecond line", "error", step=3)
        recorder.alert("Slow", level="info", step=4)
        recorder.log({"loss": float("nan")}, 5)


def rules(directory: Path) -> str:
    """Write a file of rules; return its path."""
    path = directory / "alerts.toml"
    path.write_text('[[rule]]\nname = "Diverged"\nwhen = "nan(loss)"\n', encoding="utf-8")
    return str(path)


def test_alerts_are_read_acknowledged_and_muted(tmp_path: Path, server: StartServer, pages: Pages) -> None:
    """Those of trainings and of rules; another page follows."""
    record(tmp_path / "runs" / "a")
    loss_run(tmp_path / "runs" / "quiet", range(3))
    url = server(tmp_path / "runs", "--alerts", rules(tmp_path), "--data-dir", f"{tmp_path}/data").url
    first, second = pages.open(), pages.open(lang="zh-CN")
    first.goto(url)
    second.goto(url)
    for page in (first, second):
        expect(page.locator(".bell")).to_have_attribute("data-new", "3")
        expect(page.locator('.run[data-run="a"] .alert-mark')).to_have_count(1)
        expect(page.locator('.run[data-run="quiet"] .alert-mark')).to_have_count(0)
    expect(second.locator(".bell")).to_have_attribute("aria-label", "3 条新提醒")

    first.locator(".bell").click()
    sheet = first.locator("#alerts-sheet")
    expect(sheet.locator(".alert-title")).to_have_text(["Diverged", "Slow", HOSTILE])
    expect(sheet.locator(".alert-text").last).to_have_text("first line\nsecond line")
    sheet.locator('[data-key="acknowledge"]').first.click()
    for page in (first, second):
        expect(page.locator(".bell")).to_have_attribute("data-new", "2")
    sheet.locator('[data-rule="Diverged"] [data-key="mute-rule"]').click()
    expect(sheet.locator('[data-rule="Diverged"] [data-key="mute-rule"]')).to_have_attribute("aria-pressed", "true")
    sheet.locator('[data-key="acknowledge-all"]').click()
    for page in (first, second):
        expect(page.locator(".bell")).to_have_attribute("data-new", "0")
        expect(page.locator(".alert-mark")).to_have_count(0)
    sheet.locator(".alert-run").first.click()
    expect(first.locator(".run-page .alert-list li")).to_have_count(3)
    expect(first.locator(".run-page .alert-list")).to_contain_text("recorded by the training")


def test_a_new_alert_appears(tmp_path: Path, server: StartServer, page: Page) -> None:
    """Also the first one of a logdir, before which there is no bell."""
    loss_run(tmp_path / "a", range(3))
    page.goto(server(tmp_path).url)
    expect(page.locator('.run[data-run="a"]')).to_be_visible()
    expect(page.locator(".bell")).to_have_count(0)
    record(tmp_path / "b")
    expect(page.locator(".bell")).to_have_attribute("data-new", "2")


def test_a_rule_is_made_from_a_chart(tmp_path: Path, server: StartServer, pages: Pages) -> None:
    """Its alert arrives while the run grows; another page lists it, and deletes it."""
    url = server(tmp_path / "runs", "--data-dir", f"{tmp_path}/data").url
    with SummaryRecord(tmp_path / "runs" / "a") as recorder:
        for step, loss in enumerate((5.0, 1.0, 1.23456)):
            recorder.log({"train loss": loss}, step)
        assert recorder.flush()
        page, other = pages.open(), pages.open(width=390, height=844)
        for each in (page, other):
            each.goto(f"{url}#page=scalars&runs=name:a")
        page.locator('scalar-card [data-key="menu"]').click()
        rules = page.locator('[data-settings="alert"]')
        expect(rules.locator('[name="value"]')).to_have_value("1.235")
        rules.locator('[name="value"]').fill("2.5")
        rules.locator('[name="only"]').check()
        rules.locator('[data-key="make-rule"]').click()
        text = "`train loss` > 2.5 · name:a"
        expect(rules.locator("[data-rule] .setting-name")).to_have_text(text)
        other.locator(".bell").click()
        expect(other.locator("#alerts-sheet [data-rule] code")).to_have_text(text)

        recorder.log({"train loss": 3.0}, 3)
        assert recorder.flush()
        expect(other.locator("#alerts-sheet .alert-text")).to_have_text(
            "At step 3, train loss is 3 (train loss > 2.5)."
        )
    other.locator('#alerts-sheet [data-key="delete-rule"]').click()
    expect(rules.locator("[data-rule]")).to_have_count(0)
    expect(other.locator("#alerts-sheet .alert-title")).to_have_count(1)


def test_a_refused_rule_is_explained(tmp_path: Path, server: StartServer, pages: Pages) -> None:
    """In the menu of the chart: the search is invalid."""
    page = pages.open()
    loss_run(tmp_path / "a", range(3))
    page.goto(f"{server(tmp_path).url}#page=scalars&runs=started>soon")
    page.locator("scalar-card").wait_for()
    page.locator('scalar-card [data-key="menu"]').click()
    rules = page.locator('[data-settings="alert"]')
    rules.locator('[name="value"]').fill("1")
    rules.locator('[name="only"]').check()
    rules.locator('[data-key="make-rule"]').click()
    expect(rules.get_by_role("alert")).to_contain_text("expected a date or time")
    pages.errors.clear()


def test_new_alerts_are_notified_by_permission(tmp_path: Path, server: StartServer, pages: Pages) -> None:
    """Those that arrive after it was asked for, also after a reload; no longer after that was ended."""
    record(tmp_path / "old")
    page = pages.open()
    page.add_init_script(NOTIFICATIONS)
    page.context.grant_permissions(["notifications"])
    page.goto(server(tmp_path).url)
    page.locator(".bell").click()
    button = page.locator('#alerts-sheet [data-key="notify"]')
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    assert page.evaluate("notifications") == []

    with SummaryRecord(tmp_path / "new") as recorder:
        recorder.alert(HOSTILE, "loss is 9", "warn", step=1)
    expect(page.locator(".bell")).to_have_attribute("data-new", "3")
    assert page.evaluate("notifications") == [[HOSTILE, "new\nloss is 9"]]

    page.reload()
    page.locator(".bell").click()
    expect(button).to_have_attribute("aria-pressed", "true")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "false")
    record(tmp_path / "later")
    expect(page.locator(".bell")).to_have_attribute("data-new", "5")
    assert page.evaluate("notifications") == []


def test_refused_notifications_are_explained(tmp_path: Path, server: StartServer, page: Page) -> None:
    """Nothing was permitted, so that nothing is notified."""
    record(tmp_path / "a")
    page.goto(server(tmp_path).url)
    page.locator(".bell").click()
    button = page.locator('#alerts-sheet [data-key="notify"]')
    button.click()
    expect(page.locator("#alerts-sheet .warning")).to_have_text(
        "The browser does not permit notifications of this page."
    )
    expect(button).to_have_attribute("aria-pressed", "false")


def test_a_read_only_server_lists_alerts(tmp_path: Path, server: StartServer, page: Page) -> None:
    """Without buttons that change something."""
    record(tmp_path / "a")
    page.goto(server(tmp_path, "--read-only").url)
    page.locator(".bell").click()
    expect(page.locator("#alerts-sheet .alert-title")).to_have_count(2)
    for key in ("acknowledge", "acknowledge-all", "mute-run"):
        expect(page.locator(f'#alerts-sheet [data-key="{key}"]')).to_have_count(0)
    page.goto(f"{page.url.partition('#')[0]}#page=scalars")
    page.locator('scalar-card [data-key="menu"]').first.click()
    expect(page.locator(".menu-downloads")).to_be_visible()
    expect(page.locator('[data-settings="alert"]')).to_have_count(0)
