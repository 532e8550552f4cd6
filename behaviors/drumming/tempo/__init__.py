"""How fast a pattern can be drummed, by tries that are each solved and verified."""
