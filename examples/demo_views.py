"""What the demo stores beside its runs, through the HTTP API: labels, a note, and a workspace as a saved view."""

import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from toposcope import server

ACCURACY = "validation/accuracy"
WORKSPACE = "Digits"
TEXT = """The gap between validation and training loss grows with the learning rate, until the run diverges.

Accuracy is that of **450 images** that no run was trained on."""


def label_runs(address: str, logdir: Path, directory: Path) -> None:
    """Label the best and the failed runs below directory, and write a note on the best one."""
    with server.open(directory) as opened:
        accuracies = {
            name: run.scalars(ACCURACY).value for name, run in opened.runs.items() if ACCURACY in run.tags("scalar")
        }
        failed = [name for name, run in opened.runs.items() if run.state.state == "failed"]
    best = max(accuracies, key=lambda name: float(accuracies[name][-1]))
    note = f"The best of {len(accuracies)} runs: **{float(accuracies[best][-1]):.1%}** of the images are recognised."
    prefix = directory.relative_to(logdir).as_posix()
    changes = [{"runs": [f"{prefix}/{best}"], "change": {"add_labels": ["best"], "note": note}}]
    if failed:
        changes.append({"runs": [f"{prefix}/{name}" for name in failed], "change": {"add_labels": ["diverged"]}})
    send(address, "POST", "api/notes", {"changes": changes})


def save_workspace(address: str) -> None:
    """Save the workspace, unless there is a view of its name already."""
    content = {"page": "workspace", "address": "page=workspace", "workspace": workspace(), "base": None}
    try:
        send(address, "PUT", f"api/views/{WORKSPACE}", content)
    except urllib.error.HTTPError as error:
        if error.code != 409:
            raise


def workspace() -> dict[str, Any]:
    """Return a workspace of charts, of what depends on the learning rate, and of mistakes."""
    accuracy, rate = f"best:{ACCURACY}", "param:learning_rate"
    curves: list[tuple[str, dict[str, Any]]] = [
        ("lines", {"tags": ["validation/loss"], "log": True}),
        ("lines", {"tags": [ACCURACY], "legend": "off"}),
        ("lines", {"expressions": ["validation/loss - train/loss"], "legend": "off"}),
    ]
    sweep: list[tuple[str, dict[str, Any]]] = [
        ("scatter", {"x": rate, "y": accuracy, "log_x": True}),
        ("bars", {"metric": accuracy}),
        ("parallel", {"columns": [rate, "param:momentum", "param:hidden", accuracy]}),
    ]
    mistakes: list[tuple[str, dict[str, Any]]] = [("images", {"tag": "mistakes"}), ("markdown", {"text": TEXT})]
    sections = [section("Curves", curves), section("Sweep", sweep), section("Mistakes", mistakes)]
    return {"version": 1, "sections": sections, "settings": {}}


def section(name: str, panels: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    """Return a section with a row of panels, each a third of its width."""
    placed = [
        {"kind": kind, "x": 4 * place, "y": 0, "w": 4, "h": 3, "settings": settings}
        for place, (kind, settings) in enumerate(panels)
    ]
    return {"name": name, "collapsed": False, "panels": placed, "settings": {}}


def send(address: str, method: str, path: str, body: object) -> None:
    """Send JSON to the server of this machine.

    Raises:
        urllib.error.HTTPError: the server refuses it.
    """
    request = urllib.request.Request(
        address + path, json.dumps(body).encode(), {"Content-Type": "application/json"}, method=method
    )
    # Without the proxies of the environment.
    urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=30).close()
