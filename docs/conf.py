"""Settings of Sphinx for the documentation, which `docs/build_site.py` calls."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "site"))

project = "Backbeat"
author = copyright = "The Backbeat developers"
extensions = ["myst_parser", "mathml", "source_links"]
root_doc = "docs/index"
# Pages of the source are written by build_site.py, from docstrings.
include_patterns = ["*.md", "docs/**.md", "source/*.md", "models/robots/*/README.md"]

myst_enable_extensions = ["dollarmath"]
myst_fence_as_directive = ["math"]
# Headings are linked by the names that GitHub gives them.
myst_heading_anchors = 4
# `[x]` alone is text, as in a formula or the name of a unit.
suppress_warnings = ["myst.header"]

html_theme = "furo"
html_title = "Backbeat"
html_math_renderer = "mathml"
html_static_path = ["site/static"]
html_css_files = ["equations.css"]
templates_path = ["site"]
# The start page lies in the folder of the documentation.
html_additional_pages = {"index": "start.html"}
html_search_scorer = str(Path(__file__).parent / "site" / "scorer.js")
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"top_of_page_buttons": []}
