"""The vocabulary of dances: moves as data, their files, and expressions in them."""
