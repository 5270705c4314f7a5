"""Missing values: what a user-written loop does not provide although it is to be collected, and how to provide it."""

from toposcope.recorder import log
from toposcope.recorder.collecting.job import Job
from toposcope.recorder.collecting.training_network import TrainingNetwork

_SWITCHES = {
    "parameters": "histogram_regular to '$^'",
    "gradients": "collect_gradient_norm to False and gradient_histogram_regular to None",
    "the learning rate": "collect_learning_rate to False",
    "the graph": "collect_graph to False",
}
"""What is collected, to the setting of collect_specified_data that disables it."""


def warn_of_missing(job: Job, network: TrainingNetwork, has_graph: bool) -> None:
    """Log one warning that names everything that is to be collected of a watched run and was not found.

    Args:
        job: the training.
        network: has been asked for the values of the first step.
        has_graph: whether the graph is known, or may become known.
    """
    if "loop_sources" not in job.params or not job.is_leading:
        return
    is_found = {**network.is_found, "the graph": has_graph or not job.collects("collect_graph")}
    if not job.collects("collect_learning_rate"):
        is_found["the learning rate"] = True
    missing = [name for name in _SWITCHES if not is_found.get(name, True)]
    if not missing:
        return
    log.warn(
        "%s: not collected: %s. To omit them without this warning, set %s in collect_specified_data.",
        job.plan.summary_dir,
        "; ".join(f"{name}: {_remedy(name, job, network)}" for name in missing),
        ", ".join(_SWITCHES[name] for name in missing),
    )


def _remedy(name: str, job: Job, network: TrainingNetwork) -> str:
    """Return what the user has to do so that a value is collected."""
    if name == "the graph":
        is_given = job.params.get("network") is not None
        return "only networks of PyTorch and MindSpore have one" if is_given else "pass model to watch()"
    if name == "gradients":
        return "call step() before they are zeroed, or pass gradients=, a function that returns them, to watch()"
    if name == "the learning rate":
        rate = "learning_rate=, a number or a function that returns it,"
        return f"pass {'optimizer, or ' if job.params.get('optimizer') is None else ''}{rate} to watch()"
    if network.is_unchanged:
        return "those of model are still the arrays that it had at first; pass parameters=lambda: params to watch()"
    model = "model, or " if job.params.get("network") is None else ""
    return f"pass {model}parameters=, a function that returns them, to watch()"
