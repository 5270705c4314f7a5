"""Samples the labels from which thor(fisher="sampled") gathers its factors, as the loss function implies them."""

from typing import Any

_LIKELIHOODS = {
    "CrossEntropyLoss": "categorical",
    "cross_entropy": "categorical",
    "BCEWithLogitsLoss": "bernoulli",
    "binary_cross_entropy_with_logits": "bernoulli",
    "MSELoss": "normal",
    "mse_loss": "normal",
}
"""Kinds of losses, by the names of the classes and functions of torch.nn."""


def sample_labels(optimizer: Any, loss_fn: Any, outputs: Any) -> None:
    """Call optimizer.sample_fisher() if there is such a method and the likelihood of the loss function is known.

    For other loss functions the program calls it, for example in the loss function; THOR warns if nobody does.
    """
    sample = getattr(optimizer, "sample_fisher", None)
    likelihood = _LIKELIHOODS.get(getattr(loss_fn, "__name__", type(loss_fn).__name__))
    if sample is None or likelihood is None or not hasattr(outputs, "movedim"):
        return
    is_image = likelihood == "categorical" and outputs.ndim > 2
    sample(outputs.movedim(1, -1) if is_image else outputs, likelihood)
