"""What is shown fits its place; names that do not fit keep what distinguishes them."""

import json
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from support.event_files import scalar_event, write_run
from support.pages import Pages, StartServer
from support.summary_values import of_plugin, tensorboard_run

from toposcope.proto import tensorboard_pb2
from toposcope.recorder import SummaryWriter

SHARED = "experiments/transformer-with-a-rather-long-name/"
RUNS = [f"{SHARED}lr{seed % 3}_batch512_dropout0.1_warmup1000_decay0.001_clip1_seed{seed}" for seed in range(12)]
TAGS = ["validation/accuracy_of_all", "train/accuracy_of_all", "test/accuracy_of_all", "train/loss_of_everything"]
PARALLEL = json.dumps(
    {
        "version": 1,
        "settings": {},
        "sections": [
            {
                "name": "",
                "collapsed": False,
                "settings": {},
                "panels": [
                    {"kind": "parallel", "x": 0, "y": 0, "w": 4, "h": 3}
                    | {"settings": {"columns": [f"best:{tag}" for tag in TAGS]}}
                ],
            }
        ],
    }
)
OVERLAPS = """names => names.slice(1).filter((name, at) =>
    name.getBoundingClientRect().left < names[at].getBoundingClientRect().right).map(name => name.textContent)"""
SIDEWAYS = "box => box.scrollWidth - box.clientWidth"
SHOWN = """(names, box) => names.map(name => ({
    text: name.textContent,
    isCut: name.scrollWidth > name.clientWidth
      || name.getBoundingClientRect().right > name.closest(box).getBoundingClientRect().right,
}))"""


@pytest.fixture(scope="module")
def url(shared_server: StartServer, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the URL of a server of runs with long names."""
    logdir = tmp_path_factory.mktemp("room")
    for number, run in enumerate(RUNS):
        values = {tag: number / 7 for tag in TAGS}
        write_run(logdir / run, [scalar_event(1000.0 + step, step, values) for step in range(3)], 1000)
    return shared_server(logdir).url


@pytest.mark.parametrize("width", [1440, 1680])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_all_pages_fit_on_a_laptop(server: StartServer, pages: Pages, tmp_path: Path, width: int, lang: str) -> None:
    """The navigation shows all 13 pages, also beside warnings of the server."""
    (tmp_path / "file").touch()
    with SummaryWriter(str(tmp_path / "runs" / "run")) as writer:
        writer.add_audio("clip", np.zeros(800), 0, sample_rate=8000)
        writer.add_pr_curve("curve", np.array([0, 1]), np.array([0.2, 0.8]), 0, num_thresholds=11)
    faults = ("--index-dir", f"{tmp_path}/file/index", "--data-dir", f"{tmp_path}/file/data")
    page = pages.open(width=width, height=900)
    page.goto(f"{server(tmp_path / 'runs', *faults).url}#page=overview&lang={lang}")
    expect(page.locator(".pages a")).to_have_count(13)
    expect(page.locator(".live")).to_have_attribute("data-state", "live")
    expect(page.locator(".server-warning").nth(1)).to_be_visible()  # Without a compiler there is a third.
    assert page.locator(".pages").evaluate(SIDEWAYS) == 0


@pytest.mark.parametrize("width", [400, 1440])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_options_fit(url: str, pages: Pages, width: int, lang: str) -> None:
    """No choice of the options panel is cut off."""
    page = pages.open(width=width, height=900)
    page.goto(f"{url}#lang={lang}")
    page.locator('[data-key="options"]').click()
    expect(page.locator("#scalar-options > .option-rows")).to_be_visible()
    assert page.locator(".sheet:popover-open").evaluate(SIDEWAYS) == 0


def test_lists_keep_what_distinguishes_names(url: str, pages: Pages) -> None:
    """The table under an enlarged chart and the list of runs to compare show what distinguishes the runs."""
    page = pages.open(width=400, height=900)
    for address, names, box in (
        (f"open={quote(TAGS[0])}", "value-table tbody .run-name", "th"),
        ("page=compare", ".picker li .run-name", "li"),
    ):
        page.goto(f"{url}#{address}")
        expect(page.locator(names)).to_have_count(len(RUNS))
        shown = page.locator(names).evaluate_all(SHOWN, box)
        assert {name["text"] for name in shown} == {f"lr{seed % 3}…seed{seed}" for seed in range(12)}
        assert not any(name["isCut"] for name in shown)


def test_a_run_has_one_name(server: StartServer, page: Page, tmp_path: Path) -> None:
    """It is the same in the list of runs and in the table, and longer in both when the list is wider."""
    runs = (
        "qwen2.5-7b-sft_lr2e-5_bs64",
        "qwen2.5-7b-sft_lr1e-5_bs64",
        "qwen2.5-7b-dpo_lr5e-7_bs64",
        "llama-3.1-8b-sft",
    )
    for run in runs:
        write_run(tmp_path / run, [scalar_event(1000.0, 1, {"loss": 1.0})], 1000)
    url = server(tmp_path).url
    lengths = []
    for presses in (0, 2):
        page.goto(f"{url}#page=scalars")
        for _ in range(presses):
            page.locator(".rail-handle").press("ArrowRight")
        in_list = page.locator("#rail .run-name")
        expect(in_list).to_have_count(len(runs))
        names = set(in_list.all_text_contents())
        page.goto(f"{url}#page=overview")
        in_table = page.locator(".run-line .run-name")
        expect(in_table).to_have_count(len(runs))
        assert set(in_table.all_text_contents()) == names
        lengths.append(sum(map(len, names)))
    assert lengths[0] < lengths[1]


def test_names_of_axes_do_not_overlap(url: str, page: Page) -> None:
    """The names of parallel axes are cut so that they do not overlap in a small panel."""
    page.goto(f"{url}#page=workspace&ws.doc={quote(PARALLEL)}")
    expect(page.locator("parallel-panel axes-strip[data-drawn-runs]").first).to_be_visible()
    names = page.locator("parallel-panel .axis-name")
    expect(names).to_have_count(len(TAGS))
    assert names.evaluate_all(OVERLAPS) == []


def test_data_that_is_shown_is_not_called_unsupported(server: StartServer, page: Page, tmp_path: Path) -> None:
    """The details of a run list audio among its series, and name a profile as unsupported."""
    with SummaryWriter(str(tmp_path / "run")) as writer:
        writer.add_audio("clip", np.zeros(800), 0, sample_rate=8000)
    profile = of_plugin("profile", "trace", tensorboard_pb2.TensorProto(dtype=1))
    tensorboard_run(tmp_path / "run", [(1, profile)])
    page.goto(f"{server(tmp_path).url}#page=audio")
    page.locator(".run").hover()
    page.locator('.run [data-key="details"]').click()
    expect(page.locator("#panel dl")).to_contain_text("1 audio series")
    expect(page.locator("#panel .hint").first).to_have_text("Also recorded, but not supported yet: 1 profile.")
