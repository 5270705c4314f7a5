"""Sphinx configuration of the documentation site: make docs."""

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "Toposcope"
author = "The Toposcope developers"
copyright = "2026, The Toposcope developers"
version = release = installed_version("toposcope")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "docstring_code",
    "http_routes",
    "structure",
]
exclude_patterns = ["_build"]
suppress_warnings = ["misc.highlighting_failure"]  # There is no lexer for hex dumps.
default_role = "code"  # Docstrings use single backticks for code.
myst_enable_extensions = ["colon_fence", "fieldlist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_default_options = {"members": True, "show-inheritance": True}
autoclass_content = "both"
napoleon_google_docstring = True
napoleon_numpy_docstring = False
autodoc_mock_imports = ["mindspore", "jax", "torch"]  # The same pages on every machine.

html_theme = "furo"
html_title = "Toposcope"
html_logo = "../web/mark.svg"
html_favicon = "../web/mark.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
copybutton_exclude = ".linenos, .gp"
