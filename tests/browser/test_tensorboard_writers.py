"""What TensorBoard's writers record beyond scalars: embeddings, sessions, and several writers of one run."""

from pathlib import Path

import numpy as np
from playwright.sync_api import Page, expect
from support.pages import StartServer

from toposcope.recorder import SummaryWriter


def test_run_of_several_writers(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Charts note the number of writers; sessions are named by their values, and embeddings with their files."""
    writers = [SummaryWriter(str(tmp_path / "run")) for _ in range(2)]
    for step in range(3):
        for number, writer in enumerate(writers):
            writer.add_scalar("loss", number + step, step)
    writers[0].add_embedding(np.eye(3), global_step=1, tag="digits")
    writers[0].add_hparams({"lr": 0.1}, {"accuracy": 1.0})
    for writer in writers:
        writer.close()
    url = server(tmp_path).url

    page.goto(url + "#page=scalars&tags=loss")
    expect(page.locator('[data-note="writers"]')).to_have_text("2 writers")
    expect(page.locator(".run.child .leaf")).to_have_text("lr=0.1")
    page.goto(url + "#page=scalars&runs=%22lr%3D0.1%22")  # The search matches the name that is shown.
    expect(page.locator(".run .leaf")).to_have_text(["lr=0.1"])
    page.goto(url + "#page=scalars&tags=loss&scalar.rank=2")
    expect(page.locator('[data-note="writers"]')).to_have_count(0)
    page.goto(url + "#page=overview&over.run=run")
    tile = page.locator('[data-tile="projector"]')
    page.locator("undrawn-tiles").scroll_into_view_if_needed()
    expect(tile.locator("dt")).to_have_text("digits:00001")
    expect(tile.locator("dd")).to_have_text("00001/digits/tensors.tsv")
