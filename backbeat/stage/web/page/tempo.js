// The tempo of a recording, and where its beats are: found in its sound, or of taps.
window.tempoOf = (() => {
  // Frames of the loudness a second; tempos that are looked for, and the likeliest [1/min];
  // how fast others get less likely [octaves].
  const RATE = 200, SLOWEST = 60, FASTEST = 200, LIKELY = 115, WIDTH = 0.9;
  // Beats over which the length of one is measured, at most.
  const MOST = 32;

  // How much louder each frame is than the one before.
  function onsets(buffer) {
    const samples = buffer.getChannelData(0), step = buffer.sampleRate / RATE;
    const count = Math.floor(samples.length / step), found = new Float32Array(count);
    let before = 0;
    for (let k = 0; k < count; k++) {
      let energy = 0;
      const end = Math.floor((k + 1) * step);
      for (let i = Math.floor(k * step); i < end; i++) energy += samples[i] * samples[i];
      const loud = Math.log1p(1e4 * (energy / step));
      found[k] = Math.max(0, loud - before);
      before = loud;
    }
    return found;
  }
  // How alike onsets are to themselves a lag later; lags between frames too.
  function alike(found, lag) {
    const whole = Math.floor(lag), share = lag - whole, n = found.length - whole - 1;
    let sum = 0;
    for (let k = 0; k < n; k++)
      sum += found[k] * ((1 - share) * found[k + whole] + share * found[k + whole + 1]);
    return n > 0 ? sum / n : 0;
  }
  function best(low, high, step, score) {
    let place = low, most = -Infinity;
    for (let x = low; x <= high; x += step) {
      const s = score(x);
      if (s > most) { most = s; place = x; }
    }
    return place;
  }
  function find(buffer) {
    const found = onsets(buffer);
    if (!found.some((x) => x > 0.1) || buffer.duration < 4) return null;
    const likely = (lag) => {
      const octaves = Math.log2((60 * RATE) / lag / LIKELY) / WIDTH;
      return Math.exp(-0.5 * octaves * octaves);
    };
    let beat = best((60 * RATE) / FASTEST, (60 * RATE) / SLOWEST, 1, (lag) =>
      likely(lag) * (alike(found, lag) + 0.5 * alike(found, 2 * lag) + 0.5 * alike(found, 4 * lag)));
    // Over twice as many beats it is measured twice as well.
    for (let n = 1; n <= MOST && n * beat < found.length / 2; n *= 2)
      beat = best(beat - 1 / n, beat + 1 / n, 0.05 / n, (lag) => alike(found, n * lag));
    const phase = best(0, beat, 0.5, (from) => {
      let sum = 0;
      for (let x = from; x < found.length - 1; x += beat)
        sum += found[Math.round(x)] + 0.5 * found[Math.round(x) + 1];
      return sum;
    });
    return { bpm: (60 * RATE) / beat, phase: phase / RATE };
  }
  // A line through taps [s]: the length of a beat, and when one is.
  function ofTaps(times) {
    const gaps = times.slice(1).map((t, i) => t - times[i]).sort((a, b) => a - b);
    const usual = gaps[gaps.length >> 1];
    const beats = times.map((t) => Math.round((t - times[0]) / usual));
    const n = times.length, mean = (list) => list.reduce((a, b) => a + b, 0) / n;
    const k = mean(beats), t = mean(times);
    const top = beats.reduce((sum, b, i) => sum + (b - k) * (times[i] - t), 0);
    const length = top / beats.reduce((sum, b) => sum + (b - k) ** 2, 0);
    return { bpm: 60 / length, phase: t - k * length };
  }
  return { find, ofTaps };
})();
