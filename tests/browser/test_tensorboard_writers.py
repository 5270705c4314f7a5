"""What TensorBoard's writers record beyond scalars: sessions, and several writers of one run."""

from pathlib import Path

from playwright.sync_api import Page, expect
from support.pages import StartServer

from toposcope.recorder import SummaryWriter


def test_run_of_several_writers(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Charts note the number of writers; sessions are named by their values."""
    writers = [SummaryWriter(str(tmp_path / "run")) for _ in range(2)]
    for step in range(3):
        for number, writer in enumerate(writers):
            writer.add_scalar("loss", number + step, step)
    for rate in (0.1, 0.2):
        writers[0].add_hparams({"lr": rate}, {"accuracy": 1.0})
    for writer in writers:
        writer.close()
    url = server(tmp_path).url

    page.goto(url + "#page=scalars&tags=loss")
    expect(page.locator('[data-note="writers"]')).to_have_text("2 writers")
    expect(page.locator(".run.child .leaf")).to_have_text(["lr=0.1", "lr=0.2"])
    page.goto(url + "#page=scalars&runs=%22lr%3D0.1%22")  # The search matches the name that is shown.
    expect(page.locator(".run .leaf")).to_have_text(["lr=0.1"])
    page.goto(url + "#page=scalars&tags=loss&scalar.rank=2")
    expect(page.locator('[data-note="writers"]')).to_have_count(0)


def test_a_single_session_is_part_of_its_run(server: StartServer, page: Page, tmp_path: Path) -> None:
    """It is no row of its own, and its metrics are no charts; the run has its hyperparameters and metrics."""
    with SummaryWriter(str(tmp_path / "gan")) as writer:
        writer.add_scalar("loss", 1.0, 1)
        writer.add_hparams({"lr": 0.002}, {"hparam/FID": 12.5})
    url = server(tmp_path).url

    page.goto(url + "#page=scalars")
    expect(page.locator("scalar-card")).to_have_count(1)
    expect(page.locator(".run .leaf")).to_have_text(["gan"])
    page.goto(url + "#page=overview")
    expect(page.locator("run-row, tbody tr").filter(has_text="gan")).to_contain_text("0.002")
    page.goto(url + "#page=lineage")
    expect(page.locator("body")).to_contain_text("12.5")
