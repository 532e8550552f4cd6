"""Tables of numbers in CSV, refused with the line of what is no number."""

import io
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

from backbeat.models.common.errors import BackbeatError, gist

# An encoding with a letter for every byte.
BYTES = "latin-1"


def read_numbers(
    raw: bytes,
    names: list[str],
    wanted: Iterable[str],
    path: str | Path,
    first_line: int = 2,
) -> dict[str, np.ndarray]:
    """Reads columns of finite numbers.

    Args:
        raw: the file, whose first line is not read.
        names: of all columns.
        wanted: columns that are read.
        path: names the file in errors.
        first_line: line of the first numbers, as the user counts.

    Returns:
        (n,) values of each column that is wanted.

    Raises:
        BackbeatError: the first line that has too few values, or no number.
    """
    wanted, path = list(wanted), Path(path)
    # Bytes that are no text make no number, wherever they are.
    types = {n: pa.float64() if n in wanted else pa.binary() for n in names}
    try:
        table = _table(raw, types)
    except pa.ArrowException as error:
        raise _misfit(raw, types, error, path, first_line) from None
    columns = {n: table[n].to_numpy() for n in wanted}
    for name, column in columns.items():
        wrong = np.flatnonzero(~np.isfinite(column))
        if len(wrong):
            raise BackbeatError(
                f"{path}:{wrong[0] + first_line}: {name} is {column[wrong[0]]}; every "
                "sample needs a finite number"
            )
    return columns


def _table(
    raw: bytes,
    types: Mapping[str, pa.DataType],
    refuse: Callable[[pyarrow.csv.InvalidRow], str] | None = None,
) -> pa.Table:
    """What lines below the first hold, as columns.

    Args:
        raw: the file.
        types: of its columns, by name.
        refuse: called with a row of too few or too many values.

    Raises:
        pa.ArrowException: there is such a row, or a value is not of its type.
    """
    return pyarrow.csv.read_csv(
        io.BytesIO(raw),
        pyarrow.csv.ReadOptions(column_names=[*types], skip_rows=1, use_threads=False),
        pyarrow.csv.ParseOptions(ignore_empty_lines=False, invalid_row_handler=refuse),
        pyarrow.csv.ConvertOptions(
            column_types=types, null_values=[], strings_can_be_null=False
        ),
    )


def _misfit(
    raw: bytes,
    types: Mapping[str, pa.DataType],
    error: pa.ArrowException,
    path: str | Path,
    first_line: int,
) -> BackbeatError:
    """Why lines are no table of numbers: one has too few values, or no number."""
    short: list[pyarrow.csv.InvalidRow] = []

    def refuse(row: pyarrow.csv.InvalidRow) -> str:
        short.append(row)
        return "error"

    # Rows are handed over as text: a letter for every byte.
    text = raw.decode(BYTES).encode()
    try:
        table = _table(text, dict.fromkeys(types, pa.binary()), refuse)
    except pa.ArrowException:
        if not short:
            return BackbeatError(f"{path}: {gist(error)}")
        counts = f"{short[0].actual_columns} values for {len(types)} columns"
        at = short[0].number + first_line - 2
        return BackbeatError(f"{path}:{at}: {counts}", line=at)
    wanted = (n for n, kind in types.items() if kind == pa.float64())
    found = [(_first_word(table[n].to_pylist()), n) for n in wanted]
    wrong = [(row, name) for row, name in found if row is not None]
    if not wrong:
        return BackbeatError(f"{path}: {gist(error)}")
    row, name = min(wrong, key=lambda place: place[0])
    value = table[name][row].as_py().decode().encode(BYTES)
    word = " ".join(value.decode(errors="replace").split())
    said = f"{word[:40]!r} is no number" if word else "a number is missing"
    line = row + first_line
    return BackbeatError(f"{path}:{line}: {name}: {said}", line=line)


def _first_word(values: list[bytes]) -> int | None:
    """The first value that is no number, by halves; None where all are."""
    if _are_numbers(values):
        return None
    low, high = 0, len(values)
    while high - low > 1:
        middle = (low + high) // 2
        if _are_numbers(values[low:middle]):
            low = middle
        else:
            high = middle
    return low


def _are_numbers(values: Iterable[bytes]) -> bool:
    """Whether all values of a column are read as numbers."""
    lines = (b'"' + value.replace(b'"', b'""') + b'"' for value in values)
    try:
        _table(b"\n".join((b"x", *lines)), {"x": pa.float64()})
    except pa.ArrowException:
        return False
    return True
