"""Pages of the reference, one for each folder of the source, from its docstrings.

Nothing is imported: the text of a module tells all that a page has.
"""

import ast
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

PACKAGES = ("models", "optimization", "behaviors", "mpc", "backbeat")
# Those beside the package, which has links to them.
LINKS = [(package,) for package in PACKAGES if package != "backbeat"]
# Sections of a docstring of which each entry is a line of a list.
LISTS = ("Args", "Attributes", "Raises", "Returns", "Yields")
# What Markdown would read as its own.
SIGNS = re.compile(r"([\\*_<>$\[\]|#~{}])")


def page_name(path: PurePosixPath) -> str:
    """Name of the page that has a module, or a folder."""
    folder = path.parent if path.suffix else path
    inside = (
        folder.parts if folder.parts[0] == "backbeat" else ("backbeat", *folder.parts)
    )
    return "source/" + ".".join(inside)


def anchor(path: PurePosixPath) -> str:
    """Where a module is on its page; unlike any other of the site."""
    inside = page_name(path).removeprefix("source/backbeat.")
    return re.sub(r"[^a-z0-9]+", "-", f"{inside}-{path.stem}-module".lower())


def write_pages(root: Path, folder: Path) -> None:
    """Writes the pages of all folders that have modules, and a list of them.

    Args:
        root: the checkout.
        folder: where pages are written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for package in PACKAGES:
        for init in sorted((root / package).rglob("__init__.py")):
            inside = PurePosixPath(init.parent.relative_to(root))
            if inside.parts[0] == "backbeat" and inside.parts[1:2] in LINKS:
                continue
            page = PurePosixPath(page_name(inside)).name
            # The list leads to it: in the navigation it would be one of a hundred.
            text = "---\norphan: true\n---\n" + folder_page(root, inside)
            (folder / f"{page}.md").write_text(text)
            first = (ast.get_docstring(ast.parse(init.read_text())) or "").split("\n\n")
            rows.append(
                f"| [{page}]({page}.md) | {escaped(' '.join(first[0].split()))} |"
            )
    head = "# Source, folder by folder\n\nFrom the docstrings.\n\n| folder | purpose |"
    (folder / "index.md").write_text("\n".join([head, "|---|---|", *rows]) + "\n")


def folder_page(root: Path, inside: PurePosixPath) -> str:
    """Markdown of a folder: its paragraph, then its modules."""
    parts = []
    for path in sorted(
        (root / inside).glob("*.py"), key=lambda p: (p.stem[0] != "_", p)
    ):
        title = f"## `{path.stem}`"
        if path.stem == "__init__":
            title = "# " + page_name(inside).removeprefix("source/")
        parts += [f"({anchor(inside / path.name)})=\n{title}", *module_part(path)]
    return "\n\n".join(parts) + "\n"


def module_part(path: Path) -> Iterator[str]:
    """Markdown of a module: its docstring, then its public classes and functions."""
    tree = ast.parse(path.read_text())
    yield from prose(ast.get_docstring(tree) or "")
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name[0] != "_":
            yield f"### `{node.name}`"
            yield f"```python\n{signature(node)}\n```"
            yield from prose(ast.get_docstring(node) or "")
            if isinstance(node, ast.ClassDef):
                yield "\n".join(f"- {line}" for line in members(node))


def signature(node: ast.ClassDef | ast.FunctionDef) -> str:
    """How a class or a function is called, in lines of code."""
    if isinstance(node, ast.ClassDef):
        bases = ", ".join(map(ast.unparse, node.bases))
        return f"class {node.name}" + f"({bases})" * bool(bases)
    returned = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    line = f"def {node.name}({ast.unparse(node.args)}){returned}"
    if len(line) < 88:
        return line
    given = ",\n    ".join(
        re.split(r", (?=\*?\*?\w+(?::|$|=))", ast.unparse(node.args))
    )
    return f"def {node.name}(\n    {given},\n){returned}"


def members(node: ast.ClassDef) -> Iterator[str]:
    """A line for each public method and each documented field of a class."""
    for item, below in zip(node.body, [*node.body[1:], None], strict=True):
        if isinstance(item, ast.FunctionDef) and item.name[0] != "_":
            says = escaped(
                " ".join((ast.get_docstring(item) or "").split("\n\n")[0].split())
            )
            yield f"`{item.name}({ast.unparse(item.args)})`: {says}"
        told = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
        if isinstance(item, ast.AnnAssign) and told and isinstance(below, ast.Expr):
            says = " ".join(str(ast.literal_eval(below.value)).split())
            says = re.sub(r"\[([^]]+)\]\([^)]*\)", r"\1", says)
            yield f"`{ast.unparse(item)}`: {escaped(says)}"


def prose(text: str) -> Iterator[str]:
    """Markdown of a docstring, paragraph by paragraph."""
    for block in re.split(r"\n\s*\n", text):
        first, _, rest = block.partition("\n")
        if first.rstrip(":") in LISTS and first.endswith(":"):
            yield f"*{first}*"
            entries = re.split(r"\n(?=\S)", textwrap.dedent(rest))
            yield "\n".join(f"- {escaped(' '.join(e.split()))}" for e in entries)
        elif block.startswith(" "):
            yield f"```text\n{textwrap.dedent(block)}\n```"
        elif "\n    " in block:
            yield f"```text\n{block}\n```"
        elif block:
            yield escaped(block)


def escaped(text: str) -> str:
    """A text in which only code in backquotes is more than text."""
    parts = re.split(r"(`[^`]*`)", text)
    parts[::2] = [SIGNS.sub(r"\\\1", part) for part in parts[::2]]
    return "".join(parts)
