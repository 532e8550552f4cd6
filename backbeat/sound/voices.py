"""Voices: drums and cymbals as they ring after a strike, computed from their modes.

A drum is a circular membrane: its partials stand to each other like the zeros of
Bessel functions, and its pitch falls as the stretched head relaxes. A snare adds the
noise of its wires. A cymbal is a plate, whose partials crowd as f = c (m + 2 n)^p
(Chladni's law: N. H. Fletcher, T. D. Rossing, The Physics of Musical Instruments, 1998)
and which takes a moment to become bright. No two strokes are at one place of a head:
partials have other strengths and phases in each take of a sound. Sticks are bars with
free ends. A harder strike is brighter, and louder: amplitude goes with the square of
MIDI velocity, as it does in most instruments (R. B. Dannenberg, The Interpretation of
MIDI Velocity, 2006).
"""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import scipy
from scipy.special import jn_zeros

from backbeat.models.common.errors import unknown_name
from backbeat.models.kit.description import parse_kit
from backbeat.models.kit.schema import MemberDescription
from backbeat.sound.notes import CLICK, CLICK_VELOCITY, LOUDEST, STICKS

# Where a voice has fallen to this share of its peak it ends.
INAUDIBLE = 10 ** (-55 / 20)
# Pitch of a tom by its head: larger ones are tuned lower than size alone says
# [Hz m^2]; 12 inches are 164 Hz, 16 inches 92 Hz.
TUNING = 3.8
# (m, n) nodal diameters and circles of the membrane's partials that are heard.
MEMBRANE = [(0, 1), (1, 1), (2, 1), (0, 2), (3, 1), (1, 2), (4, 1), (2, 2), (0, 3)]
# Nodal circles and diameters of a plate's partials.
ORDERS = (8, 16)
# Sounds of plates; others are membranes.
PLATES = ("hi_hat", "ride", "crash")
FADE = 0.004  # s at the end of a voice, and half of its beginning
# How much partials of a membrane and of a plate, and pitch, differ between takes.
UNEVEN, DETUNE = 1.35, 0.003
# Bending modes of a bar with free ends, by the lowest; of a stick that [Hz], and how
# long it rings [s].
BAR, STICK_PITCH, STICK_DECAY = np.array([1.0, 2.757, 5.404]), 1350.0, 0.016


@dataclass(frozen=True)
class Character:
    """How a member sounds.

    Attributes:
        pitch: lowest partial [Hz].
        decay: time constant of that partial [s].
        noise: share of noise in the strike, 0 to 1.
        noise_decay: time constant of the noise [s].
        noise_band: lowest and highest frequency of the noise [Hz].
        gain: loudness beside the others.
        bend: how much higher the pitch of a membrane begins at the hardest strike.
        damping: power of the ratio of a partial with which it decays faster.
    """

    pitch: float
    decay: float
    noise: float
    noise_decay: float
    noise_band: tuple[float, float]
    gain: float
    bend: float = 0.25
    damping: float = 1.2


def sound_of(name: str, member: MemberDescription) -> str:
    """What a member of a kit sounds like: what its file says, or its kind and name."""
    if member.sound:
        return member.sound
    if member.kind == "pad":
        return "block"
    if member.kind == "cymbal":
        return "hi_hat" if "hat" in name else "ride" if "ride" in name else "crash"
    named = (word for word in ("snare", "kick") if word in name)
    return next(named, "tom")


def character(name: str, member: MemberDescription, is_open: bool = False) -> Character:
    """How a member of a kit sounds, from its sound and size.

    Args:
        name: of the member.
        member: what its file says.
        is_open: whether it is a hi-hat whose cymbals do not touch.
    """
    sound, plate = sound_of(name, member), 85.0 * 0.2 / member.radius
    sound = "open_hi_hat" if is_open and sound == "hi_hat" else sound
    pitch = TUNING / member.radius**2
    characters = {
        # closed
        "hi_hat": Character(3.2 * plate, 0.05, 0.75, 0.045, (5500.0, 15000.0), 0.5),
        "open_hi_hat": Character(3.2 * plate, 0.5, 0.6, 0.35, (4500.0, 15000.0), 0.5),
        "ride": Character(2.4 * plate, 0.9, 0.25, 0.5, (4000.0, 12000.0), 0.5),
        "crash": Character(1.6 * plate, 1.6, 0.6, 0.9, (2500.0, 14000.0), 0.75),
        "snare": Character(190.0, 0.09, 0.55, 0.075, (1500.0, 12000.0), 0.9),
        # Damped by a pillow; the beater stretches the head far, and clicks.
        "kick": Character(
            52.0, 0.16, 0.15, 0.006, (2000.0, 7000.0), 1.0, bend=1.1, damping=2.2
        ),
        "cowbell": Character(560.0, 0.11, 0.05, 0.01, (2000.0, 9000.0), 0.6),
        "block": Character(880.0, 0.022, 0.1, 0.006, (1500.0, 9000.0), 0.6),
        "tom": Character(pitch, 35.0 / pitch, 0.06, 0.015, (600.0, 5000.0), 1.0),
    }
    return characters[sound]


@cache
def voice(
    name: str,
    velocity: int,
    rate: int,
    kit: str = "",
    take: int = 0,
    is_open: bool = False,
) -> np.ndarray:
    """(n,) sound of one strike, from its onset until it is inaudible.

    Args:
        name: member of the kit, `STICKS` or `CLICK`.
        velocity: MIDI velocity, 1 to 127; 127 peaks at the member's gain, below 1.
        rate: samples a second.
        kit: as text, see `kit_text`; "" for the usual one.
        take: which of its strikes that are equally loud.
        is_open: whether it is a hi-hat whose cymbals do not touch.

    Raises:
        BackbeatError: the kit has no such member.
    """
    if name == CLICK:
        return _click(velocity, rate)
    if name == STICKS:
        return _sticks(velocity, rate, take)
    members = parse_kit(kit).members
    if name not in members:
        raise unknown_name("drum", name, members)
    member = members[name]
    sound = character(name, member, is_open)
    # Its own noise, the same in every run.
    random = np.random.default_rng([member.number, 98, take])
    sound = replace(sound, pitch=sound.pitch * random.uniform(1 - DETUNE, 1 + DETUNE))
    hardness = velocity / LOUDEST
    if sound_of(name, member) in PLATES:
        # No cymbal is round and even: partials of one order fall apart, in every take.
        uneven = np.random.default_rng([member.number, 98]).uniform(0.94, 1.06, ORDERS)
        ring = _plate(sound, hardness, rate, uneven.ravel(), random)
    else:
        ring = _membrane(sound, hardness, rate, random)
    hiss = _noise(sound, hardness, rate, len(ring), random)
    mixed = (1 - sound.noise) * ring / np.abs(ring).max()
    mixed += sound.noise * hiss / np.abs(hiss).max()
    return _finished(mixed, sound.gain * hardness**2, rate)


def layer(velocity: int, step: int) -> tuple[int, float]:
    """Which of the velocities that are worked out stands for one, and how loud.

    Args:
        velocity: MIDI velocity, 1 to 127.
        step: distance of the velocities that are worked out.

    Returns:
        The velocity to ask `voice` for, which is not less, and the gain to play it
        with: loudness is exact, and only brightness is that of a neighbor.
    """
    above = min(step * -(-velocity // step), LOUDEST)
    return above, (velocity / above) ** 2


def _times(decay: float, rate: int) -> np.ndarray:
    return np.arange(round(7.0 * decay * rate)) / rate


def _membrane(
    sound: Character, hardness: float, rate: int, random: np.random.Generator
) -> np.ndarray:
    """Partials of a drum head that was struck a little off its middle."""
    t = _times(max(sound.decay, sound.noise_decay), rate)
    ratio = np.array([jn_zeros(m, n)[-1] for m, n in MEMBRANE]) / jn_zeros(0, 1)[0]
    # A hard strike stretches the head: its pitch begins higher, and falls.
    bend, relax = 0.05 + sound.bend * hardness**2, 0.03
    turned = t + bend * relax * (1.0 - np.exp(-t / relax))
    # A fast stick stays shorter on the head, which wakes the high partials.
    level = np.exp(-(ratio - 1.0) / (0.4 + 1.1 * hardness))
    level[1:] *= UNEVEN ** random.uniform(-1.0, 1.0, len(ratio) - 1)
    phase = random.uniform(0.0, 2.0 * np.pi, len(ratio))
    phase[0] = 0.0
    decay = sound.decay / ratio**sound.damping
    frequency = sound.pitch * ratio
    waves = np.sin(2.0 * np.pi * frequency[:, None] * turned + phase[:, None])
    return (level[:, None] * np.exp(-t / decay[:, None]) * waves).sum(0)


def _plate(
    sound: Character,
    hardness: float,
    rate: int,
    uneven: np.ndarray,
    random: np.random.Generator,
) -> np.ndarray:
    """Partials of a cymbal; the high ones come a moment later, and go sooner."""
    t = _times(max(sound.decay, sound.noise_decay), rate)
    circles, diameters = ORDERS
    orders = np.add.outer(2.0 * np.arange(circles), np.arange(2.0, 2 + diameters))
    frequency = sound.pitch * (orders.ravel() / 2.0) ** 1.7 * uneven
    frequency = frequency[frequency < min(0.45 * rate, 15e3)]
    level = random.uniform(0.3, 1.0, len(frequency))
    level *= np.exp(-frequency / (1200.0 + 6000.0 * hardness))
    decay = sound.decay / (1.0 + frequency / 3000.0)
    phase = random.uniform(0.0, 2.0 * np.pi, len(frequency))
    rise = 0.012 * np.minimum(frequency / 6000.0, 1.0) * (1.0 - 0.5 * hardness)
    ring = np.zeros(len(t))
    for f, a, d, p, r in zip(frequency, level, decay, phase, rise, strict=True):
        s = t[: round(7.0 * d * rate)]
        early = s[: round(0.1 * rate)]
        wave = a * np.exp(-s / d) * np.sin(2.0 * np.pi * f * s + p)
        wave[: len(early)] *= 1.0 - np.exp(-early / (r + 1e-4))
        ring[: len(s)] += wave
    return ring


def _noise(
    sound: Character, hardness: float, rate: int, n: int, random: np.random.Generator
) -> np.ndarray:
    """Wires of a snare, wash of a cymbal, slap of a stick."""
    t = np.arange(n) / rate
    low, high = sound.noise_band
    # A soft strike has no sharp edges: its noise ends lower.
    high = low + (high - low) * (0.25 + 0.75 * hardness)
    band = scipy.signal.butter(
        2, [low, min(high, 0.45 * rate)], "bandpass", fs=rate, output="sos"
    )
    hiss = scipy.signal.sosfilt(band, random.standard_normal(n))
    return np.asarray(hiss * np.exp(-t / sound.noise_decay))


def _click(velocity: int, rate: int) -> np.ndarray:
    """A short blip, higher on the first beat of a bar."""
    t = _times(0.012, rate)
    pitch = 1760.0 if velocity > CLICK_VELOCITY else 1320.0
    blip = np.sin(2.0 * np.pi * pitch * t) * np.exp(-t / 0.012)
    return _finished(blip, 0.6 * (velocity / LOUDEST) ** 2, rate)


def _sticks(velocity: int, rate: int, take: int) -> np.ndarray:
    """Two sticks that are struck together."""
    random = np.random.default_rng([31, 98, take])
    t = _times(STICK_DECAY, rate)
    frequency = STICK_PITCH * random.uniform(1 - DETUNE, 1 + DETUNE) * BAR
    level = np.exp(-(BAR - 1.0) / (1.0 + 3.0 * velocity / LOUDEST))
    level[1:] *= UNEVEN ** random.uniform(-1.0, 1.0, len(BAR) - 1)
    waves = np.sin(2.0 * np.pi * frequency[:, None] * t)
    fall = np.exp(-t / (STICK_DECAY / np.sqrt(BAR))[:, None])
    knock = (level[:, None] * fall * waves).sum(0)
    return _finished(knock, 0.6 * (velocity / LOUDEST) ** 2, rate)


def _finished(sound: np.ndarray, peak: float, rate: int) -> np.ndarray:
    """Scaled to a peak, cut where it is inaudible, without a crack at either end."""
    sound = sound / np.abs(sound).max()
    loud = np.where(np.abs(sound) > INAUDIBLE)[0]
    sound = sound[: loud[-1] + 1]
    fade = min(round(FADE * rate), len(sound) // 2)
    sound[len(sound) - fade :] *= np.linspace(1.0, 0.0, fade)
    attack = max(round(0.0002 * rate), 1)
    sound[:attack] *= np.linspace(0.0, 1.0, attack, endpoint=False)
    sound = peak * sound / np.abs(sound).max()
    sound.flags.writeable = False
    return sound
