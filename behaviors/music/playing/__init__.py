"""Playing: scores for two hands.

`find_hands` gives each hit to a hand (sticking), `adapted` leaves out or moves hits of
a file as a specification says, `hastened` changes the tempo, and an `Offer` is a change
that would make an unplayable score playable.
"""
