"""Where the local names of a function are declared: C++ has blocks, Python has none."""

import ast
from collections.abc import Iterable

# A block: the statements that it is in, and which of their blocks it is.
Place = tuple[int, ...]
Home = tuple[ast.stmt, list[ast.stmt]]
Block = tuple[Place, list[ast.stmt]]


def _blocks(statement: ast.stmt, path: Place) -> list[Block]:
    """Blocks inside of a statement."""
    here = (*path, id(statement))
    match statement:
        case ast.If():
            found = [((*here, 0), statement.body), ((*here, 1), statement.orelse)]
            return [block for block in found if block[1]]
        case ast.For() | ast.While():
            return [((*here, 0), statement.body)]
    return []


def _heads(statement: ast.stmt) -> list[ast.AST]:
    """What of a statement is not in an inner block."""
    match statement:
        case ast.If() | ast.While():
            return [statement.test]
        case ast.For():
            return [statement.iter]
    return [statement]


def _has(nodes: Iterable[ast.AST], name: str) -> bool:
    parts = (part for node in nodes for part in ast.walk(node))
    return any(isinstance(part, ast.Name) and part.id == name for part in parts)


def find_homes(
    function: ast.FunctionDef, arguments: set[str]
) -> tuple[dict[Place, dict[str, Home]], list[tuple[str, ast.stmt]]]:
    """Blocks that declare the local names of a function, before a branch assigns them.

    Returns:
        By block and name, the statement of the block that has it first, and the one
        that assigns it first; and statements after which a name may have no value, or
        that of a turn of a loop before.
    """
    names = {
        part.id
        for part in ast.walk(function)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }
    homes: dict[Place, dict[str, Home]] = {}
    doubtful: list[tuple[str, ast.stmt]] = []
    for name in sorted(names - arguments):
        block: Block = (), function.body
        in_loop = False
        while not _declares_itself(name, block):
            touching = [s for s in block[1] if _has([s], name)]
            inner = [b for b in _blocks(touching[0], block[0]) if _has(b[1], name)]
            if len(touching) == 1 == len(inner) and not _has(_heads(touching[0]), name):
                in_loop = in_loop or not isinstance(touching[0], ast.If)
                block = inner[0]
                continue
            if in_loop and not _surely_assigns(touching[0], name):
                doubtful.append((name, touching[0]))
            homes.setdefault(block[0], {})[name] = (
                touching[0],
                _assignments(touching, name),
            )
            break
    return homes, doubtful


def _declares_itself(name: str, block: Block) -> bool:
    """Whether each part of a block that has a name begins with assigning it."""
    for statement in (s for s in block[1] if _has([s], name)):
        if assigns(statement, name):
            if isinstance(statement, ast.For):
                continue
            return True
        inner = [b for b in _blocks(statement, block[0]) if _has(b[1], name)]
        if _has(_heads(statement), name) or not inner:
            return False
        if not all(_declares_itself(name, b) for b in inner):
            return False
    return True


def _surely_assigns(statement: ast.stmt, name: str) -> bool:
    if assigns(statement, name):
        return not isinstance(statement, ast.For)
    if isinstance(statement, ast.If):
        both = statement.body, statement.orelse
        return all(any(_surely_assigns(s, name) for s in b) for b in both)
    return False


def _assignments(statements: list[ast.stmt], name: str) -> list[ast.stmt]:
    inside = (part for statement in statements for part in ast.walk(statement))
    stores = [p for p in inside if isinstance(p, ast.stmt) and assigns(p, name)]
    return sorted(stores, key=lambda s: s.lineno)


def assigns(statement: ast.stmt, name: str) -> bool:
    """Whether a statement of a block itself assigns a name."""
    match statement:
        case ast.Assign(targets=[target]):
            return not _has([statement.value], name) and any(
                isinstance(n, ast.Name)
                and n.id == name
                and isinstance(n.ctx, ast.Store)
                for n in ast.walk(target)
            )
        case ast.For(target=ast.Name(id=own)):
            return own == name
    return False
