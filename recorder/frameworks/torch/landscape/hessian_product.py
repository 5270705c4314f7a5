"""Products of the Hessian of a loss with vectors, by differentiating twice."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from typing import Any

from toposcope.recorder.frameworks.torch.modules import library


def hessian_product(
    losses_of: Callable[[Any], Any], batches: Iterable[tuple[Any, int]], parameters: Sequence[Any], vector: Any
) -> Any:
    """Return the Hessian of the mean loss of all samples times a vector, exact except for rounding.

    Args:
        losses_of: returns the losses of a batch: one for each sample, or one in all.
        batches: with their sizes.
        parameters: with respect to which the loss is differentiated; floating-point tensors, in the order of the
            vector.
        vector: float32 on their device, shape (P,), where P is the number of elements in all parameters.

    Returns:
        float32, shape (P,).

    Raises:
        RuntimeError: PyTorch cannot differentiate an operator of the network twice.
    """
    torch = library()
    pieces = vector.split([parameter.numel() for parameter in parameters])
    directions = [piece.view(each.shape).to(each.dtype) for piece, each in zip(pieces, parameters, strict=True)]
    product, samples = torch.zeros_like(vector), 0
    fixed = [parameter for parameter in parameters if not parameter.requires_grad]
    with ExitStack() as stack:
        stack.enter_context(torch.enable_grad())
        # The fast implementations of attention and of recurrent layers have no second derivative.
        stack.enter_context(torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH))
        stack.enter_context(torch.backends.cudnn.flags(enabled=False))
        for parameter in fixed:
            parameter.requires_grad_(True)
            stack.callback(parameter.requires_grad_, False)
        for batch, size in batches:
            product += size * _of_batch(torch, losses_of(batch).mean(), parameters, directions)
            samples += size
    return product / samples


def _of_batch(torch: Any, loss: Any, parameters: Sequence[Any], directions: Sequence[Any]) -> Any:
    gradients = _derivatives(torch, loss, parameters, create_graph=True)
    along = sum((each * direction).sum() for each, direction in zip(gradients, directions, strict=True))
    # The derivative of a gradient that does not depend on the parameters is zero.
    second = _derivatives(torch, along, parameters) if along.requires_grad else map(torch.zeros_like, parameters)
    return torch.cat([each.reshape(-1).float() for each in second])


def _derivatives(torch: Any, value: Any, parameters: Sequence[Any], create_graph: bool = False) -> Any:
    return torch.autograd.grad(value, parameters, create_graph=create_graph, allow_unused=True, materialize_grads=True)
