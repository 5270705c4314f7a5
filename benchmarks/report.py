"""Prints the result of a measurement as a row."""

import statistics


def report(description: str, goal: str, waits: list[float], unit: str = "ms") -> None:
    """Print a description, the goal of the cost contract, the median, the 95th percentile and the maximum."""
    ordered = sorted(waits)
    p95 = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    print(
        f"{description:58} goal {goal:14} median {statistics.median(ordered):7.1f}  p95 {p95:7.1f}  "
        f"max {ordered[-1]:7.1f} {unit}  (n={len(ordered)})",
        flush=True,
    )
