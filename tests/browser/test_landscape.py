"""The landscape page in a browser: maps show the contents of the files, and the training path can be played."""

import io
import json
import math
import re
import shutil
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from support.element_state import expect_state, state_of
from support.event_files import GOLDEN, landscape_event, write_run
from support.landscape_panes import drawn, pane
from support.pages import Pages, StartServer

from toposcope.recorder import SummaryRecord, landscape

HOSTILE = "<img src=x onerror=alert(1)>"
RUN = "digits_momentum"
INTERVAL, FINAL = "landscape_[1, 4]", "landscape_[4]"
SEES = json.loads((GOLDEN / "mindspore" / RUN / "mindinsight_sees.json").read_text())[RUN]["landscape"]
DIGITS = 1e-8
"""The page requests nine digits of the losses on a surface; downloads contain all digits."""
EXPECTED = json.loads((GOLDEN / "mindspore" / RUN / "expected.json").read_text())["landscape"]


def bowl(tag: str, folder: Path, size: int = 9, lift: float = 0.1, steps: int = 20, step: int = 1) -> None:
    """Record a round landscape with a path into its middle, and the loss curve of its training."""
    axis = np.linspace(-1, 1, size)
    x, y = np.meshgrid(axis, axis)
    along = np.linspace(-0.8, 0, 5)
    path = (along, along, 2 * along**2 + lift)
    with SummaryRecord(str(folder)) as record:
        for at in range(steps):
            record.add_value("scalar", "loss", 1 / (at + 1))
            record.record(at)
        record.add_value(
            "landscape",
            tag,
            landscape(
                axis,
                axis,
                x**2 + y**2 + lift,
                path=path,
                intervals=[0, 4, 8, 12, 16],
                convergence_point=(0, 0, lift),
                unit="step",
                decomposition="PCA",
            ),
        )
        record.record(steps + step)


@pytest.fixture(scope="module")
def golden(shared_server: StartServer, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the address of a server on the golden run."""
    logdir = tmp_path_factory.mktemp("golden")
    shutil.copytree(GOLDEN / "mindspore" / RUN, logdir / RUN)
    return shared_server(logdir).url


def test_covered_range_keeps_its_position_on_a_resized_curve(golden: str, page: Page) -> None:
    """The range covered by a landscape is moved after the curve has been drawn again."""
    page.goto(golden + "#page=landscape")
    curve = page.locator("landscape-loss")
    expect(curve.locator(".land-range")).to_be_visible()
    share = """(curve) => {
        const [plot, range] = [".u-over", ".land-range"].map((one) => curve.querySelector(one).getBoundingClientRect());
        return [range.left - plot.left, plot.right - range.right].map((gap) => gap / plot.width);
    }"""
    wide = curve.evaluate(share)
    box = curve.bounding_box()
    assert box
    width = box["width"]
    page.set_viewport_size({"width": 1000, "height": 900})
    page.wait_for_function(f"() => Math.abs(document.querySelector('landscape-loss').clientWidth - {width}) > 20")
    page.wait_for_function(
        f"wide => ({share})(document.querySelector('landscape-loss'))"
        ".every((gap, at) => Math.abs(gap - wide[at]) <= 0.03)",
        arg=wide,
    )


def test_golden_run_is_drawn_as_mindinsight_shows_it(golden: str, page: Page) -> None:
    """Grid, path and convergence point of both landscapes, provenance, and the loss curve with the covered range."""
    page.goto(golden + "#page=landscape")
    shown = pane(page, INTERVAL, RUN)
    expect(shown.locator("path.contour").first).to_be_visible()
    sees = SEES["intervals"][0][1][0]
    interval = drawn(shown)
    assert (interval["x"], interval["y"]) == (sees["points"]["x"], sees["points"]["y"])
    np.testing.assert_allclose(np.reshape(interval["z"], (8, 8)), sees["points"]["z"], DIGITS)
    np.testing.assert_allclose(interval["z"], EXPECTED[INTERVAL]["z"], DIGITS)
    assert {name: interval["path"][name] for name in sees["path"]} == sees["path"]
    assert interval["path"]["z"] == EXPECTED[INTERVAL]["path_z"]
    assert interval["convergence"] == sees["convergence_point"]
    expect(shown.locator("circle.checkpoint")).to_have_count(4)
    expect(shown.locator(".start, .end, .convergence")).to_have_count(3)
    for name, text in {
        "network": "SmallConv",
        "optimizer": "Momentum",
        "learning_rate": "0.05",
        "loss": "0.1597",
        "decomposition": "PCA",
        "resolution": "8 \N{MULTIPLICATION SIGN} 8",
        "unit": "epoch",
        "step_per_epoch": "23",
        "metric.accuracy": "0.8472",
    }.items():
        expect(page.locator(f'[data-fact="{name}"]')).to_have_text(text)
    curve = page.locator("landscape-loss")
    expect_state(curve, "ranges", [[23, 92]])
    expect_state(curve, "lines", [[RUN, 19], [RUN, 4]])

    page.locator('[data-choice="land-tag"] button').last.click()
    shown = pane(page, FINAL, RUN)
    expect(shown.locator("path.contour").first).to_be_visible()
    sees = SEES["final"][0]
    np.testing.assert_allclose(np.reshape(drawn(shown)["z"], (8, 8)), sees["points"]["z"], DIGITS)
    assert drawn(shown)["convergence"] == sees["convergence_point"]
    expect(shown.locator(".convergence")).to_have_attribute("data-x", str(sees["convergence_point"][0]))
    expect(page.locator('[data-fact="decomposition"]')).to_have_text("Random")
    expect(page.locator(".land-player")).to_have_count(0)


def test_contour_lines_separate_higher_from_lower_points(golden: str, page: Page) -> None:
    """A line crosses an edge of the grid an odd number of times exactly if its level is between the two losses."""
    for options in ("", "&land.z=log", "&land.between=straight&land.view=contours"):
        page.goto(golden + f"#page=landscape&land.levels=10{options}")
        shown = pane(page, INTERVAL, RUN)
        expect(shown).to_have_attribute("data-scale", "log" if "log" in options else "linear")
        expect(shown.locator("path.contour").first).to_be_visible()
        if "contours" in options:
            expect(shown.locator("path.area")).to_have_count(0)
        grid = drawn(shown)
        z = np.reshape(grid["z"], (8, 8))
        heights = np.log10(z) if "log" in options else z
        box = page.evaluate(
            """() => { const box = document.querySelector('clipPath rect').getBBox();
            return [box.x, box.y, box.width, box.height]; }"""
        )
        lines = shown.locator("path.contour").evaluate_all(
            "paths => paths.map(path => [Number(path.dataset.level), path.getAttribute('d')])"
        )
        assert len(lines) >= 6
        rows = [box[1] + box[3] * (grid["y"][-1] - y) / (grid["y"][-1] - grid["y"][0]) for y in grid["y"]]
        columns = [box[0] + box[2] * (x - grid["x"][0]) / (grid["x"][-1] - grid["x"][0]) for x in grid["x"]]
        for level, path in lines:
            crossed = crossings(path, rows[3])
            for column, (one, other) in enumerate(pairwise(heights[3])):
                if min(abs(one - level), abs(other - level)) < 0.01:
                    continue
                inside = [each for each in crossed if columns[column] < each < columns[column + 1]]
                assert len(inside) % 2 == int((one > level) != (other > level)), (level, column)
        levels = [level for level, _ in lines]
        assert np.allclose(np.diff(levels), levels[1] - levels[0])


def crossings(path: str, top: float) -> list[float]:
    """Return where an SVG path crosses a horizontal line."""
    lefts = []
    for piece in path.split("M")[1:]:
        points = [tuple(map(float, point.split())) for point in piece.split("L")]
        for (left, one), (right, other) in pairwise(points):
            if (one > top) != (other > top):
                lefts.append(left + (right - left) * (top - one) / (other - one))
    return lefts


def test_without_webgl_contours_are_shown(golden: str, pages: Pages) -> None:
    """The page reports that there is no surface, and draws the map."""
    page = pages.open()
    page.add_init_script("HTMLCanvasElement.prototype.getContext = new Proxy(HTMLCanvasElement.prototype.getContext, {"
                         "apply: (get, canvas, [kind, ...more]) => "
                         "/webgl/.test(kind) ? null : Reflect.apply(get, canvas, [kind, ...more])})")  # fmt: skip
    page.goto(golden + "#page=landscape&land.view=surface")
    expect(page.locator('[data-note="no_surface"]')).to_contain_text("WebGL")
    expect(pane(page, INTERVAL, RUN)).to_have_attribute("data-view", "filled")
    expect(page.locator("path.area").first).to_be_visible()


def test_path_is_played_and_stepped(golden: str, page: Page) -> None:
    """Keys and buttons move the current position; map, curve and URL follow."""
    page.goto(golden + "#page=landscape")
    shown, player, curve = pane(page, INTERVAL, RUN), page.locator(".land-player"), page.locator("landscape-loss")
    expect(player.locator("output")).to_have_text("step 92")
    page.keyboard.press("[")
    page.keyboard.press("[")
    expect(player.locator("output")).to_have_text("step 46")
    expect(page).to_have_url(re.compile(r"land\.at=46"))
    sees = SEES["intervals"][0][1][0]["path"]
    expect_state(shown, "head", [sees["x"][1], sees["y"][1]])
    expect(shown.locator(".head")).to_have_attribute("visibility", "visible")
    expect(curve).to_have_attribute("data-moment", "46")
    expect(curve.locator(".land-now-dot")).to_have_count(1)
    page.clock.install(time=0)
    page.reload()
    expect(player.locator("output")).to_have_text("step 46")

    page.locator('[data-select="speed"]').select_option("4")
    page.clock.pause_at(3600)
    page.keyboard.press("p")
    expect(player).to_have_attribute("data-playing", "true")
    page.clock.run_for(500)
    page.keyboard.press("p")
    expect(player).to_have_attribute("data-playing", "false")
    expect(page).not_to_have_url(re.compile(r"land\.at=46(&|$)"))
    match = re.search(r"land\.at=([\d.]+)", page.url)
    assert match is not None
    moment = float(match[1])
    share = (moment - 46) / 23 if moment < 69 else (moment - 69) / 23
    at = 1 if moment < 69 else 2
    assert math.isclose(
        state_of(shown)["head"][0], sees["x"][at] + share * (sees["x"][at + 1] - sees["x"][at]), rel_tol=1e-5
    )
    page.clock.resume()
    page.locator('[data-key="play"]').click()
    expect(player).to_have_attribute("data-playing", "false")
    expect(player.locator("output")).to_have_text("step 92")
    page.keyboard.press("y")
    expect(shown).to_have_attribute("data-scale", "log")
    page.keyboard.press("v")
    expect(shown).to_have_attribute("data-view", "contours")
    page.keyboard.press("?")
    expect(page.locator(".keys")).to_contain_text("play or pause the path")


def test_a_large_grid_is_drawn_in_part_until_it_is_zoomed(server: StartServer, page: Page, tmp_path: Path) -> None:
    """A note reports the decimation; a zoomed part is drawn in full, and the URL restores it."""
    bowl("large", tmp_path / "run", size=201)
    page.goto(server(tmp_path).url + "#page=landscape")
    shown = pane(page, "large", "run")
    expect(shown.locator('[data-note="decimated"]')).to_have_text(re.compile(r"129 . 129"))
    page.goto(page.url + "&land.zoom=-0.25,0.25,-0.25,0.25")
    page.reload()
    expect(shown.locator('[data-key="reset"]')).to_be_visible()
    expect(shown.locator("path.contour").first).to_be_visible()
    expect(shown.locator('[data-note="decimated"]')).to_have_count(0)


def test_pointing_keys_and_zoom(golden: str, page: Page) -> None:
    """The read-out shows the loss under the pointer; arrow keys move between measured points; a box zooms."""
    page.goto(golden + "#page=landscape")
    shown = pane(page, INTERVAL, RUN)
    expect(shown.locator("path.contour").first).to_be_visible()
    read_out = page.locator("#land-read-out")
    shown.locator('circle.checkpoint[data-at="1"]').hover()
    expect(read_out).to_contain_text("epoch 2 · step 46")
    expect(read_out).to_contain_text("loss 0.3336")
    expect(page.locator("landscape-loss")).to_have_attribute("data-moment", "46")
    plot = shown.locator(".land-plot")
    plot.focus()
    page.keyboard.press("ArrowRight")
    expect(read_out).to_contain_text("measured here")
    expect(read_out).to_contain_text(f"loss {EXPECTED[INTERVAL]['z'][4 * 8 + 4]:.4g}")
    page.keyboard.press("ArrowUp")
    expect(read_out).to_contain_text(f"loss {EXPECTED[INTERVAL]['z'][5 * 8 + 4]:.4g}")
    expect(plot).to_have_attribute("aria-label", re.compile("8 by 8 losses from 0.102 to 3.05"))

    box = plot.bounding_box()
    assert box
    before = shown.locator("path.contour").first.get_attribute("d")
    page.mouse.move(box["x"] + 200, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 400, box["y"] + 420, steps=3)
    page.mouse.up()
    expect(page).to_have_url(re.compile(r"land\.zoom="))
    expect(shown.locator("path.contour").first).not_to_have_attribute("d", before or "")
    shown.locator('[data-key="reset"]').click()
    expect(shown.locator("path.contour").first).to_have_attribute("d", before or "")


def test_comparison_on_one_scale_and_downloads(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Runs side by side share heights and colours; pictures and data can be downloaded."""
    bowl("loss", tmp_path / "low", lift=0.1)
    bowl("loss", tmp_path / HOSTILE, lift=5.0)
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.goto(server(tmp_path, "--path-prefix", "/topo").url + "#page=landscape&land.run=low")
    page.locator('[data-select="land-compare"]').select_option(label=f"{HOSTILE} · loss")
    expect(page.locator("landscape-pane")).to_have_count(2)
    other = pane(page, "loss", HOSTILE)
    expect(other.locator("path.contour").first).to_be_visible()
    for each in (pane(page, "loss", "low"), other):
        expect_state(each, "range", [0.1, 7.0])
    expect(other.locator("h2")).to_contain_text("<img src=x")
    expect(page.locator('img[src="x"]')).to_have_count(0)

    files = {}
    for kind in ("svg", "png", "csv", "html", "npz", "vti", "vtp"):
        other.locator('[data-key="download"]').click()
        with page.expect_download() as download:
            page.locator(f'#land-downloads [data-key="{kind}"]').click()
        files[kind] = Path(download.value.path()).read_bytes()
    assert files["png"].startswith(b"\x89PNG")
    assert HOSTILE.encode() not in files["svg"]
    assert b"&lt;img src=x onerror=alert(1)&gt;" in files["svg"]
    assert b'class="contour"' in files["svg"]
    rows = files["csv"].decode().split("\r\n")
    assert len(rows) == 1 + 81 + 5 + 1 + 1
    assert rows[-2] == "convergence,,,0.0,0.0,5.0,,,,,"
    assert rows[-3] == "path,16,16,0.0,0.0,5.0,,,,,"
    assert b"Plotly.newPlot" in files["html"]
    with np.load(io.BytesIO(files["npz"])) as arrays:
        np.testing.assert_allclose(arrays["z"].ravel(), drawn(other)["z"], DIGITS)
    assert b'WholeExtent="0 8 0 8 0 0"' in files["vti"]
    assert b'NumberOfPoints="5"' in files["vtp"]
    other.locator('[data-key="leave-out"]').click()
    expect(page.locator("landscape-pane")).to_have_count(1)


def test_losses_without_a_height_are_noted(server: StartServer, pages: Pages, tmp_path: Path) -> None:
    """Zero, negative and non-finite losses are counted; unreadable landscapes give a reason; narrow; Chinese."""
    axis = [0.0, 1.0, 2.0]
    z = [[1.0, 2.0, 3.0], [0.0, -1.0, 4.0], [float("nan"), 5.0, float("inf")]]
    with SummaryRecord(str(tmp_path / "run")) as record:
        record.add_value("landscape", "odd", landscape(axis, axis, z))
        record.record(1)
    write_run(tmp_path / "bad", [landscape_event(2.0, "broken", {})])
    url = server(tmp_path).url
    page = pages.open()
    page.goto(url + "#page=landscape&land.run=run&land.z=log")
    shown = pane(page, "odd", "run")
    expect(shown.locator('[data-note="dropped"]')).to_contain_text("2 losses are zero or negative")
    expect(shown.locator('[data-note="non_finite"]')).to_contain_text("2 losses are not finite")
    assert np.allclose(state_of(shown)["range"], [0, math.log10(5)])
    page.locator('[data-choice="land-z"] [data-value="linear"]').click()
    expect(shown.locator('[data-note="dropped"]')).to_have_count(0)
    expect_state(shown, "range", [-1, 5])
    page.goto(url + "#page=landscape&land.run=bad")
    expect(pane(page, "broken", "bad").locator('[data-note="error"]')).to_contain_text("no surface")

    narrow = pages.open(width=400, height=800, lang="zh-CN")
    narrow.goto(url + "#page=landscape&land.run=run&land.view=contours")
    expect(pane(narrow, "odd", "run").locator("path.contour").first).to_be_visible()
    assert narrow.evaluate(
        "document.documentElement.scrollWidth <= 400 && document.querySelector('#page').scrollWidth <= 400"
    )
    expect(narrow.locator('[data-choice="land-view"]')).to_have_text(re.compile("填充\\s*等高线\\s*曲面"))
