"""Write the logs on which the page is looked at and measured: long and noisy, as people have them.

python benchmarks/realistic_runs.py --out DIR [--only llm,sweep,gan,rl] [--scale S]

Each kind is a logdir of its own below DIR, with the same values each time. With a scale below 1 the runs of a kind are
shorter or fewer.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path

from realistic_gan import write_gans
from realistic_llm import write_fine_tunings
from realistic_rl import write_agents
from realistic_sweep import write_sweep

KINDS: dict[str, Callable[[Path, float], None]] = {
    "llm": write_fine_tunings,
    "sweep": write_sweep,
    "gan": write_gans,
    "rl": write_agents,
}


def main() -> None:
    """Write the kinds given by the command line; print how long each took and how large it is."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="a folder, in which the logdirs do not exist yet")
    parser.add_argument("--only", default=",".join(KINDS), help="kinds, separated by commas (default: all)")
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies lengths and numbers of runs")
    arguments = parser.parse_args()
    kinds = arguments.only.split(",")
    if unknown := set(kinds) - set(KINDS):
        parser.error(f"unknown kinds: {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}")
    for kind in kinds:
        began = time.monotonic()
        KINDS[kind](arguments.out / kind, arguments.scale)
        size = sum(path.stat().st_size for path in (arguments.out / kind).rglob("*") if path.is_file())
        print(f"{kind}: {size / 1e6:.1f} MB in {time.monotonic() - began:.1f} s")


if __name__ == "__main__":
    main()
