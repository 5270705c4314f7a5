"""Missing values: what a user-written loop does not provide although it is to be collected, and how to provide it."""

from collections.abc import Mapping

from toposcope.recorder import log
from toposcope.recorder.collecting.job import Job

_SWITCHES = {
    "parameters": "histogram_regular to '$^'",
    "gradients": "collect_gradient_norm to False and gradient_histogram_regular to None",
    "the learning rate": "collect_learning_rate to False",
    "the graph": "collect_graph to False",
}
"""What is collected, to the setting of collect_specified_data that disables it."""


def warn_of_missing(job: Job, is_found: Mapping[str, bool], is_replaced: bool) -> None:
    """Log one warning that names everything that is to be collected of a watched run and was not found.

    Args:
        job: the training.
        is_found: whether each of the values in _SWITCHES was found; without those that are not to be collected.
        is_replaced: whether model has parameters that the loop does not change.
    """
    missing = [name for name in _SWITCHES if not is_found.get(name, True)]
    if not missing or "loop_sources" not in job.params or not job.is_leading:
        return
    log.warn(
        "%s: not collected: %s. To omit them without this warning, set %s in collect_specified_data.",
        job.plan.summary_dir,
        "; ".join(f"{name}: {_remedy(name, job, is_replaced)}" for name in missing),
        ", ".join(_SWITCHES[name] for name in missing),
    )


def _remedy(name: str, job: Job, is_replaced: bool) -> str:
    """Return what the user has to do so that a value is collected."""
    if name == "the graph":
        return "only networks of PyTorch and MindSpore have one"
    if name == "gradients":
        return "pass gradients=, a function that returns them, to watch()"
    if name == "the learning rate":
        rate = "learning_rate=, a number or a function that returns it,"
        return f"pass {'optimizer, or ' if job.params.get('optimizer') is None else ''}{rate} to watch()"
    if is_replaced:
        return "those of model are still the arrays that it had at first; pass parameters=lambda: params to watch()"
    model = "model, or " if job.params.get("network") is None else ""
    return f"pass {model}parameters=, a function that returns them, to watch()"
