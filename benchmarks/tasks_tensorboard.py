"""The tasks that TensorBoard can do, done in Chromium on the values of tasks.py; clicks and keys are counted as there.

python benchmarks/tasks_tensorboard.py    (make bench-tasks)

Every task begins at its page of time series. A task that it does only in part says so in its title.
"""

import math
import random
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from browsing import chromium, serve_tensorboard
from day_runs import SPIKE, STEPS
from playwright.sync_api import Browser, Error, expect
from tasks import Hand

from toposcope.recorder import SummaryWriter

CHART = "scalar-card .series-view"
LOSS_MENU = 'scalar-card button[aria-label="More line chart options"]'


def record_sweep(logdir: Path) -> None:
    """Record the sweep of day_runs.py as event files of TensorBoard."""
    for rate in (0.001, 0.01, 0.1):
        for seed in range(3):
            noise = random.Random(seed)
            accuracy = 0.5 + rate + seed / 100
            with SummaryWriter(str(logdir / f"sweep/lr={rate:g} seed={seed}")) as writer:
                parameters = {"learning_rate": rate, "batch_size": 32 + seed}
                writer.add_hparams(parameters, {"validation/accuracy": accuracy}, run_name=".")
                for step in range(STEPS + 1):
                    spike = 3 if step == SPIKE else 0
                    loss = math.exp(-20 * rate * step / STEPS) + 0.02 * noise.random() + spike
                    writer.add_scalar("train/loss", loss, step)


def point(hand: Hand, across: float) -> list[int]:
    """Point at a place of the first chart; return the step that its read-out has of each run."""
    hand.clicks += 1
    box = hand.find(CHART).bounding_box()
    assert box is not None
    hand.page.mouse.move(box["x"] + across * box["width"] - 5, box["y"] + 60)
    hand.page.mouse.move(box["x"] + across * box["width"], box["y"] + 60)
    expect(hand.find(".tooltip-row, .tooltip tr", "sweep")).to_be_visible()
    lines = hand.page.locator(".tooltip-row, .tooltip tr").filter(has_text="sweep").all_inner_texts()
    return [int(line.strip().split("\t")[3].replace(",", "")) for line in lines]


def best_run(hand: Hand) -> None:
    """Sort the table of hyperparameters by a metric, the largest first."""
    hand.click("[role=tab]", "HPARAMS")
    hand.click("paper-dropdown-menu", "Sort by")
    hand.click("paper-item", "validation/accuracy")
    hand.click("paper-dropdown-menu", "Direction")
    hand.click("paper-item", "Descending")
    expect(hand.find("vaadin-grid-cell-content", "sweep/")).to_contain_text("lr=0.1 se")


def loss_at_a_step(hand: Hand) -> None:
    """List two runs, and point at the middle of the steps."""
    hand.click('input[placeholder="Filter runs (regex)"]')
    hand.type("lr=0.1 seed=0|lr=0.01 seed=0")
    expect(hand.page.locator("runs-data-table tb-data-table-content-row").filter(visible=True)).to_have_count(2)
    assert len(point(hand, 0.5)) == 2


def spike(hand: Hand) -> None:
    """Drag a box around the spike, and point at it."""
    hand.clicks += 1
    box = hand.find(CHART).bounding_box()
    assert box is not None
    hand.page.mouse.move(box["x"] + 0.66 * box["width"], box["y"] + 10)
    hand.page.mouse.down()
    hand.page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 190, steps=4)
    hand.page.mouse.up()
    assert all(abs(step - SPIKE) < STEPS / 25 for step in point(hand, 0.5))


def only_the_best(hand: Hand) -> None:
    """List the three best runs, whose names have to be known."""
    hand.click('input[placeholder="Filter runs (regex)"]')
    hand.type("lr=0.1 ")
    expect(hand.page.locator("runs-data-table tb-data-table-content-row").filter(visible=True)).to_have_count(3)


def csv_of_a_chart(hand: Hand) -> None:
    """Download the values of one run of a chart."""
    hand.click(LOSS_MENU)
    hand.click("[role=menuitem]", "Download data")
    hand.clicks += 2  # The list of runs, and a run.
    hand.find("data_download_dialog select").select_option(index=1)
    with hand.page.expect_download():
        hand.click("data_download_dialog a", "CSV")


def smooth_and_log(hand: Hand) -> None:
    """Smooth all charts; make the axis of one logarithmic."""
    hand.click(".scalars-smoothing input.slider-input, input.slider-input")
    hand.press("Control+a")
    hand.type("0.9")
    hand.press("Enter")
    hand.click(LOSS_MENU)
    hand.click("[role=menuitem]", "Toggle Y-axis log scale")
    hand.page.wait_for_url(re.compile("smoothing=0.9"))


def reload_data(hand: Hand) -> None:
    """Switch the reloading of data on."""
    hand.click("settings-button button")
    hand.click("mat-dialog-container mat-checkbox input", "")
    expect(hand.find("mat-dialog-container mat-checkbox input")).to_be_checked()


TASKS: dict[str, Callable[[Hand], None]] = {
    "Find the best run by a validation metric": best_run,
    "Read the losses of two runs near a step": loss_at_a_step,
    "Zoom to a spike and read a value near it": spike,
    "Show the best three runs alone, by name": only_the_best,
    "Download the values of one run as CSV": csv_of_a_chart,
    "Smooth all charts, one on a logarithmic axis": smooth_and_log,
    "Follow a live run": reload_data,
}


def do_task(browser: Browser, url: str, do: Callable[[Hand], None]) -> Hand:
    """Do a task in a new browser context."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, accept_downloads=True)
    try:
        hand = Hand(context.new_page())
        hand.page.goto(url)
        expect(hand.find(CHART)).to_be_visible()
        hand.page.wait_for_load_state("networkidle")
        do(hand)
        return hand
    finally:
        context.close()


def main() -> None:
    """Do all tasks."""
    expect.set_options(timeout=15_000)
    are_done = True
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        record_sweep(Path(folder))
        with serve_tensorboard(Path(folder)) as url:
            print(f"{'task in TensorBoard':52} {'clicks':>6} {'keys':>5}")
            for title, do in TASKS.items():
                try:
                    hand = do_task(browser, url, do)
                    print(f"{title:52} {hand.clicks:6} {hand.keys:5}", flush=True)
                except (AssertionError, Error) as error:
                    are_done = False
                    print(f"{title:52} FAILED: {str(error)[:300]!r}", flush=True)
    if not are_done:
        sys.exit(1)


if __name__ == "__main__":
    main()
