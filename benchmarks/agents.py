"""What the tools of agents cost on many runs: how soon each answers, and how long its answers are.

agents.py [--runs 10000] [--tags 10] [--steps 5] [--calls 100] [--logdir DIR]

The client of the official package calls every tool of a real `summary-server mcp`, over its standard input and output,
each time for other runs. The logdir is made, unless one with such runs is named.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from many_runs import write_many
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import TextContent

_TAG = "group0/metric0"


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--tags", type=int, default=10)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--calls", type=int, default=100)
    parser.add_argument("--logdir", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        logdir = options.logdir or Path(folder, "runs")
        if options.logdir is None:
            write_many(logdir, options.runs, options.tags, options.steps)
        asyncio.run(measure(logdir, Path(folder), options.runs, options.calls))


def arguments_of(tool: str, number: int, runs: int) -> dict[str, Any]:
    """Return the arguments of a call; calls differ in their runs and searches."""
    place = 37 * number % runs
    run, other = (f"group-{each // 1000:02}/run-{each % 1000:03}" for each in (place, (place + 1) % runs))
    chosen: dict[str, dict[str, Any]] = {
        "list_runs": {"search": f"min({_TAG})<{number}", "limit": 100},
        "list_tags": {"run": run},
        "get_metrics": {"runs": [run, other], "tags": [_TAG]},
        "compare_runs": {"runs": [run, other]},
        "find_best_run": {"metric": f"min({_TAG})", "search": f"name:run-{number:03}"},
        "search": {"text": f"run-{number:03}"},
    }
    return chosen.get(tool, {"run": run})


async def measure(logdir: Path, folder: Path, runs: int, calls: int) -> None:
    """Print the median and the 95th percentile of each tool, and the length of its longest answer."""
    places = ["--index-dir", str(folder / "index"), "--data-dir", str(folder / "data")]
    command = ["-m", "toposcope.server.cli", "mcp", "--logdir", str(logdir), *places]
    async with Client(stdio_client(StdioServerParameters(command=sys.executable, args=command))) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        await client.call_tool("list_runs", {})  # Calls wait until the runs are loaded.
        print(f"{'tool':14}  p50 ms  p95 ms  characters")
        for tool in tools:
            times, longest = [], 0
            for number in range(calls):
                begin = time.perf_counter()
                found = await client.call_tool(tool, arguments_of(tool, number, runs))
                times.append(1000 * (time.perf_counter() - begin))
                assert not found.is_error, found.content
                words = "".join(each.text for each in found.content if isinstance(each, TextContent))
                longest = max(longest, len(words) + len(json.dumps(found.structured_content, separators=(",", ":"))))
            middle, most = np.percentile(times, [50, 95])
            print(f"{tool:14}  {middle:6.1f}  {most:6.1f}  {longest:10,}", flush=True)


if __name__ == "__main__":
    main()
