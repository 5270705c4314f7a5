"""Twenty-one tasks of a day at the dashboard: each is done in Chromium on real runs; its clicks and keys are counted.

python benchmarks/tasks.py [TASK ...]    (make bench-tasks)

A task begins at the table of runs or at the page that it names, and fails if its result is wrong. A click, a drag and a
pointed place count as one click each; a pressed key, and a word or number that is typed, as one key each.
"""

import argparse
import json
import re
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from browsing import chromium, serve
from day_runs import DIVERGED, FAILED, LIVE, NAN, SPIKE, record_day, record_live
from playwright.sync_api import Browser, Error, Locator, Page, expect

BEST = "sweep/lr=0.1 seed=2"


class Hand:
    """Uses a page like a person, and counts what it does."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.clicks = 0
        self.keys = 0

    def click(self, selector: str, text: str = "") -> None:
        """Click the first element of a selector that is visible, and contains a text."""
        self.clicks += 1
        self.find(selector, text).click()

    def find(self, selector: str, text: str = "") -> Locator:
        """Return the first visible element of a selector."""
        return self.page.locator(selector).filter(visible=True, has_text=text or None).first

    def type(self, text: str) -> None:
        """Type into what has the focus."""
        self.keys += 1
        self.page.keyboard.type(text)

    def press(self, *keys: str) -> None:
        """Press keys one after the other."""
        for key in keys:
            self.keys += 1
            self.page.keyboard.press(key)

    def point(self, tag: str, step: float) -> None:
        """Point at a step of a chart."""
        self.clicks += 1
        left, top = self._place(tag, step)
        self.page.mouse.move(left - 5, top)
        self.page.mouse.move(left, top)

    def drag(self, tag: str, begin: float, end: float) -> None:
        """Drag across the steps of a chart."""
        self.clicks += 1
        self.page.mouse.move(*self._place(tag, begin))
        self.page.mouse.down()
        self.page.mouse.move(*self._place(tag, end), steps=4)
        self.page.mouse.up()

    def card(self, tag: str) -> Locator:
        """Return the chart of a tag."""
        return self.page.locator(f'scalar-card[data-tag="{tag}"]')

    def _place(self, tag: str, step: float) -> tuple[float, float]:
        card = self.card(tag)
        expect(card).not_to_have_attribute("data-window", "")
        low, high = map(float, (card.get_attribute("data-window") or "").split(","))
        box = card.locator(".u-over").bounding_box()
        assert box is not None
        return box["x"] + (step - low) / (high - low) * box["width"], box["y"] + box["height"] / 2


class Task(NamedTuple):
    """A task, and how it is done."""

    title: str
    do: Callable[[Hand, Path], None]
    address: str = ""
    """Where it begins; empty: at the table of runs."""
    tensorboard: str = "no"
    """What TensorBoard needs for it; "no": it cannot."""
    is_phone: bool = False


def best_run(hand: Hand, _: Path) -> None:
    """Sort the table by the best validation accuracy."""
    hand.click('th[data-column="best:validation/accuracy"] button')
    expect(hand.find(".run-line")).to_have_attribute("data-run", DIVERGED)


def parameter_that_matters(hand: Hand, _: Path) -> None:
    """Read which hyperparameter explains the accuracy."""
    hand.click('.pages [data-page="lineage"]')
    expect(hand.page.locator("#content")).to_contain_text("learning_rate")


def loss_at_a_step(hand: Hand, _: Path) -> None:
    """Find two runs, and read their losses at step 500."""
    hand.click("#run-filter")
    hand.type('"lr=0.1 seed=0" OR "lr=0.01 seed=0"')
    expect(hand.page.locator("#rail .run")).to_have_count(2)
    hand.point("train/loss", 500)
    rows = hand.page.locator('#read-out .row[data-shown="true"]')
    expect(rows).to_have_count(2)
    assert all(row.get_attribute("data-step") == "500" for row in rows.all())


def spike(hand: Hand, _: Path) -> None:
    """Zoom to the spike of a loss, and read the value of its step."""
    hand.drag("train/loss", SPIKE - 15, SPIKE + 15)
    expect(hand.card("train/loss")).to_have_attribute("data-window", re.compile(r"^6\d\d,7[01]\d$"))
    hand.point("train/loss", SPIKE)
    expect(hand.page.locator("#read-out .row").first).to_have_attribute("data-step", str(SPIKE))


def gap(hand: Hand, _: Path) -> None:
    """Draw the difference of the validation loss and the training loss."""
    hand.click('[data-key="add-panel"]')
    hand.click('#add-panel [data-kind="lines"]')
    hand.click('.ws-editor [data-field="expressions"] [name="added"]')
    hand.type("validation/loss - train/loss")
    hand.press("Enter")
    expect(hand.page.locator('lines-panel[data-drawn-lines="10"]')).to_be_visible()


def mean_of_groups(hand: Hand, _: Path) -> None:
    """Group the runs by the learning rate; the lines are means with their standard deviation."""
    hand.click('[data-menu="group-by-rail"]')
    hand.click('#group-by-rail [data-value="param:learning_rate"]')
    expect(hand.page.locator(".group-legend li")).to_have_count(4)


def label_runs(hand: Hand, _: Path) -> None:
    """Label three runs."""
    for run in range(3):
        hand.clicks += 1
        hand.page.locator(f'.run-line[data-run="sweep/lr=0.1 seed={run}"] .mark-run').click()
    hand.click('.action-bar [data-action="label"]')
    hand.type("paper")
    hand.press("Enter")
    expect(hand.page.locator(".run-line .label-chip", has_text="paper")).to_have_count(3)


def find_label(hand: Hand, _: Path) -> None:
    """List the runs with a label."""
    hand.click("#over-filter")
    hand.type("label:paper")
    expect(hand.page.locator(".run-line")).to_have_count(3)


def archive(hand: Hand, _: Path) -> None:
    """Archive a run that failed."""
    hand.clicks += 1
    hand.page.locator(f'.run-line[data-run="{FAILED}"] .mark-run').click()
    hand.click('.action-bar [data-action="archive"]')
    expect(hand.page.locator(f'.run-line[data-run="{FAILED}"]')).to_have_count(0)
    hand.page.locator('[data-key="undo"]').click()
    expect(hand.page.locator(f'.run-line[data-run="{FAILED}"]')).to_have_count(1)


def traceback(hand: Hand, _: Path) -> None:
    """Read why a run failed."""
    hand.clicks += 1
    hand.page.locator(f'.run-line[data-run="{FAILED}"] a.run-name').click()
    expect(hand.find(".run-error")).to_contain_text("CUDA error: out of memory")
    hand.click(".run-error summary")
    expect(hand.find(".run-error pre")).to_contain_text("raise RuntimeError")


def against_baseline(hand: Hand, _: Path) -> None:
    """Compare all runs to one of them."""
    hand.clicks += 1
    hand.page.locator(f'.run-line[data-run="{BEST}"] .mark-run').click()
    hand.click('.action-bar [data-action="baseline"]')
    expect(hand.page.locator('td[data-column="delta:validation/accuracy"] .worse').first).to_be_visible()


def six_panels(hand: Hand, _: Path) -> None:
    """Compose a workspace of six panels, and copy a link to it."""
    hand.click('[data-key="start"]')
    expect(hand.page.locator(".panel").first).to_be_visible()
    while hand.page.locator(".panel").count() < 6:
        before = hand.page.locator(".panel").count()
        hand.click('[data-key="add-panel"]')
        hand.click('#add-panel [data-kind="number"]')
        expect(hand.page.locator(".panel")).to_have_count(before + 1)
    hand.click(".copy-link button")
    expect(hand.page.locator(".copy-link")).to_contain_text("opied")


def first_nan(hand: Hand, _: Path) -> None:
    """Go to the first NaN of a run."""
    hand.clicks += 1
    hand.page.locator(f'.run-line[data-run="{DIVERGED}"] a.run-name').click()
    expect(hand.find(".bad-news")).to_contain_text(f"First NaN at step {NAN} in train/loss")
    hand.click('[data-key="bad-look"]')
    expect(hand.card("train/loss")).to_be_visible()


def live_on_a_phone(hand: Hand, logdir: Path) -> None:
    """Follow a run that is training."""
    ended = threading.Event()
    training = threading.Thread(target=record_live, args=(logdir / LIVE, ended))
    training.start()
    try:
        card = hand.card("live/loss")
        card.scroll_into_view_if_needed()
        expect(card).not_to_have_attribute("data-drawn-points", "0")
        before = int(card.get_attribute("data-total") or "0")
        hand.page.wait_for_timeout(3000)
        assert int(card.get_attribute("data-total") or "0") > before
    finally:
        ended.set()
        training.join()


def only_keys(hand: Hand, _: Path) -> None:
    """Open the page of a run, and label it, without a mouse."""
    expect(hand.page.locator(".run-line").first).to_be_visible()
    hand.press("j", "x", "Shift+L")
    hand.type("by key")
    hand.press("Enter", "Escape", "e")
    expect(hand.page.locator(".run-page .label-chip")).to_have_text("by key")


def only_the_best(hand: Hand, _: Path) -> None:
    """Show the charts of the three best runs alone."""
    hand.click("#run-filter")
    hand.type("max(validation/accuracy)>0.59 -diverged")
    expect(hand.page.locator("#rail .run")).to_have_count(3)
    expect(hand.card("train/loss")).to_be_visible()


def csv_of_a_chart(hand: Hand, _: Path) -> None:
    """Download the exact values of a chart."""
    card = hand.card("train/loss")
    card.hover()
    hand.clicks += 1
    card.locator('[data-key="menu"]').click()
    with hand.page.expect_download() as downloading:
        hand.click('[data-key="csv"]')
    assert downloading.value.suggested_filename == "train_loss.csv"


def smooth_and_log(hand: Hand, _: Path) -> None:
    """Smooth all charts, on a logarithmic axis."""
    hand.click('input[type="number"]')
    hand.press("Control+a")
    hand.type("0.9")
    hand.press("Enter")
    hand.click('[data-choice="scale"] [data-value="log"]')
    hand.page.wait_for_function("() => location.hash.includes('smooth=0.9')")


def linked_zoom(hand: Hand, _: Path) -> None:
    """Zoom all charts to the same steps."""
    hand.drag("train/loss", 200, 400)
    expect(hand.card("validation/loss")).to_have_attribute(
        "data-window", hand.card("train/loss").get_attribute("data-window") or ""
    )


def snapshot(hand: Hand, _: Path) -> None:
    """Make a file of the view that can be sent."""
    hand.click('[data-key="views"]')
    hand.click('[data-key="snapshot"]')
    hand.click('[data-dialog="snapshot"] [data-key="create"]')
    with hand.page.expect_download() as downloading:
        hand.click('[data-dialog="snapshot"] [data-key="download"]')
    assert downloading.value.path().stat().st_size > 100_000


def save_view(hand: Hand, _: Path) -> None:
    """Save the view for everyone, and open it again."""
    hand.click('[data-key="views"]')
    hand.click(".views-save input")
    hand.type("Daily")
    hand.press("Enter")
    expect(hand.page.locator('[data-view="Daily"]')).to_have_attribute("aria-current", "true")


SCALARS = "page=scalars"
TASKS = [
    Task("Find the best run by a validation metric", best_run, tensorboard="5 clicks"),
    Task("See which parameter matters", parameter_that_matters, tensorboard="no: parallel axes"),
    Task("Read the losses of two runs at step 500", loss_at_a_step, SCALARS, "2 clicks, 1 key, near the step"),
    Task("Zoom to a spike and read its value", spike, SCALARS, "2 clicks, near the spike"),
    Task("Draw the gap between training and validation", gap, "page=workspace"),
    Task("Group by a parameter: mean and deviation", mean_of_groups, SCALARS),
    Task("Label three runs", label_runs),
    Task("Find runs by a label", find_label),
    Task("Archive a run", archive),
    Task("Read the traceback of a failed run", traceback),
    Task("Compare all runs to a baseline", against_baseline),
    Task(
        "Compose a workspace of six panels and share it",
        six_panels,
        "page=workspace",
        "no: layouts are written by code",
    ),
    Task("Go to the first NaN", first_nan, tensorboard="no: scroll and look"),
    Task("Follow a live run on a phone", live_on_a_phone, SCALARS, "2 clicks", is_phone=True),
    Task("Open and label a run by keyboard alone", only_keys),
    Task("Show the best three runs alone", only_the_best, SCALARS, "1 click, 1 key, by name"),
    Task("Download the values of a chart as CSV", csv_of_a_chart, SCALARS, "5 clicks, one run"),
    Task("Smooth all charts on a logarithmic axis", smooth_and_log, SCALARS, "1 click, 3 keys, and 2 clicks a chart"),
    Task("Zoom all charts to the same steps", linked_zoom, SCALARS, "no: chart by chart"),
    Task("Save the view for everyone", save_view, SCALARS),
    Task("Send the view as a file", snapshot, SCALARS),
]


def run_task(browser: Browser, task: Task, url: str, logdir: Path) -> Hand:
    """Do a task in a new browser context."""
    size = {"width": 400, "height": 800} if task.is_phone else {"width": 1440, "height": 900}
    context = browser.new_context(viewport=size, has_touch=task.is_phone, accept_downloads=True)  # type: ignore[arg-type] # A dict with the keys of ViewportSize.
    try:
        page = context.new_page()
        page.goto(f"{url}#{task.address or 'page=overview'}")
        expect(
            page.locator(".run-line, scalar-card[data-drawn-points], .ws-empty, [data-key='start']").first
        ).to_be_visible()
        hand = Hand(page)
        task.do(hand, logdir)
        return hand
    finally:
        context.close()


def main() -> None:
    """Do the tasks whose titles contain one of the arguments; all, without arguments."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", nargs="*", help="a part of its title")
    chosen = parser.parse_args().task
    expect.set_options(timeout=15_000)
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        logdir = Path(folder) / "runs"
        record_day(logdir)
        with serve(logdir, "--data-dir", f"{folder}/data", "--index-dir", f"{folder}/index") as (_, url):
            are_done = True
            print(f"{'task':52} {'clicks':>6} {'keys':>5} {'seconds':>8}  TensorBoard")
            for task in TASKS:
                if chosen and not any(part.lower() in task.title.lower() for part in chosen):
                    continue
                begin = time.monotonic()
                try:
                    hand = run_task(browser, task, url, logdir)
                    seconds = time.monotonic() - begin
                    print(
                        f"{task.title:52} {hand.clicks:6} {hand.keys:5} {seconds:8.1f}  {task.tensorboard}", flush=True
                    )
                except (AssertionError, Error) as error:
                    are_done = False
                    print(f"{task.title:52} FAILED: {json.dumps(str(error))[:300]}", flush=True)
    if not are_done:
        sys.exit(1)


if __name__ == "__main__":
    main()
