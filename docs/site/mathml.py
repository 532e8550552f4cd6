"""Equations as MathML, made at build time: pages need no script and no network."""

import html
import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)


class EquationError(Exception):
    """An equation that cannot be converted; the message has it."""


def mathml(latex: str, display: str) -> str:
    """MathML of an equation.

    Args:
        latex: in the part of LaTeX that `latex2mathml` reads.
        display: `inline` or `block`.

    Raises:
        EquationError: it does not read the equation.
    """
    try:
        made = convert(latex, display=display)
    except Exception as error:
        raise EquationError(f"no equation: {latex!r} ({error})") from error
    # What is not converted stays as text: a name with a backslash before it.
    if unread := re.findall(r"\\(?!_)\S\w*", html.unescape(made)):
        raise EquationError(f"{unread[0]} is not known, in the equation {latex!r}")
    return made.replace(r"\_", "_")


def visit_inline(self: Any, node: nodes.math) -> None:
    """Writes an equation in a line."""
    self.body.append(_made(node, "inline"))
    raise nodes.SkipNode


def visit_block(self: Any, node: nodes.math_block) -> None:
    """Writes a displayed equation, which scrolls where the screen is too narrow."""
    self.body.append(f'<div class="equation">{_made(node, "block")}</div>\n')
    raise nodes.SkipNode


def _made(node: nodes.Element, display: str) -> str:
    """MathML of a node; a warning, which ends the build, where it cannot be made."""
    try:
        return mathml(node.astext(), display)
    except EquationError as error:
        LOGGER.warning("%s", error, location=node)
        return html.escape(node.astext())


def setup(app: Any) -> dict[str, bool]:
    """Registers the writer."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
