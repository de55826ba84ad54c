"""How Sphinx builds the documentation: ``make docs`` writes it into ``site/``."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import setwise

# The examples of exact ends read it, as those of the tests do.
os.environ.setdefault("SETWISE_TABLEBASE", str(Path(__file__).parents[1] / "build" / "tablebase"))
setwise.build_tablebase()

project = "setwise"
author = "The setwise authors"
copyright = "the setwise authors, MIT licence"  # noqa: A001  (Sphinx calls it so)
version = release = setwise.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "drawn",
]
exclude_patterns = ["boards"]
nitpicky = False

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
add_module_names = False
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_admonition_for_examples = False
napoleon_custom_sections = ["Traps", "Why", "Slips", "Names", "Source"]
copybutton_prompt_text = ">>> |\\.\\.\\. |\\$ "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = "setwise"
html_favicon = "icon.svg"
html_static_path = ["style.css", "../build/scripts"]
html_js_files = [("boards.js", {"defer": "defer"})]
html_css_files = ["style.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True, "top_of_page_buttons": []}
