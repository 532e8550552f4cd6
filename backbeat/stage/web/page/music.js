// A recording of the user's own under the beats: its waveform, tempo and offset. It stays
// in the browser; the file has its name, and where in it the motion begins: `offset` [s].
window.makeMusic = (desk) => {
  const { body, find, view, offers, document_, deck, notice, says } = desk;
  // Peaks a second; largest file [bytes]; pause that ends taps [ms], and how many they are
  // at least; how far sound and picture may be apart [s].
  const PEAKS = 400, LARGEST = 100e6, PAUSE = 1500, TAPS = 4, APART = 0.08;
  const wave = find(".wave");
  let context = null, song = null, source = null, taps = [], ending = 0, held = false;

  // What the file says of the recording that is open; null for nothing.
  const written = () => {
    const sheet = document_.now()?.timeline;
    return song && sheet?.backing === song.name ? sheet.offset : null;
  };
  async function open(file) {
    if (!file) return;
    if (file.size > LARGEST) { notice(`${file.name} is larger than ${LARGEST / 1e6} MB`); return; }
    context ??= new AudioContext();
    let buffer;
    try {
      buffer = await context.decodeAudioData(await file.arrayBuffer());
    } catch { notice(`${file.name} is no recording that this browser can decode`); return; }
    stop();
    song = { name: file.name, buffer, peaks: peaksOf(buffer), offset: 0 };
    song.offset = written() ?? 0;
    body.classList.add("with-song");
    show();
  }
  function close() {
    stop();
    song = null;
    body.classList.remove("with-song");
    desk.draw();
  }
  // The loudest of each stretch.
  function peaksOf(buffer) {
    const samples = buffer.getChannelData(0), step = buffer.sampleRate / PEAKS;
    const found = new Float32Array(Math.ceil(samples.length / step));
    for (let i = 0; i < samples.length; i++) {
      const k = Math.floor(i / step), x = Math.abs(samples[i]);
      if (x > found[k]) found[k] = x;
    }
    return found;
  }
  function show() {
    find(".offset").value = song.offset.toFixed(3);
    find(".of-song .name").textContent = song.name;
    desk.draw();
  }
  function place(offset) {
    song.offset = Math.round(offset * 1000) / 1000;
    stop();
    show();
    if (offers.kind === "setlist" || song.offset === written()) return null;
    if (offers.kind === "score" && written() === null) {
      notice(`for its offset to be kept, write backing: ${song.name} into the score, and put it beside that`);
      return null;
    }
    return document_.edit({ edit: "music", backing: song.name, offset: song.offset });
  }
  // An offset that was undone, or written elsewhere.
  document_.listen(() => {
    const offset = written();
    if (offset === null || offset === song.offset || held) return;
    song.offset = offset;
    stop();
    show();
  });

  function draw(length) {
    if (!song) return;
    const pen = wave.getContext("2d");
    wave.width = Math.ceil(length * view.beat);
    wave.height = wave.clientHeight;
    pen.fillStyle = "#6fb7a5";
    const half = wave.height / 2, { peaks, offset } = song;
    const at = (x) => Math.floor((desk.timeOf(x / view.beat) + offset) * PEAKS);
    let first = at(0);
    for (let x = 0; x < wave.width; x++) {
      const next = Math.max(at(x + 1), first + 1);
      let most = 0;
      for (let k = Math.max(first, 0); k < Math.min(next, peaks.length); k++)
        if (peaks[k] > most) most = peaks[k];
      if (most > 0) pen.fillRect(x, half * (1 - most), 1, Math.max(1, 2 * half * most));
      first = next;
    }
  }

  // --- heard with the picture ----------------------------------------------------------
  function stop() {
    source?.sound.stop();
    source = null;
  }
  function start(time, speed) {
    const sound = context.createBufferSource(), late = Math.max(0, -(time + song.offset));
    sound.buffer = song.buffer;
    sound.playbackRate.value = speed;
    sound.connect(context.destination);
    sound.start(context.currentTime + late / speed, Math.max(0, time + song.offset));
    source = { sound, time, speed, at: context.currentTime };
  }
  function refresh({ playing, time, speed }) {
    if (!song) return;
    if (!playing) { if (source) stop(); return; }
    const heard = source && source.time + (context.currentTime - source.at) * source.speed;
    if (source && source.speed === speed && Math.abs(heard - time) < APART) return;
    stop();
    if (context.state === "suspended") context.resume();
    start(time, speed);
  }

  // --- tempo and offset ----------------------------------------------------------------
  // The beat of the recording that is nearest goes onto one of the document.
  function take(found) {
    if (!found) { notice(`no beat is found in ${song.name}; tap it`); return; }
    const bpm = Math.round(found.bpm * 100) / 100, beat = 60 / bpm;
    const off = (song.offset - found.phase) / beat;
    place(song.offset - (off - Math.round(off)) * beat);
    says(`${bpm} beats a minute`);
    document_.edit({ edit: "setting", key: "bpm", value: bpm });
  }
  function tap() {
    if (!song) return;
    const { playing, time } = deck.state();
    taps.push(playing ? time + song.offset : performance.now() / 1000);
    says(`${taps.length} taps`);
    clearTimeout(ending);
    ending = setTimeout(() => {
      const times = taps;
      taps = [];
      if (times.length < TAPS) { says(`tap at least ${TAPS} beats`); return; }
      const found = window.tempoOf.ofTaps(times);
      take(playing ? found : { ...found, phase: song.offset });
    }, PAUSE);
  }

  // --- the pointer ---------------------------------------------------------------------
  const input = find(".song-file");
  find(".song").onclick = () => input.click();
  input.onchange = () => { open(input.files[0]); input.value = ""; };
  find(".find-tempo").onclick = () => take(window.tempoOf.find(song.buffer));
  find(".tap-tempo").onclick = tap;
  find(".no-song").onclick = close;
  find(".offset").onchange = (event) => place(Number(event.target.value) || 0);
  wave.onpointerdown = (event) => {
    wave.setPointerCapture(event.pointerId);
    held = true;
    const x0 = event.clientX, before = song.offset, perPixel = desk.timeOf(1) / view.beat;
    wave.onpointermove = (e) => { song.offset = before - (e.clientX - x0) * perPixel; show(); };
    wave.onpointerup = wave.onpointercancel = () => {
      wave.onpointermove = wave.onpointerup = wave.onpointercancel = null;
      held = false;
      place(song.offset);
    };
  };
  const isFile = (event) => event.dataTransfer?.types.includes("Files");
  window.addEventListener("dragover", (event) => { if (isFile(event)) event.preventDefault(); });
  window.addEventListener("drop", (event) => {
    if (!isFile(event)) return;
    event.preventDefault();
    open(event.dataTransfer.files[0]);
  });
  return { draw, refresh, tap, song: () => song };
};
