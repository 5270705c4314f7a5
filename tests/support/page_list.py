"""The pages, in the order of their tabs, as web/data/view/page_list.js has them."""

import re
from pathlib import Path

_SOURCE = (Path(__file__).parents[2] / "web/data/view/page_list.js").read_text(encoding="utf-8")

PAGES = re.findall(r"^  (\w+): \{", _SOURCE, re.MULTILINE)
"""The names of all pages."""
RARE = re.findall(r"^  (\w+): \{.*isRare: true", _SOURCE, re.MULTILINE)
"""Of them, those without a tab where no run has data for them."""
USUAL = [name for name in PAGES if name not in RARE]
