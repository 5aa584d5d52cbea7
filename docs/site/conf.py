"""Sphinx: the Markdown pages of the repository, as they are, and the reference from Doxygen.

docs/build runs it with the repository as source folder. The order of the pages is in contents.md.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

project = "Warpline"
author = copyright = "the Warpline authors"  # pylint: disable=redefined-builtin
extensions = ["myst_parser", "reference"]
root_doc = "README"
source_suffix = {".md": "markdown"}
include_patterns = ["README.md", "CONTRIBUTING.md", "docs/**"]
exclude_patterns = ["docs/site", "build", "framework", "kernels", "samples", "tests", ".git", ".ci"]

# Headings get the anchors that GitHub gives them.
myst_heading_anchors = 4
nitpicky = True
highlight_language = "text"

warpline_doxygen = os.environ.get("WARPLINE_DOXYGEN", "") + "/xml"

html_theme = "furo"
html_title = "Warpline"
html_static_path = ["static"]
html_extra_path = ["extra"]  # index.html, which leads to README.html
html_css_files = ["warpline.css"]
html_show_sphinx = False
html_copy_source = False


def add_contents(app, name, source):
    """GitHub shows README.md without a table of contents; the site needs one."""
    if name == root_doc:
        with open(os.path.join(app.srcdir, "docs/site/contents.md"), encoding="utf-8") as file:
            source[0] += "\n" + file.read()


def setup(app):
    app.connect("source-read", add_contents)
