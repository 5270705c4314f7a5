"""The picture of a package in docs/architecture.md."""

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

SCRIPT = Path(__file__).parents[2] / "docs/_extensions/structure.py"


def test_each_folder_is_above_those_that_it_imports() -> None:
    """With its lines."""
    drawn = subprocess.run([sys.executable, str(SCRIPT), "server"], check=True, capture_output=True, text=True).stdout

    texts = ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")
    labels = {str(text.text).split()[0]: (int(text.attrib["y"]), str(text.text).split()[1]) for text in texts}
    ladder = ["proto", "reading", "runs", "loading", "search", "api", "app", "commands"]
    heights = [labels[name][0] for name in ladder]
    assert heights == sorted(set(heights), reverse=True)
    assert int(labels["reading"][1].replace(",", "")) > 1000
