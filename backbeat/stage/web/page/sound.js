// The drums of a recording. Each hit is started on the clock of the sound card, and the
// picture is held to that clock. Browsers allow no sound before a click: it is
// off until it is switched on.
window.makeSound = (button, transport) => {
  const data = JSON.parse(document.getElementById("backbeat-sound").textContent);
  if (!data.hits.length && !data.backing) return null;
  // Seconds: hits are handed over so early; one that comes later is left out; clocks
  // farther apart begin anew; closer ones are nudged; what rings on is faded out.
  const AHEAD = 0.5, LATE = 0.03, APART = 0.015, CLOSE = 0.004, FADE = 0.015;
  let context, voices, song, room, bus, drums, anchor = null, next = 0, isOn = false;

  const numbers = (text) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    return Float32Array.from(new Int16Array(bytes.buffer), (n) => n / 32767);
  };
  function buffer(samples, rate, channels = 1) {
    const count = samples.length / channels;
    const made = context.createBuffer(channels, count, rate);
    for (let k = 0; k < channels; k++)
      made.copyToChannel(samples.subarray(k * count, (k + 1) * count), k);
    return made;
  }
  // What is left and right of a filter at the rate of the sound card, which it has to
  // have: the same gain with more or fewer samples.
  function resampled(samples) {
    const count = samples.length / 2, step = data.rate / context.sampleRate;
    const length = Math.floor((count - 1) / step);
    return Float32Array.from({ length: 2 * length }, (_, i) => {
      const x = (i % length) * step, k = Math.floor(x), at = k + (i < length ? 0 : count);
      return step * ((1 - x + k) * samples[at] + (x - k) * samples[at + 1]);
    });
  }
  function open() {
    context = new AudioContext({ latencyHint: "interactive" });
    const samples = numbers(data.blob);
    let at = 0;
    voices = data.voices.map(({ count, pan }) =>
      ({ pan, buffer: buffer(samples.subarray(at, (at += count)), data.rate) }));
    if (data.room) room = buffer(resampled(numbers(data.room)), context.sampleRate, 2);
    if (data.backing) song = buffer(numbers(data.backing.blob), data.backing.rate);
  }

  // What is heard now left the program a while ago.
  const lag = () => context.outputLatency || context.baseLatency || 0;
  const heard = () =>
    anchor.song + (context.currentTime - anchor.lag - anchor.at) * anchor.rate;
  const due = (time) => anchor.at + (time - anchor.song) / anchor.rate;

  function silence() {
    if (!anchor) return;
    bus.gain.setTargetAtTime(0, context.currentTime, FADE);
    const old = bus;
    setTimeout(() => old.disconnect(), 8000 * FADE);
    anchor = null;
  }
  function begin(now) {
    anchor = { song: now, at: context.currentTime - lag(), lag: lag(),
      rate: transport.rate() };
    bus = context.createGain();
    bus.gain.value = data.level;
    bus.connect(context.destination);
    drums = context.createGain();
    drums.connect(bus);
    if (room) {
      // What both ears hear together is reflected to either.
      const middle = context.createGain(), wet = context.createConvolver();
      middle.channelCount = 1;
      middle.channelCountMode = "explicit";
      wet.normalize = false;
      wet.buffer = room;
      drums.connect(middle).connect(wet).connect(bus);
    }
    next = data.hits.findIndex(([time]) => time >= now - 0.002);
    if (next < 0) next = data.hits.length;
    if (song) start(song, due(data.backing.start), data.backing.gain, 0, anchor.rate);
  }
  function start(sound, when, gain, pan, rate, end) {
    const source = context.createBufferSource(), level = context.createGain();
    const late = Math.max(context.currentTime - when, 0) * rate;
    if (late >= sound.duration) return;
    source.buffer = sound;
    source.playbackRate.value = rate;
    level.gain.value = gain;
    const side = context.createStereoPanner();
    side.pan.value = pan;
    source.connect(level).connect(side).connect(sound === song ? bus : drums);
    if (end) level.gain.setTargetAtTime(0, Math.max(end, 0), data.choke);
    // A song is joined where it is by now; a drum is always heard from its beginning.
    source.start(Math.max(when, 0), sound === song ? late : 0);
  }
  function update() {
    const runs = isOn && transport.playing() && context.state === "running";
    if (!runs) return silence();
    const now = transport.now();
    const apart = anchor ? heard() - now : Infinity;
    if (anchor?.rate !== transport.rate() || Math.abs(apart) > APART) {
      silence();
      begin(now);
    } else if (Math.abs(apart) > CLOSE) transport.nudge(0.2 * apart);
    for (; next < data.hits.length; next++) {
      const [time, voice, gain, end] = data.hits[next];
      const when = due(time);
      if (when > context.currentTime + AHEAD) break;
      if (when > context.currentTime - anchor.lag - LATE)
        start(voices[voice].buffer, when, gain, voices[voice].pan, 1, end && due(end));
    }
  }

  function turn(on) {
    isOn = on;
    button.setAttribute("aria-pressed", on);
    try { window.parent.backbeatSound = on; } catch { /* a page from elsewhere */ }
    if (!on) return update();
    if (!context) open();
    context.resume();
  }
  const toggle = () => turn(!isOn);
  button.onclick = toggle;
  button.hidden = false;
  // In a show, the next performance sounds if the one before did.
  try { if (window.parent.backbeatSound) turn(true); } catch { /* see above */ }
  return {
    update, toggle, turn, next: () => next,
    // Time of the recording that is heard now [s]; null in silence.
    heard: () => (anchor ? heard() : null),
    output: () => bus, context: () => context,
  };
};
