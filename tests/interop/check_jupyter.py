"""The dashboard in notebooks: a real JupyterLab, its kernel, and a browser that shows the output of a cell."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Frame, FrameLocator, Page, expect, sync_playwright
from support.servers import wait_until

from toposcope.recorder import SummaryRecord

BASE = "/user/ada/"
TOKEN = "token-of-the-notebook-server"
CHROMIUM_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
SECONDS = 120.0
SCREENSHOTS = Path("build/interop/screenshots")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return the machine's Chromium."""
    path = next(filter(None, map(shutil.which, CHROMIUM_NAMES)))
    with sync_playwright() as playwright:
        expect.set_options(timeout=1000 * SECONDS)
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield chromium
        chromium.close()


class Jupyter:
    """A notebook server below a path, as JupyterHub starts them, with the proxy or without."""

    def __init__(self, folder: Path, *, has_proxy: bool) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        state = folder / "state"
        extensions = {"jupyterlab": True, "jupyter_server_proxy": has_proxy}
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1"),
                *(f"--port={self.port}", f"--ServerApp.base_url={BASE}", f"--IdentityProvider.token={TOKEN}"),
                *(f"--ServerApp.root_dir={folder}", f"--ServerApp.jpserver_extensions={extensions}"),
            ],
            env={
                **os.environ,
                **{f"JUPYTER_{name}_DIR": str(state / name.lower()) for name in ("CONFIG", "DATA", "RUNTIME")},
                "IPYTHONDIR": str(state / "ipython"),
                "XDG_CACHE_HOME": str(state / "cache"),
                "XDG_DATA_HOME": str(state / "share"),
            },
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            wait_until(self._answers, SECONDS)
        except AssertionError:
            self.stop()
            raise

    def _answers(self) -> bool:
        try:
            return httpx.get(self.url("api/status"), timeout=10.0).status_code == 200
        except httpx.TransportError:
            return False

    def url(self, path: str) -> str:
        """Return the URL of a path of the notebook server."""
        return f"http://127.0.0.1:{self.port}{BASE}{path}?token={TOKEN}"

    def stop(self) -> None:
        """End the notebook server and its kernels."""
        self._process.terminate()
        self._process.wait(SECONDS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the runs of a training."""
    with SummaryRecord(tmp_path / "runs" / "first") as recorder:
        for step in range(200):
            recorder.add_value("scalar", "loss", 1.0 / (step + 1))
            recorder.record(step)
    return tmp_path


@pytest.fixture(params=[True, False], ids=["proxy", "direct"])
def jupyter(folder: Path, request: pytest.FixtureRequest) -> Iterator[Jupyter]:
    """Serve the folder as notebooks."""
    jupyter = Jupyter(folder, has_proxy=request.param)
    yield jupyter
    jupyter.stop()


def write_notebook(path: Path, *cells: str) -> None:
    """Write a notebook with these cells of code."""
    contents: list[dict[str, object]] = [
        {
            "cell_type": "code",
            "id": f"c{number}",
            "execution_count": None,
            "metadata": {},
            "outputs": [],
            "source": cell,
        }
        for number, cell in enumerate(cells)
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = {"cells": contents, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(notebook), encoding="utf-8")


def run_notebook(browser: Browser, jupyter: Jupyter, *cells: str) -> Page:
    """Open a notebook in the browser and run its cells."""
    write_notebook(jupyter.folder / "notebook.ipynb", *cells)
    page = browser.new_page(viewport={"width": 1400, "height": 1300})
    page.goto(jupyter.url("lab/tree/notebook.ipynb"))
    page.locator(".jp-Cell").first.click()
    expect(page.locator("#jp-main-statusbar")).to_contain_text("| Idle")  # Only then cells can be run.
    for _ in cells:
        page.keyboard.press("Shift+Enter")
    return page


def dashboard(page: Page) -> tuple[FrameLocator, str]:
    """Return the frame in the output of a cell, and its URL."""
    frame = page.frame_locator("iframe[title=Toposcope]")
    expect(frame.locator("canvas").first).to_be_visible()
    element = page.locator("iframe[title=Toposcope]").element_handle()
    content: Frame | None = element.content_frame()
    assert content is not None
    return frame, content.url


@pytest.mark.parametrize(
    "cells",
    [
        ("%load_ext toposcope", "%toposcope --logdir runs --height 700"),
        ("import toposcope.server", "toposcope.server.show('runs', height=700)"),
    ],
    ids=["magic", "show"],
)
def test_output_of_a_cell_shows_a_chart(
    browser: Browser, jupyter: Jupyter, cells: tuple[str, ...], request: pytest.FixtureRequest
) -> None:
    """Through jupyter-server-proxy where it is installed, else directly; without the token in the frame's URL."""
    page = run_notebook(browser, jupyter, *cells)
    frame, url = dashboard(page)
    expect(frame.locator("body")).to_contain_text("loss")
    expect(frame.locator("body")).to_contain_text("first")

    through_proxy = rf"http://127\.0\.0\.1:{jupyter.port}{BASE}proxy/\d+/"
    is_proxied = "proxy" in request.node.callspec.id
    assert re.match(through_proxy if is_proxied else r"http://127\.0\.0\.1:\d+/(#|$)", url), url
    assert "token" not in url
    page.wait_for_timeout(500)  # The chart is drawn.
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"jupyter-{request.node.callspec.id}.png")

    with SummaryRecord(jupyter.folder / "runs" / "second") as recorder:
        recorder.add_value("scalar", "loss", 1.0)
        recorder.record(1)
    expect(frame.locator("body")).to_contain_text("second")  # Event streams pass the proxy.
    page.close()


def test_server_ends_with_the_kernel(browser: Browser, folder: Path) -> None:
    """Also if the kernel is killed; showing a logdir again starts no second server."""
    jupyter = Jupyter(folder, has_proxy=True)
    port = "from toposcope.server.notebook.notebook_server import _started as started\n"
    port += "import os, json, pathlib\n"
    port += "found = [[each.process.pid, os.getpid()] for each in started.values()]\n"
    port += "pathlib.Path('started.json').write_text(json.dumps(found))"
    page = run_notebook(browser, jupyter, "%load_ext toposcope", *["%toposcope --logdir runs"] * 2, port)
    ((server, kernel),) = wait_until(lambda: _read(folder / "started.json"), SECONDS)
    os.kill(kernel, 9)
    wait_until(lambda: not Path(f"/proc/{server}").exists() or "Z" in _state(server), SECONDS)
    page.close()
    jupyter.stop()


def _read(path: Path) -> list[list[int]] | None:
    return json.loads(path.read_text()) if path.exists() and path.read_text() else None


def _state(process: int) -> str:
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
