"""Writers of motion files: what behaviors and runs have, as other tools read it."""
