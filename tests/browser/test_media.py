"""Audio, videos and precision-recall curves in a real browser."""

import json
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from support.accessibility import faults
from support.pages import StartServer
from support.summary_values import of_plugin, tensorboard_run

from toposcope.proto import tensorboard_pb2
from toposcope.recorder import SummaryWriter

HOSTILE = "<img src=x onerror=alert(1)>"
STEPS = (0, 10, 20)
LABELS = np.array([0, 1, 1, 0])


def record(folder: Path) -> None:
    """Record audio, curves and a video at each step, and a profile, which no page draws."""
    with SummaryWriter(str(folder)) as writer:
        for step in STEPS:
            writer.add_audio(HOSTILE, np.sin(np.arange(16_000) / (9 + step)), step, sample_rate=8000)
            writer.add_pr_curve(HOSTILE, LABELS, np.array([0.1, 0.9, 0.2 + step / 40, 0.4]), step, num_thresholds=11)
            frames = np.zeros((1, 4, 3, 8, 8), np.uint8)
            frames[0, :, 0] = np.array([40, 120, 200, 250])[:, None, None]
            writer.add_video("rollout", frames, step, fps=4)
    profile = of_plugin("profile", "trace", tensorboard_pb2.TensorProto(dtype=1))
    tensorboard_run(folder, [(1, profile)])


@pytest.fixture(scope="module")
def url(shared_server: StartServer, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the URL of a server of two runs, one with a hostile name."""
    logdir = tmp_path_factory.mktemp("media")
    record(logdir / HOSTILE)
    record(logdir / "other")
    return shared_server(logdir).url


def assert_accessible(page: Page) -> None:
    """No fault, wide and light, narrow and dark, and nothing scrolls sideways."""
    page.emulate_media(reduced_motion="reduce", color_scheme="light")
    assert faults(page) == []
    page.emulate_media(reduced_motion="reduce", color_scheme="dark")
    page.set_viewport_size({"width": 400, "height": 800})
    assert faults(page) == []
    assert (
        page.evaluate("document.querySelector('#page').scrollWidth - document.querySelector('#page').clientWidth") == 0
    )


def test_audio_plays_one_clip_at_a_time(url: str, page: Page) -> None:
    """Players follow the step slider; the key p plays the clip under the cursor, and playing another one pauses it."""
    page.goto(f"{url}#page=audio")
    players = page.locator("audio-card audio")
    expect(players).to_have_count(2)
    cell = page.locator(f".cell[data-run={json.dumps(HOSTILE)}]")
    expect(cell).to_have_attribute("data-step", "20")
    expect(cell.locator(".meta")).to_contain_text("2 s · 8 kHz · mono")
    page.wait_for_function("() => [...document.querySelectorAll('audio')].every(player => player.duration === 2)")
    latest = players.first.get_attribute("src")

    page.keyboard.press("[")
    expect(cell).to_have_attribute("data-step", "10")
    assert players.first.get_attribute("src") != latest

    cell.hover()
    page.keyboard.press("p")
    page.wait_for_function("() => document.querySelectorAll('audio')[0].currentTime > 0")
    players.nth(1).evaluate("player => player.play()")
    page.wait_for_function("() => document.querySelectorAll('audio')[0].paused")
    page.keyboard.press("p")
    page.wait_for_function("() => [...document.querySelectorAll('audio')].every(player => player.paused)")
    assert_accessible(page)


def test_clip_that_is_paused_before_it_begins_is_no_error(url: str, page: Page) -> None:
    """The key p may be pressed twice before the browser has loaded the clip."""
    page.goto(f"{url}#page=audio")
    expect(page.locator("audio-card audio")).to_have_count(2)
    page.locator(f".cell[data-run={json.dumps(HOSTILE)}]").hover()
    page.evaluate("""() => {
      window.pauses = 0;
      addEventListener("pause", () => window.pauses++, true);
      document.querySelector("audio").load();
      for (let press = 0; press < 2; press++)
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "p", bubbles: true }));
    }""")
    page.wait_for_function("() => window.pauses === 1")


@pytest.fixture(scope="module")
def tones(shared_server: StartServer, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the URL of the audio page of two runs with a tone of 1 kHz that lasts 4 s, 8,000 samples a second."""
    logdir = tmp_path_factory.mktemp("tones")
    for run in ("a", "b"):
        with SummaryWriter(str(logdir / run)) as writer:
            writer.add_audio("tone", np.sin(2 * np.pi * np.arange(32_000) / 8), 1, sample_rate=8000)
    return shared_server(logdir).url + "#page=audio"


BRIGHTEST = """(canvas) => {
    const { data, width, height } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const light = Array.from({ length: height }, (_, y) => {
        const at = 4 * (y * width + (width >> 1));
        return data[at] + data[at + 1] + data[at + 2];
    });
    return light.indexOf(Math.max(...light)) / height;
}"""


def test_a_spectrogram_shows_the_frequency_of_a_tone(tones: str, page: Page) -> None:
    """1 kHz is a quarter of the highest frequency, 4 kHz: the line is a quarter of the height above the bottom."""
    page.goto(f"{tones}&audio.picture=spectrum")
    pictures = page.locator('clip-picture[data-drawn="spectrum"]')
    expect(pictures).to_have_count(2)
    expect(pictures.first.locator(".clip-top")).to_have_text("4 kHz")
    assert pictures.first.locator("canvas").evaluate(BRIGHTEST) == pytest.approx(0.75, abs=0.02)

    page.locator('[data-select="audio-picture"]').select_option("none")
    expect(page.locator("clip-picture canvas")).to_have_count(0)


PLAYED = "(player) => player.currentTime"


def test_runs_are_compared_in_step_from_where_a_click_begins(tones: str, page: Page) -> None:
    """A click on a waveform plays from there; in step, another run continues at the same time; a loop has no end."""
    page.goto(tones)
    expect(page.locator('clip-picture[data-drawn="wave"]')).to_have_count(2)
    page.wait_for_function("() => [...document.querySelectorAll('audio')].every(player => player.duration === 4)")
    first, second = (page.locator("audio").nth(at) for at in (0, 1))
    page.locator('[data-key="audio-in-step"]').click()
    page.locator('[data-key="audio-loop"]').click()
    assert [each.evaluate("(player) => player.loop") for each in (first, second)] == [True, True]

    box = page.locator("clip-picture canvas").first.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 10)
    expect(page.locator(".clip-place").first).to_be_visible()
    second.evaluate("(player) => player.play()")

    page.wait_for_function("() => document.querySelectorAll('audio')[0].paused")
    assert first.evaluate(PLAYED) >= 2
    page.wait_for_function("() => document.querySelectorAll('audio')[1].currentTime >= 2")


def test_curves_are_read_at_a_threshold(url: str, page: Page) -> None:
    """The table has counts, precision and recall of each run at the threshold of the keys, the pointer and the URL."""
    page.goto(f"{url}#page=pr_curves&pr.step=0")
    row = page.locator(f".pr-table tr[data-run={json.dumps(HOSTILE)}]")
    columns = row.locator("td")
    expect(page.locator("curve-chart")).to_have_attribute("data-curves", "2")
    expect(columns).to_have_text(["0.833", "1.000", "0.500", "1", "0", "2", "1"])

    page.locator("curve-chart").focus()
    for _ in range(4):
        page.keyboard.press("ArrowLeft")
    expect(page.locator(".pr-table caption")).to_have_text("At threshold 0.1")
    expect(columns).to_have_text(["0.833", "0.500", "1.000", "2", "2", "0", "0"])
    page.wait_for_url("**/*pr.threshold=0.1*")

    page.keyboard.press("]")
    expect(row).to_have_attribute("data-step", "10")
    box = page.locator("curve-chart svg").bounding_box()
    assert box
    page.mouse.move(box["x"] + 50, box["y"] + 10)
    expect(page.locator(".pr-table caption")).not_to_have_text("At threshold 0.1")
    assert_accessible(page)


def test_videos_stop_and_play(url: str, page: Page) -> None:
    """Anyone who prefers less motion sees the first frame until a video is played."""
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{url}#page=images")
    pictures = page.locator("image-card still-picture")
    expect(pictures).to_have_count(2)
    expect(pictures.locator("canvas")).to_have_count(2)
    colour = "canvas => canvas.getContext('2d').getImageData(4, 4, 1, 1).data[0]"
    assert abs(pictures.first.locator("canvas").evaluate(colour) - 40) < 8

    page.locator('[data-key="play"]').click()
    expect(pictures.locator("img")).to_have_count(2)
    page.locator('[data-key="play"]').click()
    expect(pictures.locator("canvas")).to_have_count(2)


def test_run_page_and_tabs_name_what_is_recorded(url: str, page: Page, server: StartServer, tmp_path: Path) -> None:
    """Audio and curves have tiles and tabs where they are recorded; a profile is named with its file."""
    page.goto(f"{url}#page=overview&over.run={quote(HOSTILE)}")
    page.locator('[data-tile="audio"]').scroll_into_view_if_needed()
    expect(page.locator('[data-tile="audio"] audio')).to_be_visible()
    page.locator('[data-tile="pr_curves"]').scroll_into_view_if_needed()
    expect(page.locator('[data-tile="pr_curves"] .curve path')).to_be_visible()
    expect(page.locator('[data-tile="profile"] code')).to_contain_text("events.out.tfevents")
    page.locator('.pages [data-page="pr_curves"]').click()
    expect(page.locator("curve-card")).to_be_visible()

    with SummaryWriter(str(tmp_path / "plain/run")) as writer:
        writer.add_scalar("loss", 1.0, 0)
    page.goto(server(tmp_path / "plain").url)
    expect(page.locator("scalar-card")).to_be_visible()
    expect(page.locator('.pages [data-page="images"]')).to_be_visible()
    expect(page.locator(':is([data-page="audio"], [data-page="pr_curves"])')).to_have_count(0)
