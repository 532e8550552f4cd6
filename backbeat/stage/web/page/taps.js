// Hits that are tapped along with the show: with the numbers of the drums on the keyboard,
// or on a MIDI pad. They are on the grid of the snap, and become one edit at the end.
window.makeTaps = (desk, { snapped, whyNot, changed }) => {
  const { find, offers, document_, deck, says, placeOf, notice } = desk;
  const { rows, notes } = offers.drums;
  // Velocity of a key; as many hits fit into one edit; a note-on of MIDI.
  const USUAL = 90, MOST = 50, NOTE_ON = 0x90;
  const byNumber = Object.fromEntries(rows.map(({ member, number }) => [number, member]));
  const waiting = new Map();
  let isOn = false, beat = null, audio = null, midi = null;

  function tap(member, velocity) {
    const at = snapped(Math.max(0, desk.beatOf(deck.state().time)));
    const why = whyNot(at);
    says(why ? `${placeOf(at)}: ${why}` : `${member} ${placeOf(at)}`);
    if (why) return;
    const key = `${at} ${member}`, before = waiting.get(key);
    if (before && before.velocity >= velocity) return;
    waiting.set(key, { beat: at, member, velocity });
    changed();
  }
  async function write() {
    const hits = [...waiting.values()].sort((a, b) => a.beat - b.beat)
      .map(({ beat: at, member, velocity }) => [at, member, velocity]);
    for (let i = 0; i < hits.length; i += MOST)
      await document_.edit({ edit: "taps", hits: hits.slice(i, i + MOST) });
    waiting.clear();
    changed();
  }
  function toggle() {
    isOn = !isOn;
    find(".record").setAttribute("aria-pressed", isOn);
    if (!isOn) { says(""); return write(); }
    audio ??= new AudioContext();
    audio.resume();
    beat = null;
    if (!midi) listen();
    const { playing, time, start, end } = deck.state();
    if (time > end - 0.05) deck.seek(start);
    if (!playing) deck.play(true);
    says(`tap ${rows.map(({ number }) => number).join(" ")}${midi ? ", or play a pad" : ""}`);
    return null;
  }

  async function listen() {
    if (!navigator.requestMIDIAccess) return;
    try {
      midi = await navigator.requestMIDIAccess();
    } catch { notice("The browser does not give access to MIDI."); return; }
    const hear = ({ data: [status, note, velocity] }) => {
      const isHit = (status & 0xf0) === NOTE_ON && velocity > 0;
      if (isOn && isHit && notes[note]) tap(notes[note], velocity);
    };
    const connect = () => midi.inputs.forEach((input) => { input.onmidimessage = hear; });
    midi.onstatechange = connect;
    connect();
  }
  function click(isFirst) {
    const sound = audio.createOscillator(), level = audio.createGain(), now = audio.currentTime;
    sound.frequency.value = isFirst ? 1600 : 1100;
    level.gain.setValueAtTime(0.2, now);
    level.gain.exponentialRampToValueAtTime(0.001, now + 0.05);
    sound.connect(level).connect(audio.destination);
    sound.start(now);
    sound.stop(now + 0.06);
  }
  return {
    toggle, tap,
    pending: () => waiting.values(),
    key: (name) => (isOn && byNumber[name] ? () => tap(byNumber[name], USUAL) : undefined),
    refresh(state) {
      if (!isOn) return;
      // At the end of the motion what was tapped is written.
      if (!state.playing && state.time > state.end - 0.05) { toggle(); return; }
      const now = Math.floor(desk.beatOf(state.time) + 1e-3);
      if (state.playing && now !== beat)
        click(document_.now().timeline.bars.some(([start]) => Math.abs(start - now) < 1e-3));
      beat = now;
    },
  };
};
