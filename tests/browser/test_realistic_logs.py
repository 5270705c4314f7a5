"""The charts of long, noisy fine-tunings with their default settings, measured in a real browser."""

import statistics
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect
from support.pages import Pages, StartServer

from toposcope.server import open as open_logdir

SCRIPT = Path(__file__).parents[2] / "benchmarks/realistic_runs.py"

COUNT_LABELS = """
const draw = CanvasRenderingContext2D.prototype.fillText;
window.labels = new Map();
CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
  const tag = this.canvas.closest("scalar-card")?.dataset.tag;
  const axis = this.textAlign === "center" ? "x" : this.textBaseline === "middle" ? "y" : "";
  if (tag && axis) window.labels.set(`${tag} ${axis} ${text}`, [tag, axis]);
  return draw.call(this, text, ...place);
};
const clear = CanvasRenderingContext2D.prototype.clearRect;
CanvasRenderingContext2D.prototype.clearRect = function (...area) {
  const tag = this.canvas.closest("scalar-card")?.dataset.tag;
  if (tag && !this.canvas.classList.contains("lines"))
    for (const [key, [of]] of window.labels) if (of === tag) window.labels.delete(key);
  return clear.call(this, ...area);
};
"""

MEASURE = """card => {
  const [low, high] = card.plot.y.left;
  const [left, right] = card.plot.x;
  const shares = card.plot.lines.filter(({ raw }) => raw).flatMap(({ xs, ys }) => [...ys]
    .filter((y, at) => Number.isFinite(y) && xs[at] >= left && xs[at] <= right)
    .map((y) => (Math.min(Math.max(y, low), high) - low) / (high - low)));
  return {
    shares: shares.sort((a, b) => a - b),
    extremes: card.plot.lines.map(({ run, series }) => [run, series.min?.value ?? null, series.max?.value ?? null]),
  };
}"""


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the fine-tunings with a tenth of their steps."""
    out = tmp_path_factory.mktemp("realistic")
    subprocess.run([sys.executable, SCRIPT, "--out", out, "--only", "llm", "--scale", "0.1"], check=True)
    return out / "llm"


def test_smoothed_lines_use_the_height_and_statistics_stay_exact(logs: Path, server: StartServer, pages: Pages) -> None:
    """In the median they use 60 % of it between their 2nd and 98th percentiles; every axis has three labels or more."""
    page = pages.open(width=1440, height=6000)
    page.add_init_script(COUNT_LABELS)
    page.goto(server(logs).url)
    cards = page.locator("scalar-card")
    expect(cards).to_have_count(60)
    for place in range(60):
        expect(cards.nth(place)).to_have_attribute("data-pending", "false")
        expect(cards.nth(place).locator("canvas").first).to_be_visible()
    used = []
    runs = open_logdir(logs).runs
    for card in cards.all():
        measured: dict[str, Any] = card.evaluate(MEASURE)
        shares = measured["shares"]
        if shares:
            used.append(np.quantile(shares, 0.98) - np.quantile(shares, 0.02))
        for run, least, most in measured["extremes"]:
            value = runs[run].scalars(card.get_attribute("data-tag") or "").value
            finite = value[np.isfinite(value)]
            assert [least, most] == [finite.min(), finite.max()]
    assert len(used) > 30
    assert statistics.median(used) >= 0.6
    labels = Counter(map(tuple, page.evaluate("[...window.labels.values()]")))
    assert len(labels) == 120
    assert min(labels.values()) >= 3
