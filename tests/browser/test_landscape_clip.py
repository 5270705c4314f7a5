"""Clipped landscapes in a browser: colours, levels and the surface end at a quantile; read-outs do not change."""

import math
import re
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, expect
from support import http, landscape_details
from support.element_state import expect_state, state_of
from support.landscape_panes import drawn, pane, publish
from support.pages import OF_GRAPHICS, Pages, StartServer

from toposcope.recorder import landscape
from toposcope.recorder.messages.landscape_details import LandscapeDetails, PathTruth

AXIS = np.linspace(-1, 1, 9)
TOLERANCE = 1e-8
"""The page requests nine digits of losses."""


def exploding(folder: Path, lift: float = 0.1) -> None:
    """Write a bowl with one corner in which the loss explodes."""
    z = landscape_details.losses(*np.meshgrid(AXIS, AXIS), lift)
    z[-1, -1] += 1000
    publish(folder, "loss", landscape(AXIS, AXIS, z))


def test_scale_ends_at_the_quantile_of_all_shown_points(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Colours, levels and colour bars of both maps are clipped, read-outs are not; the URL keeps the setting."""
    for run, lift in (("one", 0.1), ("two", 3.0)):
        exploding(tmp_path / run, lift)
    url = server(tmp_path).url
    page.goto(f"{url}#page=landscape&land.run=one&land.compare=two,loss")
    first, second = pane(page, "loss", "one"), pane(page, "loss", "two")
    for shown in (first, second):
        expect(shown.locator("path.contour").first).to_be_visible()
    before = first.locator(".land-map").inner_html()
    page.locator('[data-key="options"]').click()
    page.locator('[data-select="land-clip"]').select_option("95")
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile(r"land\.clip=95"))
    expect(first.locator(".clipped")).to_be_visible()

    losses = np.concatenate([np.ravel(each["z"]) for each in http.get(f"{url}api/landscapes").json()["landscapes"]])
    top = np.quantile(losses, 0.95)
    for shown, own in ((first, losses[:81]), (second, losses[81:])):
        np.testing.assert_allclose(state_of(shown)["range"], [0.1, top], TOLERANCE)
        expect(shown.locator(".land-map")).to_contain_text(f"> {top:.3g}")
        levels = shown.locator("path.contour").evaluate_all("all => all.map((one) => Number(one.dataset.level))")
        assert math.isclose(max(levels), top, rel_tol=TOLERANCE)
        count = int((own > top).sum())
        points = "1 point" if count == 1 else f"{count} points"
        note = re.compile(rf"^{points} > {top:.3g} .* is {own.max():.4g}\.")
        expect(shown.locator('[data-note="clipped"]')).to_have_text(note)
    first.locator(".land-plot").focus()
    for key in ["ArrowRight", "ArrowUp"] * 5:
        page.keyboard.press(key)
    expect(page.locator("#land-read-out")).to_contain_text("loss 1002")
    expect(first.locator(".land-plot")).to_have_attribute("aria-label", re.compile("from 0.1 to 1002"))

    page.reload()
    expect(page.locator('[data-select="land-clip"]')).to_have_value("95")
    page.locator('[data-choice="land-z"] [data-value="log"]').click()
    expect(first).to_have_attribute("data-scale", "log")
    np.testing.assert_allclose(state_of(first)["range"], np.log10([0.1, top]), TOLERANCE)
    page.locator('[data-choice="land-z"] [data-value="linear"]').click()
    page.locator('[data-key="options"]').click()
    page.locator('[data-select="land-clip"]').select_option("off")
    expect(page).not_to_have_url(re.compile("clip"))
    expect(page.locator(".clipped")).to_have_count(0)
    assert without_ids(first.locator(".land-map").inner_html()) == without_ids(before)


def without_ids(drawing: str) -> str:
    """Return a drawing without element ids and template comments."""
    return re.sub(r"land-\d+|<!--.*?-->", "", drawing)


def test_a_landscape_with_equal_losses_nearly_everywhere_is_not_clipped(
    server: StartServer, page: Page, tmp_path: Path
) -> None:
    """Its quantile is its lowest loss: clipping would leave no range."""
    z = np.full((9, 9), 0.5)
    z[-1, -1] = 7
    publish(tmp_path / "run", "loss", landscape(AXIS, AXIS, z))
    page.goto(server(tmp_path).url + "#page=landscape&land.clip=90")
    shown = pane(page, "loss", "run")
    expect(shown.locator("path.contour").first).to_be_visible()
    expect_state(shown, "range", [0.5, 7])
    expect(shown.locator(".clipped")).to_have_count(0)


def test_surface_ends_at_the_top_and_the_path_is_above_it(server: StartServer, pages: Pages, tmp_path: Path) -> None:
    """A surface of two runs counts once; real losses are drawn up to twice its height, and a note counts the rest."""
    z = landscape_details.losses(*np.meshgrid(AXIS, AXIS))
    z[-1, -1] += 1000
    for run, gap in (("first", landscape_details.GAP), ("second", 100 * landscape_details.GAP)):
        plane = landscape_details.losses(landscape_details.ALONG, landscape_details.ALONG)
        truth = PathTruth(plane + gap, plane, landscape_details.RESIDUAL, np.full(5, 0.02))
        details = LandscapeDetails(landscape_details.measured(3), truth, landscape_details.diagnostics())
        path = (landscape_details.ALONG, landscape_details.ALONG, truth.real)
        publish(tmp_path / run, "joint_landscape_[1, 5]", landscape(AXIS, AXIS, z, path=path, details=details))
    pages.allowed = OF_GRAPHICS
    page = pages.open(width=1110, height=460)
    page.goto(
        server(tmp_path).url + "#page=landscape&land.run=first&land.view=surface&land.between=straight&land.clip=90"
    )
    shown = pane(page, "joint_landscape_[1, 5]", "first")
    expect_state(shown, "runs", ["first", "second"])
    expect(shown).to_have_attribute("data-surface", "drawn")
    page.wait_for_function("() => document.querySelector('.land-surface').data[2].z.length === 11")

    top = np.quantile(z, 0.9)
    surface, thin, line = shown.locator(".land-surface").evaluate(
        "host => host.data.slice(0, 3).map(({z, customdata, cmax, colorbar}) => ({z, customdata, cmax, colorbar}))"
    )
    np.testing.assert_allclose(surface["z"], np.minimum(z, top), TOLERANCE)
    np.testing.assert_allclose(surface["customdata"], z, TOLERANCE)
    assert math.isclose(surface["cmax"], top, rel_tol=TOLERANCE)
    assert surface["colorbar"]["ticktext"][-1] == f"> {top:.3g}"
    ceiling = 2 * top - z.min()
    real = np.array([drawn(shown)["truth"]["real"], plane + 100 * landscape_details.GAP])
    heights = np.array(line["z"], float)
    np.testing.assert_allclose(heights[:5], real[0], TOLERANCE)
    np.testing.assert_allclose(heights[6:], np.minimum(real[1], ceiling), TOLERANCE)
    assert np.nanmax(np.array(thin["z"], float)) <= ceiling
    expect(shown.locator('[data-note="too_high"]')).to_contain_text(f"{int((real > ceiling).sum())} checkpoints")
