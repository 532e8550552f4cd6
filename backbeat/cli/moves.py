"""`backbeat moves`: what a choreography can be made of."""


def command() -> None:
    """Lists the moves of the dance vocabulary with their parameters."""
    from rich.console import Console
    from rich.table import Table

    from behaviors.dance.moves import MOVES

    table = Table("track", "move", "what it does", "parameters")
    for move in sorted(MOVES.values(), key=lambda m: (m.track, m.name)):
        parameters = ", ".join(
            f"{n} {p.default:g} {p.unit} ({p.least:g} to {p.most:g})"
            for n, p in move.parameters.items()
        )
        table.add_row(move.track, move.name, move.summary, parameters)
    Console().print(table)
