"""The directory of a run: WANDB_DIR/wandb/<project>/[<group>/]<name>-<id>, with a file that identifies the run."""

import json
import os
import re
import socket
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from toposcope.recorder import log
from toposcope.recorder.secrets.hiding import HIDDEN, hide_secrets
from toposcope.recorder.secrets.secret_names import names_secret
from toposcope.recorder.stores.spool import local_path
from toposcope.recorder.wandb.run.run_settings import RunSettings

FILE_NAME = "wandb-run.json"
_UNSAFE = re.compile(r"[^\w.\- ]+")
_MAX_CHARACTERS = 100


def new_directory(settings: RunSettings) -> Path:
    """Create the directory of a new run and return it; in the directory for temporary files if that fails."""
    parts = [settings.project, *([settings.group] if settings.group else []), f"{settings.name}-{settings.id}"]
    below = Path("wandb", *map(_safe, parts))
    directory = Path(local_path(settings.root)) / below
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        other = Path(tempfile.gettempdir()) / below
        log.error("wandb: the run is recorded in %s, as %s cannot be created: %s", other, directory, error)
        other.mkdir(parents=True, exist_ok=True)
        return other
    return directory


def find_run(settings: RunSettings) -> Path | None:
    """Return the directory of the project's run with the id of settings; None if there is none."""
    found = [directory for directory, facts in _runs(settings) if facts.get("id") == settings.id]
    return max(found, key=_modified, default=None)


def find_crashed_run(settings: RunSettings) -> tuple[Path, str] | None:
    """Return the directory and id of the newest run of the project if it failed or was killed; otherwise None."""
    runs = sorted(_runs(settings), key=lambda run: _modified(run[0]))
    if not runs or runs[-1][1].get("state") == "finished" or _is_alive(runs[-1][1]):
        return None
    directory, facts = runs[-1]
    return directory, str(facts.get("id"))


def read_facts(directory: Path) -> dict[str, Any]:
    """Return the content of the file that identifies a run; empty if it cannot be read."""
    try:
        facts = json.loads((directory / FILE_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return facts if isinstance(facts, dict) else {}


def write_facts(directory: Path, facts: Mapping[str, Any]) -> None:
    """Replace the file that identifies a run, without secrets; what JSON cannot contain is its str()."""
    shown = _without_secrets({**facts, "pid": os.getpid(), "host": socket.gethostname()})
    content = json.dumps(shown, default=str, indent=1)
    temporary = directory / f".{FILE_NAME}.{os.getpid()}"
    temporary.write_text(content + "\n", encoding="utf-8", errors="replace")
    temporary.replace(directory / FILE_NAME)


def _without_secrets(facts: Any) -> Any:
    if isinstance(facts, Mapping):
        is_hidden = {name: isinstance(value, str) and names_secret(str(name)) for name, value in facts.items()}
        return {name: HIDDEN if is_hidden[name] else _without_secrets(value) for name, value in facts.items()}
    if isinstance(facts, list | tuple):
        return [_without_secrets(each) for each in facts]
    return hide_secrets(facts) if isinstance(facts, str) else facts


def _runs(settings: RunSettings) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the directories of the runs of a project, and what identifies them."""
    for root in (Path(local_path(settings.root)), Path(tempfile.gettempdir())):
        project = root / "wandb" / _safe(settings.project)
        for path in (*project.glob(f"*/{FILE_NAME}"), *project.glob(f"*/*/{FILE_NAME}")):
            yield path.parent, read_facts(path.parent)


def _modified(directory: Path) -> float:
    try:
        return (directory / FILE_NAME).stat().st_mtime
    except OSError:
        return 0.0


def _is_alive(facts: Mapping[str, Any]) -> bool:
    """Return whether the process of a run is alive, or may be, on another host."""
    pid = facts.get("pid")
    if facts.get("host") != socket.gethostname() or not isinstance(pid, int):
        return True
    if pid == os.getpid():
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _safe(name: str) -> str:
    """Return name as the name of a directory."""
    safe = _UNSAFE.sub("_", name).strip(" .")[:_MAX_CHARACTERS]
    return safe or "_"
