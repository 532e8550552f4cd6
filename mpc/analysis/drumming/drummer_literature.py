"""Published measurements of human drummers, each with its source."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Known:
    """A figure, or a finding, from the literature.

    Attributes:
        figure: in words.
        authors: "" if none are named.
        title: of the work.
        year: None if it has none.
    """

    figure: str
    authors: str
    title: str
    year: int | None

    @property
    def source(self) -> str:
        """The source in words."""
        parts = [self.authors, self.title, self.year and str(self.year)]
        return ", ".join(part for part in parts if part)


# By measure; see `backbeat.mpc.analysis.drumming.performance.likeness`.
PEOPLE = {
    "stroke height": Known(
        "152 mm at mf and 229 mm at f, as a marching ensemble rules",
        "",
        "Quad Technique Packet",
        2011,
    ),
    "tip speed": Known(
        "grows with dynamic level and height; no figure in what could be read",
        "S. Dahl",
        "Playing the Accent: Comparing Striking Velocity and Timing in an Ostinato "
        "Rhythm Performed by Four Drummers",
        2004,
    ),
    "wrist share": Known(
        "no figure; drummers excel others with the wrist alone, not the shoulder",
        "A. D. Eriksen, H. Lorås, A. V. Pedersen, H. Sigmundsson",
        "Proximal–Distal Motor Control in Skilled Drummers",
        2018,
    ),
    "strokes": Known(
        "5 to 7 at most with one hand, 10 the fastest",
        "S. Fujii, K. Kudo, T. Ohtsuki, S. Oda",
        "Tapping Performance and Underlying Wrist Muscle Activity of Non-Drummers, "
        "Drummers, and the World's Fastest Drummer",
        2009,
    ),
    "timing, mean": Known(
        "about 2 for the right hand, left about 10 early, at 60 and 120 BPM",
        "S. Fujii, M. Hirashima, K. Kudo, T. Ohtsuki, Y. Nakamura, S. Oda",
        "Synchronization Error of Drum Kit Playing with a Metronome at Different Tempi "
        "by Professional Drummers",
        2011,
    ),
    "timing, SD": Known(
        "about 30 when anybody taps at 100 BPM",
        "",
        "mazurka.org.uk, experiments/eventap",
        None,
    ),
    "elbow below its shoulder": Known(
        "no figure; their drummer's arms are always in elbow-down orientation",
        "G. Bahati, S. Esteban",
        "Atlas The Drummer",
        2021,
    ),
    "symmetry of tip speed": Known(
        "no figure; drummers tap with less asymmetry than others",
        "S. Fujii, S. Oda",
        "Tapping Speed Asymmetry in Drummers for Single-Hand Tapping with a Stick",
        2006,
    ),
}
