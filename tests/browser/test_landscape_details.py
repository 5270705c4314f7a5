"""Landscapes with diagnostics in a browser: real losses, reliability, publications, planes, the shared cursor."""

import math
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Page, Route, expect
from support import landscape_details
from support.element_state import expect_state, state_of
from support.event_files import GOLDEN
from support.landscape_events import newest
from support.landscape_panes import drawn, pane, publish
from support.outlier_training import TAG, train_with_outliers
from support.pages import OF_GRAPHICS, Pages, StartServer

from toposcope.recorder import SummaryRecord

RUN = "digits_momentum"


def test_first_surface_is_announced(server: StartServer, pages: Pages, tmp_path: Path) -> None:
    """A message is shown until the surface, whose library is loaded on first use, is drawn."""
    pages.allowed = OF_GRAPHICS
    page = pages.open(width=800, height=460)
    publish(tmp_path / "run", "a", landscape_details.bowl(1))
    held: list[Route] = []
    page.route(re.compile("plotly-gl3d"), lambda route: held.append(route))
    page.goto(server(tmp_path).url + "#page=landscape&land.view=surface")
    message = page.get_by_text("Drawing the surface")
    expect(message).to_be_visible()
    expect(pane(page, "a", "run")).to_have_attribute("data-surface", "waiting")
    held[0].continue_()
    expect(pane(page, "a", "run")).to_have_attribute("data-surface", "drawn")
    expect(message).to_be_hidden()


def test_surface_is_rotated_and_keeps_its_camera(server: StartServer, pages: Pages, tmp_path: Path) -> None:
    """One WebGL surface shares its cursor with the map; the camera is kept while the landscape is refined."""
    pages.allowed = OF_GRAPHICS
    # Small, since without a GPU the CPU draws every pixel.
    page = pages.open(width=1110, height=460)
    publish(tmp_path / "run", "a", landscape_details.bowl(1))
    publish(tmp_path / "other", "b", landscape_details.bowl(1, provenance={"axes": "plane one", "samples": "others"}))
    url = server(tmp_path, "--reload-interval", "0.3").url
    page.goto(
        f"{url}#page=landscape&land.view=both&land.between=straight&land.run=run&land.compare=other,b"
        "&land.camera=1.2,0.9,1.1,0,0,-0.1"
    )
    shown, other = pane(page, "a", "run"), pane(page, "b", "other")
    expect(shown).to_have_attribute("data-surface", "drawn")
    expect(page.locator("landscape-pane canvas")).to_have_count(shown.locator("canvas").count())
    expect(other).to_have_attribute("data-view", "filled")

    def now() -> Any:
        return shown.locator(".land-surface").evaluate(
            "host => { const {eye} = host._fullLayout.scene._scene.getCamera(); return [eye.x, eye.y, eye.z]; }"
        )

    assert np.allclose(now(), [1.2, 0.9, 1.1], atol=1e-3)
    surface, thin, line, points = shown.locator(".land-surface").evaluate(
        "host => host.data.map(({x, y, z}) => ({x, y, z}))"
    )
    assert np.ravel(surface["z"]).tolist() == drawn(shown)["z"]
    truth = drawn(shown)["truth"]
    assert truth["real"] == line["z"] == points["z"][:5] == drawn(shown)["path"]["z"]
    stems = np.array(thin["z"][-15:], float).reshape(5, 3)
    assert stems[:, :2].tolist() == [list(ends) for ends in zip(truth["plane"], truth["real"], strict=True)]

    spot = shown.locator(".land-spot")
    expect(spot).to_be_hidden()
    other.locator('circle.checkpoint[data-at="2"]').hover()
    expect(spot).to_be_visible()
    box = shown.locator(".land-surface").bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 + 60, box["y"] + box["height"] / 2 + 20, steps=2)
    page.mouse.up()
    expect(page).not_to_have_url(re.compile(r"land\.camera=1\.2%2C0\.9"))
    camera = state_of(shown)["camera"]

    publish(tmp_path / "run", "a", landscape_details.bowl(2, lift=0.5))
    expect(shown).to_have_attribute("data-level", "2/3")
    page.wait_for_function("() => document.querySelector('.land-surface').data[0].z.flat().includes(0.5)")
    assert np.allclose(now(), camera[:3], atol=1e-3)
    page.locator('[data-choice="land-view"] [data-value="surface"]').click()
    shown.locator(".land-plot").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(
        "before => String(document.querySelector('landscape-pane').debugState().camera) !== String(before)", arg=camera
    )
    turned = state_of(shown)["camera"]
    angle = math.atan2(turned[1], turned[0]) - math.atan2(camera[1], camera[0])
    assert math.isclose(math.remainder(angle, math.tau), math.radians(10), abs_tol=1e-2)
    shown.locator('[data-key="download"]').click()
    with page.expect_download() as download:
        page.locator('#land-downloads [data-key="png"]').click()
    assert Path(download.value.path()).read_bytes().startswith(b"\x89PNG")
    shown.locator('[data-key="camera-reset"]').click()
    expect(page).not_to_have_url(re.compile(r"land\.camera="))
    other.locator('[data-key="raise"]').click()
    expect(other).to_have_attribute("data-surface", "drawn")
    expect(shown.locator("canvas")).to_have_count(0)


def test_reliability_panel(server: StartServer, page: Page, tmp_path: Path) -> None:
    """The verdict is the most severe finding; each finding has a text with its numbers."""
    changes: dict[str, dict[str, Any]] = {
        "curved": {"eigenvalues": (400.0, 1.0)},
        "flat": {"is_flat": True, "differing_nodes": 0},
        "older": {"differing_nodes": None},
        "fine": {},
        "walk": {"is_random_walk": True},
    }
    for run, changed in changes.items():
        publish(tmp_path / run, "a", landscape_details.bowl(3, size=5, **changed))
    shutil.copytree(GOLDEN / "mindspore" / RUN, tmp_path / RUN)
    url = server(tmp_path).url

    def findings(run: str) -> dict[str, Any]:
        page.goto(f"{url}#page=landscape&land.run={run}")
        expect(page.locator(f'landscape-pane[data-run="{run}"]')).to_be_visible()
        page.locator(".land-more summary").click()
        return {
            "light": page.locator(".land-trust").get_attribute("data-light"),
            "verdict": page.locator(".land-verdict").text_content(),
            **dict(
                page.locator("[data-finding]").evaluate_all(
                    "all => all.map(one => [one.dataset.finding, one.dataset.light + ': ' + one.textContent])"
                )
            ),
        }

    fine = findings("fine")
    # One node is not finite.
    assert fine["light"] == "fair"
    assert "1 of 80 measured losses is not finite" in fine["non_finite"]
    assert fine["energy"].startswith("good: ")
    assert "96% of the path's squared displacement (90% + 6%)" in fine["energy"]
    assert "random walk of 5 points it would be 90% (70% + 20%)" in fine["energy"]
    assert "35% of its distance from the origin; maximum 50% (step 0)" in fine["residual_walk"]
    assert fine["residual_walk"].endswith("For a random walk it would be 31%.")
    assert "plane loss and real loss: 0.1," in fine["gap_noise"]
    assert "maximum 0.4 (step 0). The standard error of a gap is 0.004" in fine["gap_noise"]
    assert "between 9 \N{MULTIPLICATION SIGN} 9 nodes: at most 0.4%" in fine["interpolation"]
    assert "At 78 of 78 nodes" in fine["noise"]
    assert (
        "difference is 0.002 (median; the same 2,048 samples everywhere); that of a single loss, 0.01" in fine["noise"]
    )
    assert fine["curvature"].startswith("good: ")
    assert page.locator('[data-provenance="samples"]').text_content() == "2,048"
    assert page.locator('[data-provenance="seed"]').text_content() == "7"
    assert page.locator('[data-provenance="provenance.mode"]').text_content() == "eager"

    walk, flat, curved, older = (findings(run) for run in ("walk", "flat", "curved", "older"))
    assert (walk["light"], "resembles a random walk" in walk["verdict"]) == ("bad", True)
    assert (flat["light"], "differences are within the noise" in flat["verdict"]) == ("bad", True)
    assert "No loss differs from the one at the origin by more than noise." in flat["flat"]
    assert "200 times the median standard error of a loss, 0.01 (2,048 samples)" in older["noise_of_losses"]
    assert "steepest direction 400 (± 1e-4), 200 times the curvature shown" in curved["curvature"]
    page.goto(f"{url}#page=landscape&land.run={RUN}")
    expect(page.locator('.land-trust[data-light="plain"]')).to_contain_text("the loss of its projection onto the plane")


def test_map_that_is_flat_only_by_the_noise_of_its_losses(server: StartServer, page: Page, tmp_path: Path) -> None:
    """The panel states the noise of differences, from which the map has a shape, and that of a loss; in both languages.

    The loss of a sample with an outlying label is 40 times that of the others, at every node.
    """
    train_with_outliers(tmp_path / "outliers")
    recorded = newest(tmp_path / "outliers")[TAG].details
    assert recorded is not None
    differing = recorded.diagnostics.differing_nodes
    url = server(tmp_path).url
    sentences = {
        "en": (f"At {differing} of 80 nodes, the loss differs from the one at the origin by more than noise.", "0.74"),
        "zh": (f"80 个节点中有 {differing} 个节点的损失与原点处的损失之差超出噪声。", "0.74"),
    }
    for language, texts in sentences.items():
        page.goto(f"{url}#page=landscape&lang={language}")
        page.locator(".land-more summary").click()
        noise = page.locator('[data-finding="noise"]')
        expect(noise).to_have_attribute("data-light", "good")
        for text in texts:
            expect(noise).to_contain_text(text)
        expect(page.locator('[data-finding="flat"]')).to_have_count(0)


def test_measured_nodes_read_outs_and_slices(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Nodes by level, crosses at non-finite losses, checkpoints filled by distance; slices follow the cursor."""
    folder = tmp_path / "run"
    with SummaryRecord(str(folder)) as record:
        for step in range(0, 20, 4):
            record.add_value("scalar", "train/learning_rate", 0.1)
            record.add_value("scalar", "accuracy", step / 20)
            record.add_value("scalar", "loss", 1.0)
            record.record(step)
    publish(folder, "a", landscape_details.bowl(2))
    page.goto(server(tmp_path).url + "#page=landscape")
    shown, slices = pane(page, "a", "run"), page.locator("landscape-slices")
    expect(shown).to_have_attribute("data-level", "2/3")
    expect(shown.locator("path.measured")).to_have_count(3)
    nodes = shown.locator("path.measured").evaluate_all(
        "paths => Object.fromEntries(paths.map(path => "
        "[path.dataset.level, path.getAttribute('d').split('M').length - 1]))"
    )
    # The corners of level 0 except the unknown and the infinite one, then the nodes added by each level.
    assert nodes == {"0": 2, "1": 5, "2": 16}
    expect(shown.locator("path.non-finite-nodes")).to_have_count(1)
    expect(shown.locator('[data-note="measured"]')).to_contain_text("24 measured nodes")
    fills = shown.locator("circle.checkpoint").evaluate_all("dots => dots.map(dot => dot.getAttribute('fill'))")
    assert len(set(fills)) == 5

    shown.locator('circle.checkpoint[data-at="1"]').hover()
    read_out = page.locator("#land-read-out")
    for text in (
        "step 4",
        "loss 1.02 ± 0.02",
        "on the plane0.82",
        "gap+0.2 ± 0.004",
        "off plane40%",
        "learning rate0.1",
    ):
        expect(read_out).to_contain_text(text)
    expect(read_out).to_contain_text("accuracy0.2")
    expect_state(slices, "through", [-0.6000000000000001, -0.6000000000000001])
    expect(slices.locator('[data-slice="path"]')).to_have_attribute("data-cursor", "4")
    expect(slices.locator('[data-line="run real"]')).to_have_count(1)
    expect(slices.locator('[data-line="run plane"]')).to_have_attribute("stroke-dasharray", "5 3")

    plot = shown.locator(".land-plot")
    plot.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowUp"):
        page.keyboard.press(key)
    expect(read_out).to_contain_text("loss 0.6 ± 0.01")
    expect(read_out).to_contain_text("measured at level 2")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page).to_have_url(re.compile(r"land\.pin=0\.5%2C0\.5"))
    page.reload()
    expect_state(slices, "through", [0.5, 0.5])
    expect(shown.locator(".land-cross")).to_be_visible()
    line = slices.locator('[data-slice="x"] [data-line="run"]').get_attribute("d") or ""
    tops = [float(point.split()[1]) for point in re.split("[ML]", line)[1:]]
    assert math.isclose(tops[0], tops[-1], abs_tol=0.2)
    assert max(tops) == tops[len(tops) // 2]


def test_publications_arrive_and_older_ones_can_be_selected(server: StartServer, page: Page, tmp_path: Path) -> None:
    """The newest is shown when it arrives, at the same zoom; a selected older one stays shown."""
    publish(tmp_path / "run", "a", landscape_details.bowl(1))
    page.goto(server(tmp_path, "--reload-interval", "0.3").url + "#page=landscape&land.zoom=-0.5,0.5,-0.5,0.5")
    shown, choice = pane(page, "a", "run"), page.locator('[data-select="land-publication"]')
    expect(shown).to_have_attribute("data-level", "1/3")
    expect(choice).to_have_count(0)
    publish(tmp_path / "run", "a", landscape_details.bowl(2, lift=0.3))
    expect(shown).to_have_attribute("data-level", "2/3")
    assert min(drawn(shown)["z"]) == 0.3
    expect(shown.locator(".land-level")).to_have_attribute("aria-label", re.compile("Level 2 of 3"))
    expect(shown.locator('[data-key="reset"]')).to_be_visible()
    choice.select_option("0")
    expect(shown).to_have_attribute("data-level", "1/3")
    publish(tmp_path / "run", "a", landscape_details.bowl(3))
    expect(choice.locator("option")).to_have_count(3)
    expect(shown).to_have_attribute("data-level", "1/3")
    choice.select_option("")
    expect(shown).to_have_attribute("data-level", "3/3")


def test_runs_on_one_plane_share_positions(server: StartServer, page: Page, tmp_path: Path) -> None:
    """On one plane both maps show the cursor and each other's path; a note states if planes differ."""
    for run, plane in (("one", "p"), ("two", "p"), ("three", "q")):
        publish(
            tmp_path / run,
            "a",
            landscape_details.bowl(2, lift=0.1 if run == "one" else 0.4, provenance={"axes": plane}),
        )
    url = server(tmp_path).url
    page.goto(url + "#page=landscape&land.run=one&land.compare=two,a")
    first, second = pane(page, "a", "one"), pane(page, "a", "two")
    expect(page.locator('[data-note="one_plane"]')).to_be_visible()
    expect(first.locator('path.companion[data-run="two"]')).to_have_count(1)
    for each in (first, second):
        expect_state(each, "range", [0.1, 2.4])
    first.locator('circle.checkpoint[data-at="3"]').hover()
    expect(second.locator(".land-cross")).to_be_visible()
    lines = page.locator('landscape-slices [data-slice="x"] [data-line]')
    expect(lines).to_have_count(2)
    assert lines.evaluate_all("lines => lines.map(line => line.dataset.line)") == ["one", "two"]

    page.goto(url + "#page=landscape&land.run=one&land.compare=three,a")
    expect(page.locator('[data-note="other_planes"]')).to_be_visible()
    expect(page.locator("path.companion")).to_have_count(0)
    first.locator('circle.checkpoint[data-at="3"]').hover()
    expect(first.locator(".land-cross")).to_be_visible()
    expect(pane(page, "a", "three").locator(".land-cross")).to_be_hidden()


def test_runs_on_one_surface_are_drawn_on_one_map(server: StartServer, pages: Pages, tmp_path: Path) -> None:
    """A joint landscape shows the paths of all its runs, distinguished by colour, name and read-out."""
    pages.allowed = OF_GRAPHICS
    page = pages.open(width=1110, height=460)
    tag, joint = "joint_landscape_[1, 5]", {"axes": "joint", "samples": "s"}
    publish(tmp_path / "first", tag, landscape_details.bowl(2, provenance=joint))
    publish(tmp_path / "second", tag, landscape_details.bowl(1, shift=0.4, lift=0.1, provenance=joint))
    page.goto(server(tmp_path).url + "#page=landscape&land.run=first")
    shown = pane(page, tag, "first")
    expect_state(shown, "runs", ["first", "second"])
    expect(page.locator("landscape-pane")).to_have_count(1)
    expect(page.locator('[data-note="one_surface"]')).to_be_visible()
    expect(shown.locator("h2")).to_contain_text("Joint plane 1\N{EN DASH}5")
    one, other = (shown.locator(f'g.trajectory[data-run="{run}"]') for run in ("first", "second"))
    expect(other.locator("circle.checkpoint")).to_have_count(5)
    expect(other.locator("text").last).to_have_text("second")
    strokes = [path.locator(".traversed").get_attribute("stroke") for path in (one, other)]
    assert strokes[0] != strokes[1]
    slices = page.locator("landscape-slices")
    slices.scroll_into_view_if_needed()
    expect(slices.locator('[data-slice="x"] [data-line="first"]')).to_have_count(1)
    expect(slices.locator('[data-slice="x"] [data-line="second"]')).to_have_count(0)
    expect(slices.locator('[data-line="second real"]')).to_have_count(1)

    other.locator('circle.checkpoint[data-at="1"]').hover()
    read_out = page.locator("#land-read-out")
    expect(read_out).to_contain_text("second · step 4")
    expect(read_out).to_contain_text("gap+0.2")
    page.keyboard.press("[")
    for path in (one, other):
        expect(path.locator(".head")).to_have_attribute("visibility", "visible")
    page.keyboard.press("]")

    shown.locator('[data-key="download"]').click()
    with page.expect_download() as download:
        page.locator('#land-downloads [data-run="second"] [data-key="npz"]').click()
    with np.load(download.value.path()) as arrays:
        np.testing.assert_array_equal(arrays["path_x"], landscape_details.ALONG + 0.4)
    shown.locator('[data-key="download"]').click()
    with page.expect_download() as download:
        page.locator('#land-downloads [data-run="first"] [data-key="html"]').click()
    download.value.save_as(tmp_path / "downloaded.html")
    document = pages.open()
    document.goto((tmp_path / "downloaded.html").as_uri())
    expect(document.locator(".legendtext")).to_have_text(["first", "second"])
    paths = document.locator(".js-plotly-plot").evaluate(
        "plot => plot.data.filter(({mode}) => mode === 'lines+markers').map(({name, x, line}) => [name, x, line.color])"
    )
    assert [name for name, *_ in paths] == ["first", "second"]
    np.testing.assert_allclose([x for _, x, _ in paths], [landscape_details.ALONG, landscape_details.ALONG + 0.4])
    assert [colour for *_, colour in paths] == strokes

    shown.locator('[data-key="leave-out-run"]').click()
    expect_state(shown, "runs", ["first"])
    page.reload()
    expect_state(shown, "runs", ["first"])
    page.locator('[data-select="land-compare"]').select_option(index=1)
    expect_state(shown, "runs", ["first", "second"])

    page.locator('[data-choice="land-view"] [data-value="both"]').click()
    expect(shown).to_have_attribute("data-surface", "drawn")
    line, points = shown.locator(".land-surface").evaluate("host => host.data.slice(2).map(({x, z}) => ({x, z}))")
    np.testing.assert_allclose(line["x"][6:], landscape_details.ALONG + 0.4)
    np.testing.assert_allclose(
        line["z"][6:],
        landscape_details.losses(landscape_details.ALONG + 0.4, landscape_details.ALONG) + landscape_details.GAP,
    )
    assert len(points["x"]) == 12


def test_full_screen_and_the_colour_of_the_path(server: StartServer, page: Page, tmp_path: Path) -> None:
    """A key shows one pane with its read-out full screen; the path colour is kept in the URL and drawn."""
    publish(tmp_path / "run", "a", landscape_details.bowl(2))
    page.goto(server(tmp_path).url + "#page=landscape")
    shown = pane(page, "a", "run")
    expect(shown.locator("path.contour").first).to_be_visible()
    shown.locator('[data-key="path-colour"]').fill("#aa00cc")
    expect(shown.locator(".traversed")).to_have_attribute("stroke", "#aa00cc")
    expect(page).to_have_url(re.compile("land.path=%23aa00cc"))
    shown.locator('[data-key="path-colour-reset"]').click()
    expect(page).not_to_have_url(re.compile("land.path="))

    before = shown.locator(".land-map svg").bounding_box()
    page.keyboard.press("f")
    page.wait_for_function("() => document.fullscreenElement?.localName === 'landscape-pane'")
    shown.locator('circle.checkpoint[data-at="1"]').hover()
    expect(shown.locator("#land-read-out")).to_be_visible()
    assert before
    page.wait_for_function(
        "before => document.querySelector('.land-map svg').getBoundingClientRect().width > before", arg=before["width"]
    )
    page.keyboard.press("f")
    page.wait_for_function("() => !document.fullscreenElement")
