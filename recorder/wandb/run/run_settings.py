"""RunSettings: what the arguments of wandb.init() and the variables WANDB_... say about a run."""

import secrets
import string
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from toposcope.recorder.wandb.errors import UsageError
from toposcope.recorder.wandb.reports import REPORTS

_MODES = {"online": "online", "run": "online", "shared": "online", "offline": "offline", "dryrun": "offline"}
_MODES["disabled"] = "disabled"
_RESUMES = {"allow", "must", "never", "auto"}
_DEFAULT_PROJECT = "uncategorized"


class RunSettings(NamedTuple):
    """Who a run is, and how it is recorded."""

    root: str
    """The directory in which the directory "wandb" is."""
    mode: str
    """ "online" and "offline", which are the same here, or "disabled"."""
    id: str
    name: str
    project: str
    entity: str | None
    group: str | None
    job_type: str | None
    tags: tuple[str, ...]
    notes: str | None
    resume: str | None
    """ "allow", "must", "never" or "auto"; None: a new run."""
    has_own_id: bool
    """Whether the script or the environment named the id."""
    from_step: int | None
    """The last step of the run that is kept, of resume_from; None: all."""


def run_settings(arguments: Mapping[str, Any], environ: Mapping[str, str]) -> RunSettings:
    """Return the settings of a run: arguments of init() precede variables; invalid ones are reported."""

    def text(name: str, variable: str) -> str | None:
        value = arguments.get(name)
        value = environ.get(variable) if value is None else value
        return str(value) if value not in (None, "") else None

    given_id, from_step = text("id", "WANDB_RUN_ID"), None
    resume = _resume(arguments.get("resume"), environ.get("WANDB_RESUME"))
    if (moment := arguments.get("resume_from")) is not None:
        given_id, from_step = _moment(str(moment))
        resume = "must"
    run_id = given_id or generate_id()
    tags = arguments.get("tags")
    if tags is None:
        tags = [tag.strip() for tag in environ.get("WANDB_TAGS", "").split(",") if tag.strip()]
    return RunSettings(
        root=text("dir", "WANDB_DIR") or ".",
        mode=_mode(text("mode", "WANDB_MODE")),
        id=run_id,
        name=text("name", "WANDB_NAME") or f"run-{datetime.now():%Y%m%d-%H%M%S}",
        project=text("project", "WANDB_PROJECT") or _DEFAULT_PROJECT,
        entity=text("entity", "WANDB_ENTITY"),
        group=text("group", "WANDB_RUN_GROUP"),
        job_type=text("job_type", "WANDB_JOB_TYPE"),
        tags=(tags,) if isinstance(tags, str) else tuple(str(tag) for tag in tags),
        notes=text("notes", "WANDB_NOTES"),
        resume=resume,
        has_own_id=given_id is not None,
        from_step=from_step,
    )


def generate_id(length: int = 8) -> str:
    """Return the id of a new run: letters and digits. The name is that of wandb.util."""
    return "".join(secrets.choice(string.ascii_lowercase + string.digits) for _ in range(length))


def _mode(mode: str | None) -> str:
    if mode is None:
        return "offline"
    if mode.lower() not in _MODES:
        REPORTS.differs(f"the mode {mode!r} is unknown: the run is recorded. Known are {', '.join(_MODES)}.")
    return _MODES.get(mode.lower(), "offline")


def _resume(argument: Any, variable: str | None) -> str | None:
    value = variable if argument is None else argument
    if value in (None, False, "", "false", "False"):
        return None
    if value in (True, "true", "True"):
        return "auto"
    if value not in _RESUMES:
        REPORTS.differs(
            f"resume={value!r} is unknown: 'allow' takes its place. Known are {', '.join(sorted(_RESUMES))}."
        )
        return "allow"
    return str(value)


def _moment(text: str) -> tuple[str, int]:
    """Return the id and the step of "<id>?_step=<step>"."""
    run_id, _, step = text.partition("?_step=")
    if not run_id or not step.isdigit():
        raise UsageError(f"resume_from must be '<id>?_step=<step>', not {text!r}.")
    return run_id, int(step)
