"""Playing: scores for two hands.

`find_hands` gives each hit to a hand (sticking), `adapted` leaves out or moves hits of
a file as a specification says, `with_tempo_scale` scales it, and an `Offer` is a change
that would make an unplayable score playable.
"""
