import base64
from dataclasses import replace

import mido
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.io import wavfile
from scipy.signal import butter, sosfilt

from backbeat.behaviors.drumming.drummer import kit_members
from backbeat.behaviors.drumming.strokes import Stroke
from backbeat.behaviors.library.behavior import Event
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.music.files.midi import read_midi
from backbeat.behaviors.music.notation.meter import Meter, MeterChange, MeterMap
from backbeat.models.common.errors import BackbeatError
from backbeat.models.kit.description import kit_text
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.mpc.analysis.drumming.hits import TIP_RADIUS
from backbeat.mpc.runs.file import save_run
from backbeat.mpc.world.stick_contacts import FORCE, MEMBER, PLACE, ROW, VELOCITY
from backbeat.sound.midi import note_numbers, write_midi
from backbeat.sound.mix import (
    PEAK,
    RATE,
    drum_sound,
    mixed,
    read_backing,
    write_wav,
)
from backbeat.sound.notes import (
    CLICK,
    Note,
    Performance,
    SoundExtras,
    performed,
    performed_in_file,
    performed_in_story,
    planned,
    strike_velocity,
)
from backbeat.sound.page import LONGEST_BACKING, VOICE_RATE, packed_sound
from backbeat.sound.room import BAND, DECAY, DELAY, WET, in_room, reflections
from backbeat.sound.strokes import heard_strokes
from backbeat.sound.voices import layer, voice
from tests.backbeat.performances import drumming, run_of, swaying

MEMBERS = list(DrumKit().members)
FULL_KIT = kit_text("full-kit", ".")
# Before and after the pedal of a choked hi-hat [s].
LOUD_AND_SOFT = ((0.2, 0.38), (0.75, 1.0))
every_member = pytest.mark.parametrize("member", MEMBERS)


def beat_times(bpm, duration):
    return np.arange(int(duration * bpm / 60 + 1e-9) + 1) * 60 / bpm


def a_performance(times, bpm=98.0, velocity=100, member="snare"):
    notes = tuple(Note(float(t), member, velocity) for t in times)
    end = float(max(times)) + 1.0
    beats = beat_times(bpm, end)
    pulses = tuple(zip(beats, MeterMap().pulses(len(beats) - 1), strict=True))
    return Performance("song", notes, end, beats, pulses=pulses)


def heard_in(path):
    """(time, note, velocity) of the strikes in a MIDI file, as a player hears them."""
    now, heard = 0.0, []
    for message in mido.MidiFile(path):
        now += message.time
        if message.type == "note_on" and message.velocity > 0:
            assert message.channel == 9
            heard.append((now, message.note, message.velocity))
    return heard


def centroid(sound, rate):
    """Mean frequency of the power spectrum [Hz]."""
    power = np.abs(np.fft.rfft(sound)) ** 2
    return float(power @ np.fft.rfftfreq(len(sound), 1 / rate) / power.sum())


# --- loudness ---------------------------------------------------------------------


def test_a_stroke_sounds_as_loud_as_it_was_asked_for():
    asked = range(20, 128)
    assert [strike_velocity(Stroke().strike_speed(v)) for v in asked] == [*asked]
    heard = [strike_velocity(speed) for speed in np.arange(0.0, 4.0, 0.01)]
    assert heard == sorted(heard)
    assert (heard[0], heard[-1]) == (1, 127)


# --- voices -----------------------------------------------------------------------


@every_member
def test_a_harder_strike_is_louder_and_brighter(member):
    soft, mean, hard = (voice(member, v, 32000) for v in (32, 64, 127))
    assert np.abs(mean).max() == pytest.approx(4 * np.abs(soft).max(), rel=1e-9)
    assert np.abs(hard).max() <= 1.0
    tones = [centroid(sound, 32000) for sound in (soft, mean, hard)]
    assert tones[0] < tones[1] < tones[2]


@every_member
def test_a_voice_begins_and_ends_without_a_crack(member):
    sound = voice(member, 127, 32000)
    peak = np.abs(sound).max()
    assert np.isfinite(sound).all()
    assert abs(sound[0]) < 0.01 * peak
    assert np.abs(sound[-3:]).max() < 0.002 * peak
    assert np.abs(sound[: round(0.03 * 32000)]).max() > 0.5 * peak


def test_drums_are_tuned_by_size_and_fall_in_pitch():
    lowest = {}
    for member in ("high_tom", "mid_tom", "floor_tom"):
        sound = voice(member, 127, 32000)
        spectrum = np.abs(np.fft.rfft(sound))
        lowest[member] = np.argmax(spectrum) * 32000 / len(sound)
    assert lowest["high_tom"] > 1.1 * lowest["mid_tom"] > 1.2 * lowest["floor_tom"]
    # Time between zero crossings, early and late.
    crossings = np.where(np.diff(np.signbit(voice("floor_tom", 127, 32000))))[0]
    late = np.diff(crossings)[-8:].mean()
    early = np.diff(crossings[crossings < 0.03 * 32000]).mean()
    assert early < 0.9 * late


def test_cymbals_ring_and_a_closed_hi_hat_does_not():
    length = {m: len(voice(m, 100, 32000)) / 32000 for m in MEMBERS}
    assert min(length["crash"], length["ride"]) > 2.0
    assert max(length["hi_hat"], length["snare"]) < 0.8


def spectrum(sound, rate=32000):
    """Shares of the energy of a sound below 150, between, and above 2000 Hz."""
    power = np.abs(np.fft.rfft(sound)) ** 2
    edges = np.searchsorted(np.fft.rfftfreq(len(sound), 1 / rate), (150.0, 2000.0))
    return np.array([part.sum() for part in np.split(power, edges)]) / power.sum()


def seconds(sound, decibels, rate=32000):
    """Time until a sound has fallen for good by so much from its peak [s]."""
    loud = np.abs(sound) > np.abs(sound).max() * 10 ** (-decibels / 20)
    return np.flatnonzero(loud)[-1] / rate


def test_a_kick_is_low_falls_in_pitch_and_begins_with_a_click():
    kick = voice("kick", 110, 32000, FULL_KIT)
    assert spectrum(kick)[0] > 0.8
    assert spectrum(voice("floor_tom", 110, 32000))[0] < 0.8
    # The click of the beater is over before the head has swung once.
    assert spectrum(kick[:320])[2] > 10 * spectrum(kick[960:])[2]
    crossings = np.flatnonzero(np.diff(np.signbit(kick[320:]))) / 32000
    halves = np.diff(crossings)
    early, late = 0.5 / halves[0], 0.5 / np.median(halves[-6:])
    assert early > 1.3 * late
    assert late == pytest.approx(52, abs=6)


def test_an_open_hi_hat_rings_and_a_crash_rings_longest():
    closed, opened = (voice("hi_hat", 100, 32000, is_open=o) for o in (False, True))
    assert seconds(closed, 40) < 0.25 < 1.0 < seconds(opened, 40)
    crash, ride = (voice(m, 100, 32000) for m in ("crash", "ride"))
    assert seconds(crash, 40) > 1.2 * seconds(opened, 40)
    assert len(crash) / 32000 > 5.0
    assert len(crash) > len(ride)


@every_member
def test_equal_strokes_are_alike_but_not_the_same(member):
    takes = [voice(member, 100, 32000, take=k) for k in range(3)]
    for one, other in ((0, 1), (1, 2), (0, 2)):
        n = min(len(takes[one]), len(takes[other]))
        a, b = takes[one][:n], takes[other][:n]
        # Half of either's energy is the difference's, at least where noise is heard.
        assert np.sum((a - b) ** 2) > 0.02 * np.sum(a**2)
        assert centroid(a, 32000) == pytest.approx(centroid(b, 32000), rel=0.3)
        assert np.abs(a).max() == pytest.approx(np.abs(b).max())
    np.testing.assert_array_equal(
        takes[1], voice.__wrapped__(member, 100, 32000, "", 1)
    )


# --- which sound a stroke has -----------------------------------------------------


def test_sounds_of_a_member_take_turns():
    notes = [Note(0.1 * k, m, 90) for k, m in enumerate(["snare", "ride"] * 4)]
    takes = [s.take for s in heard_strokes(notes, "", 3)]
    assert takes == [0, 0, 1, 1, 2, 2, 0, 0]
    mix = [mixed([Note(t, "snare", 90)], 2.0)[round(t * RATE) :][:4000] for t in (0, 1)]
    # The first of a piece is always the same.
    np.testing.assert_allclose(*mix, atol=1e-12)


def test_the_pedal_closes_and_chokes_the_hi_hat():
    notes = [
        Note(0.0, "hi_hat", 90),
        Note(0.5, "pedal_hi_hat", 90),
        Note(0.55, "hi_hat", 90),
        Note(1.0, "hi_hat", 90),
        Note(1.0, "pedal_hi_hat", 90),
        Note(1.5, "hi_hat", 90),
    ]
    found = heard_strokes(notes, FULL_KIT, 1)
    assert [s.is_open for s in found] == [True, False, False, False, False, True]
    assert [s.end for s in found] == [0.5, *[np.inf] * 5]
    # A hi-hat without a pedal is closed for good.
    assert not any(s.is_open for s in heard_strokes(notes[:1], "", 1))


def test_a_choked_hi_hat_is_silent_after_its_pedal():
    opened, pedal = Note(0.0, "hi_hat", 110), Note(0.4, "pedal_hi_hat", 20)
    rings = np.abs(mixed([opened], 1.0, kit=FULL_KIT))
    choked = np.abs(mixed([opened, pedal], 1.0, kit=FULL_KIT))
    before, after = (slice(round(a * RATE), round(b * RATE)) for a, b in LOUD_AND_SOFT)
    assert choked[before].mean() == pytest.approx(rings[before].mean(), rel=0.02)
    assert choked[after].mean() < 0.05 * rings[after].mean()


def test_the_room_rings_on_softly_on_both_sides():
    for rate in (32000, 44100):
        tail = reflections(rate)
        noise = np.random.default_rng(1).standard_normal((4 * rate, 1))
        sos = butter(4, BAND, "bandpass", fs=rate, output="sos")
        direct = sosfilt(sos, noise, axis=0)
        wet = sosfilt(sos, in_room(noise, rate) - noise, axis=0)
        share = (wet**2).sum() / (direct**2).sum()
        assert 10 * np.log10(share) == pytest.approx(WET, abs=1.0)
        early, late = (np.sum(tail[round(a * rate) :] ** 2) for a in (0.05, 0.2))
        # 60 dB in its decay.
        assert 10 * np.log10(early / late) == pytest.approx(60 * 0.15 / DECAY, abs=4)
    click = np.zeros((RATE, 2))
    click[0] = [1.0, 0.0]
    heard = in_room(click, RATE)
    first = round(DELAY * RATE)
    np.testing.assert_allclose(heard[:first], click[:first], atol=1e-12)
    assert abs(np.corrcoef(reflections(RATE).T)[0, 1]) < 0.1
    assert np.abs(heard[round(0.1 * RATE) :, 1]).max() > 0


@pytest.mark.parametrize("velocity", [20, 127])
def test_a_mix_peaks_three_decibels_below_the_most(velocity):
    sound = mixed([Note(0.1, "snare", velocity), Note(0.4, "crash", velocity)], 1.0)
    assert 20 * np.log10(np.abs(sound).max()) == pytest.approx(-3.0, abs=1e-6)
    assert not mixed([], 1.0).any()


def test_the_last_cymbal_is_heard_to_its_end():
    sound = mixed([Note(0.9, "crash", 110)], 1.0)
    assert len(sound) / RATE > 5.0
    assert np.abs(sound[-RATE // 100 :]).max() < 0.01 * PEAK


def test_a_drum_that_the_kit_does_not_have_is_refused():
    with pytest.raises(BackbeatError, match="cowbell"):
        voice("cowbell", 100, 32000)


@given(st.integers(1, 127), st.sampled_from([1, 8, 32]))
def test_a_layer_is_not_softer_and_loudness_is_exact(velocity, step):
    above, gain = layer(velocity, step)
    assert velocity <= above <= 127
    assert above - velocity < step
    assert gain * above**2 == pytest.approx(velocity**2)


# --- WAV --------------------------------------------------------------------------


def test_a_hit_sounds_at_its_sample():
    sound = mixed([Note(0.5, "snare", 100)], 1.0)
    onset = np.argmax(np.abs(sound).max(1) > 1e-6)
    assert 0 <= onset - 0.5 * RATE <= 3
    assert len(sound) >= RATE


def test_latency_moves_the_drums_and_a_backing_stays():
    performance = a_performance([0.3, 0.8])
    backing = np.zeros((RATE, 2))
    backing[1000] = 0.5
    for latency in (0.05, -0.05):
        notes = performance.heard(SoundExtras(latency=latency))
        sound = mixed(notes, 1.0, backing)
        assert np.argmax(sound[:2000, 0]) == 1000
        onset = np.argmax(np.abs(sound[2000:]).max(1) > 1e-6) + 2000
        assert onset / RATE == pytest.approx(0.3 + latency, abs=1e-4)


def test_a_backing_begins_where_the_music_does():
    backing = np.full((RATE, 2), 0.5)
    sound = mixed([], 1.0, backing, music=0.25)
    heard = np.flatnonzero(sound[:, 0])
    assert (heard[0], heard[-1]) == (RATE // 4, RATE // 4 + RATE - 1)
    assert not mixed([], 1.0, backing, music=100.0).any()
    performance = replace(a_performance([0.3]), music=0.25)
    packed = packed_sound(performance, SoundExtras(backing=backing))
    assert packed["backing"]["start"] == 0.25


def test_whatever_is_played_at_once_is_not_clipped():
    notes = [Note(0.1, member, 127) for member in MEMBERS]
    sound = mixed([*notes, *notes, *notes], 1.0)
    assert np.abs(sound).max() == pytest.approx(PEAK)


def test_drums_are_heard_from_where_they_stand():
    left = mixed([Note(0.0, "hi_hat", 100)], 0.5)
    right = mixed([Note(0.0, "floor_tom", 100)], 0.5)
    power = np.sum(left**2, 0), np.sum(right**2, 0)
    assert power[0][0] > 2 * power[0][1]
    assert power[1][1] > 2 * power[1][0]


@pytest.mark.parametrize("kind", ["<i2", "<i4", "u1", "<f4"])
@pytest.mark.parametrize("channels", [1, 2])
def test_a_backing_of_any_format_is_the_same_sound(tmp_path, kind, channels):
    rate = 22050
    wave = 0.5 * np.sin(2 * np.pi * 300.0 * np.arange(rate) / rate)
    scale = {"<i2": 2.0**15, "<i4": 2.0**31, "u1": 2.0**7, "<f4": 1.0}[kind]
    data = (scale * wave + (128 if kind == "u1" else 0)).astype(kind)
    wavfile.write(tmp_path / "b.wav", rate, np.repeat(data[:, None], channels, 1))
    sound = read_backing(tmp_path / "b.wav")
    assert sound.shape == (RATE, 2)
    expected = 0.5 * np.sin(2 * np.pi * 300.0 * np.arange(RATE) / RATE)
    middle = slice(1000, -1000)
    assert np.abs(sound[middle, 0] - expected[middle]).max() < 0.012
    np.testing.assert_array_equal(sound[:, 0], sound[:, 1])


def test_a_backing_that_is_not_there_is_said(tmp_path):
    with pytest.raises(BackbeatError, match=r"none\.wav"):
        read_backing(tmp_path / "none.wav")


def test_a_wav_file_holds_what_was_mixed(tmp_path):
    sound = mixed([Note(0.1, "ride", 90)], 0.5)
    write_wav(sound, tmp_path / "a.wav")
    rate, samples = wavfile.read(tmp_path / "a.wav")
    assert rate == RATE
    assert np.abs(samples / 32767.0 - sound).max() < 1e-4


# --- MIDI -------------------------------------------------------------------------


@settings(max_examples=25)
@given(
    st.lists(st.floats(0.0, 30.0), min_size=1, max_size=30),
    st.floats(40.0, 240.0),
    st.sampled_from(MEMBERS),
)
def test_a_midi_file_plays_what_was_struck(tmp_path_factory, times, bpm, member):
    path = tmp_path_factory.mktemp("midi") / "a.mid"
    performance = a_performance(sorted(times), bpm, member=member)
    write_midi(performance, performance.notes, path)
    heard = heard_in(path)
    # Ticks are a 9600th of a beat; mido rounds tempos to microseconds a beat.
    np.testing.assert_allclose([h[0] for h in heard], sorted(times), atol=1e-4)
    assert {h[1:] for h in heard} == {(note_numbers()[member], 100)}


def test_ten_minutes_do_not_drift(tmp_path):
    beats = beat_times(98.0, 600.0)
    performance = a_performance(beats)
    write_midi(performance, performance.notes, tmp_path / "long.mid")
    heard = np.array([h[0] for h in heard_in(tmp_path / "long.mid")])
    assert np.abs(heard - beats).max() < 1e-4


def test_a_tempo_map_is_written(tmp_path):
    beats = np.r_[np.arange(5) * 0.5, 2.0 + 0.75 * np.arange(1, 5)]
    times = [0.0, 0.25, 2.0, 2.75, 4.9]
    notes = tuple(Note(t, "ride", 80) for t in times)
    write_midi(
        Performance("map", notes, 6.0, beats, MeterMap(Meter(3, 4))),
        notes,
        tmp_path / "m.mid",
    )
    assert [h[0] for h in heard_in(tmp_path / "m.mid")] == pytest.approx(
        times, abs=1e-4
    )
    conductor = mido.MidiFile(tmp_path / "m.mid").tracks[0]
    tempos = [m.tempo for m in conductor if m.type == "set_tempo"]
    assert tempos == [500_000, 750_000]
    assert [m.numerator for m in conductor if m.type == "time_signature"] == [3]


def test_the_click_is_on_every_beat_and_stronger_on_the_first_of_a_bar(tmp_path):
    performance = a_performance([0.3])
    notes = performance.heard(SoundExtras(click=True))
    write_midi(performance, notes, tmp_path / "c.mid")
    number = note_numbers()[CLICK]
    clicks = [h for h in heard_in(tmp_path / "c.mid") if h[1] == number]
    assert [c[0] for c in clicks] == pytest.approx([0.0, 60 / 98, 120 / 98], abs=1e-4)
    assert clicks[0][2] > clicks[1][2] == clicks[2][2]
    with pytest.raises(BackbeatError, match="--click"):
        replace(performance, pulses=()).heard(SoundExtras(click=True))


def odd_music():
    """Four quarters, seven eighths, three quarters; then seven eighths again."""
    bars = MeterMap(
        Meter(),
        (
            MeterChange(4, Meter(7, 8)),
            MeterChange(7.5, Meter(3, 4)),
            MeterChange(10.5, Meter(7, 8)),
        ),
    )
    return replace(drumming(duration=7.0), bpm=120.0, meter=bars)


def test_clicks_and_their_accents_follow_the_meter():
    seven = replace(drumming(duration=4.0), bpm=120.0, meter=MeterMap(Meter(7, 8)))
    clicks = planned(seven).clicks()
    strong = max(c.velocity for c in clicks)
    assert [2 * c.time for c in clicks if c.velocity == strong] == [0, 3.5, 7]
    assert np.diff([2 * c.time for c in clicks]) == pytest.approx(0.5)
    clicks = planned(odd_music()).clicks()
    assert [2 * c.time for c in clicks if c.velocity == strong] == [0, 4, 7.5, 10.5, 14]
    assert [2 * c.time for c in clicks][:6] == [0, 1, 2, 3, 4, 4.5]


def test_meters_come_back_from_a_midi_file(tmp_path):
    performance = planned(odd_music())
    notes = (Note(0.0, "snare", 90), Note(6.0, "snare", 90))
    write_midi(performance, notes, tmp_path / "odd.mid")
    signatures, tick = [], 0
    for message in mido.MidiFile(tmp_path / "odd.mid").tracks[0]:
        tick += message.time
        if message.type == "time_signature":
            clocks = message.clocks_per_click
            signatures.append((tick / 9600, message.numerator, clocks))
    assert signatures == [(0, 4, 24), (4, 7, 12), (7.5, 3, 24), (10.5, 7, 12)]
    score = read_midi(
        (tmp_path / "odd.mid").read_bytes(), kit_members(DrumKit()), "odd.mid"
    )
    back = [(c.beat - score.lead_in, str(c.meter)) for c in score.tempo.meter.changes]
    assert back == [(4, "7/8"), (7.5, "3/4"), (10.5, "7/8")]


def test_a_run_and_its_file_have_the_meter(tmp_path):
    run = run_of(odd_music())
    save_run(run, tmp_path / "odd.run.parquet", {})
    filed, whole = performed_in_file(tmp_path / "odd.run.parquet"), performed(run)
    assert filed.meter == whole.meter == odd_music().meter
    assert filed.pulses == whole.pulses
    assert [p for _, p in filed.pulses] == whole.meter.pulses(13.9)


def test_a_run_file_of_old_has_quarters():
    story = {"behavior": "old", "hits": [], "extra_hits": []}
    story |= {"beats": [0.0, 0.5, 1.0, 1.6], "beats_per_bar": 3}
    clicks = performed_in_story(story, 2.0, "old").clicks()
    strong = max(c.velocity for c in clicks)
    assert [c.time for c in clicks if c.velocity == strong] == [0.0, 1.6]


# --- runs -------------------------------------------------------------------------


def a_struck_run():
    """A run in which the snare is struck at 1.0 s with 1.2 m/s by the left stick."""
    behavior = drumming(True, 2.0)
    run = run_of(behavior)
    kit, members = DrumKit(behavior.scene.place), run.members
    t = np.arange(0.0, 2.0, 0.001)
    rows = np.zeros((len(t), len(run.tips), ROW))
    rows[:, :, MEMBER] = -1
    X = kit.strike_pose("snare")
    normal = X.rotation().matrix()[:, 2]
    height = TIP_RADIUS + 1.2 * (1.0 - t)
    tip = run.tips.index("l_stick_tip")
    rows[:, tip, PLACE:VELOCITY] = X.translation() + height[:, None] * normal
    rows[:, tip, VELOCITY:ROW] = -1.2 * normal
    touching = (t > 1.0) & (t < 1.004)
    rows[touching, tip, MEMBER] = members.index("snare")
    rows[touching, tip, FORCE] = 80.0
    return replace(run, strike_t=t, strikes=rows.reshape(len(t), -1))


def test_a_run_sounds_like_its_contacts_also_from_its_file(tmp_path):
    run = a_struck_run()
    (note,) = performed(run).notes
    assert (note.member, note.velocity) == ("snare", strike_velocity(1.2))
    assert note.time == pytest.approx(1.0, abs=2e-3)
    path = save_run(run, tmp_path / "a.run.parquet", {})
    from_file = performed_in_file(path)
    assert from_file.notes == performed(run).notes
    np.testing.assert_allclose(from_file.beats, performed(run).beats)


@pytest.mark.parametrize("end", [1e9, -1.0, np.nan])
def test_a_run_that_never_ends_is_refused(tmp_path, end):
    run = a_struck_run()
    t = run.t.copy()
    t[-1] = end
    path = save_run(replace(run, t=t), tmp_path / "a.run.parquet", {})
    with pytest.raises(BackbeatError, match="hours"):
        performed_in_file(path)


def test_a_behavior_sounds_like_its_score():
    behavior = drumming(True, 3.0)
    assert [n.time for n in planned(behavior).notes] == [
        e.time for e in behavior.strikes()
    ]


# --- pages ------------------------------------------------------------------------


def test_a_page_has_every_voice_once_and_all_hits():
    performance = a_performance(np.arange(0.0, 20.0, 0.25), velocity=90)
    packed = packed_sound(performance, SoundExtras())
    assert len(packed["hits"]) == len(performance.notes)
    assert [v["member"] for v in packed["voices"]] == ["snare"] * 2
    samples = np.frombuffer(base64.b64decode(packed["blob"]), "<i2") / 32767.0
    voices = [voice("snare", 96, VOICE_RATE, take=k) for k in (0, 1)]
    assert np.abs(samples - np.concatenate(voices)).max() < 1e-4
    tail = np.frombuffer(base64.b64decode(packed["room"]), "<i2") / 32767.0
    assert np.abs(tail.reshape(2, -1).T - reflections(VOICE_RATE)).max() < 1e-4


def test_a_page_chokes_the_hi_hat_and_is_as_loud_as_a_file():
    notes = (Note(0.5, "hi_hat", 96), Note(1.0, "pedal_hi_hat", 96))
    performance = replace(a_performance([0.5]), notes=notes, kit=FULL_KIT)
    packed = packed_sound(performance, SoundExtras())
    assert [hit[3:] for hit in packed["hits"]] == [[1.0], []]
    strokes = heard_strokes(notes, FULL_KIT, 2)
    sound = drum_sound(strokes, 1.0, FULL_KIT, VOICE_RATE, 32)
    assert packed["level"] * np.abs(sound).max() == pytest.approx(PEAK, rel=1e-3)
    # With a recording as loud as can be, all of it is turned down.
    extras = SoundExtras(backing=np.ones((RATE, 2)))
    louder = packed_sound(performance, extras)["level"]
    assert louder < packed["level"]


def test_a_page_does_not_take_an_endless_backing():
    long = np.zeros((int((LONGEST_BACKING + 10) * RATE), 2))
    performance = a_performance([LONGEST_BACKING + 20])
    with pytest.raises(BackbeatError, match="export"):
        packed_sound(performance, SoundExtras(backing=long))


# --- command ----------------------------------------------------------------------


def test_a_run_file_becomes_midi_and_wav(backbeat, tmp_path):
    run = save_run(a_struck_run(), tmp_path / "a.run.parquet", {})
    midi, wav, song = (tmp_path / n for n in ("a.mid", "a.wav", "song.wav"))
    write_wav(0.1 * np.ones((RATE, 2)), song)
    out = ["export", run, "--midi", midi, "--wav", wav]
    code, said, _ = backbeat(*out, "--click", "--latency-ms", 20, "--backing", song)
    assert code == 0
    assert "a.mid" in said
    snare = note_numbers()["snare"]
    struck = [time for time, number, _ in heard_in(midi) if number == snare]
    assert struck == pytest.approx([1.02], abs=2e-3)
    rate, samples = wavfile.read(wav)
    assert np.abs(samples).max() / 32767 == pytest.approx(PEAK, abs=1e-3)
    # The recording is constant, and alone between two clicks.
    assert len(set(samples[round(0.45 * rate) : round(0.6 * rate), 0])) == 1
    assert samples[rate // 2, 0] > 0


def test_the_backing_that_a_score_names_is_found_here_or_missed(
    backbeat, tmp_path, monkeypatch
):
    run = a_struck_run()
    music = Event(0.5, "music", "song.wav")
    behavior = replace(run.behavior, events=(*run.behavior.events, music))
    file = save_run(replace(run, behavior=behavior), tmp_path / "a.run.parquet", {})
    monkeypatch.chdir(tmp_path)
    code, _, said = backbeat("export", file, "--wav", "a.wav")
    assert code == 0
    assert "song.wav" in said
    assert "--backing" in said
    assert wavfile.read("a.wav")[1][RATE * 6 // 10, 0] == 0
    (tmp_path / "scores").mkdir()
    write_wav(0.1 * np.ones((RATE, 2)), tmp_path / "scores" / "song.wav")
    assert backbeat("export", file, "--wav", "a.wav")[2] == ""
    sound = wavfile.read("a.wav")[1][:, 0] / 32767
    assert sound[int(0.49 * RATE)] == 0
    assert sound[RATE * 6 // 10] == sound[RATE * 7 // 10] > 0


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--click"], "--wav"),
        (["--midi", "x.mid", "-o", "x.csv"], "CSV"),
        (["--midi", "x.mid", "--backing", "b.wav"], "--wav"),
        (["--wav", "x.wav", "--backing", "none.wav"], "none.wav"),
        (["--wav", "x.wav", "--latency-ms", "1e9"], "latency"),
        (["--wav", "x.wav", "--latency-ms", "nan"], "latency"),
    ],
)
def test_sound_that_cannot_be_is_refused(
    backbeat, tmp_path, monkeypatch, options, word
):
    run = save_run(a_struck_run(), tmp_path / "a.run.parquet", {})
    monkeypatch.chdir(tmp_path)
    code, _, complaint = backbeat("export", run, *options)
    assert code == 2
    assert word in complaint
    assert complaint.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["a.run.parquet"]


def test_what_strikes_nothing_is_no_midi_file_unless_it_clicks(backbeat, tmp_path):
    midi, folder = tmp_path / "a.mid", tmp_path / "library"
    dance = replace(swaying(3.0), bpm=98.0)
    Library(folder).save(dance)
    out = ["export", dance.name, "--library", folder, "--midi", midi]
    code, _, complaint = backbeat(*out)
    assert code == 2
    assert "strikes nothing" in complaint
    assert not midi.exists()
    assert backbeat(*out, "--click")[0] == 0
    assert heard_in(midi)


def test_a_file_that_is_no_run_has_no_sound(backbeat, tmp_path):
    (tmp_path / "x.parquet").write_bytes(b"no")
    code, _, complaint = backbeat("export", tmp_path / "x.parquet", "--wav", "x.wav")
    assert code == 2
    assert "run file" in complaint
