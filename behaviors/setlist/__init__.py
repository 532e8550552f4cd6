"""Setlists: behaviors in a row as one show, with transitions between them."""
