"""What a measurement prints: one row a figure."""

import statistics


def report(what: str, goal: str, waits: list[float], unit: str = "ms") -> None:
    """Print what it is, the goal of the cost contract, the median, and the spread."""
    ordered = sorted(waits)
    p95 = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    print(
        f"{what:58} goal {goal:14} median {statistics.median(ordered):7.1f}  p95 {p95:7.1f}  "
        f"max {ordered[-1]:7.1f} {unit}  (n={len(ordered)})",
        flush=True,
    )
