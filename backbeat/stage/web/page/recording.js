// A recording: its motion is in this page, and Meshcat's animator plays it.
window.playRecording = (stage, recording) => {
  const { info, find, showTrail, ageTrails } = stage;
  const animator = viewer.animator, start = info.start ?? 0;
  const WIDTH = { position: 3, quaternion: 4, scale: 3, visible: 1, opacity: 1 };
  const KIND = { position: "vector3", quaternion: "quaternion", scale: "vector3",
    visible: "bool", opacity: "number" };
  const STEP = 1 / 30;

  function unpack({ tracks, times, blob }) {
    const bytes = Uint8Array.from(atob(blob), (c) => c.charCodeAt(0));
    const numbers = new Int16Array(bytes.buffer);
    const clips = new Map();
    let at = 0;
    const take = (n) => numbers.subarray(at, (at += n));
    for (const [path, property, n, origin, step] of tracks) {
      const frames = take(n), values = take(n * WIDTH[property]);
      const holder = property === "opacity" ? `${path}/<object>` : path;
      if (!clips.has(holder)) clips.set(holder, []);
      clips.get(holder).push({
        name: property === "opacity" ? ".material.opacity" : `.${property}`,
        type: KIND[property],
        times: Float32Array.from(frames, (f) => times[f & 0xffff] - times[0]),
        values: property === "visible" ? Array.from(values, Boolean)
          : Float32Array.from(values, (v) => origin + step * v),
      });
    }
    const duration = times.at(-1) - times[0];
    return [...clips].map(([path, tracks]) => ({
      path: path.split("/").filter(Boolean),
      clip: { fps: 1, name: "default", duration, tracks },
    }));
  }

  const LOOP = 2201; // three.js: THREE.LoopRepeat
  info.trails.forEach(showTrail);
  viewer.set_animation(unpack(recording),
    { play: false, loopMode: LOOP, repetitions: Infinity, clampWhenFinished: true });
  let sound = null, loops = true;
  const play = (on) => {
    if (on === animator.playing) return;
    if (!on) animator.pause();
    else {
      if (!loops && animator.time > animator.duration - 0.01) move(start);
      animator.play();
    }
    sound?.update();
  };
  const move = (t) => {
    const inside = Math.min(Math.max(t - start, 0), animator.duration - 1e-4);
    animator.seek(inside);
    animator.display_progress(inside);
  };
  const seek = (t) => { move(t); sound?.update(); };
  const stops = () => info.beats.length ? info.beats
    : Array.from({ length: 2 * animator.duration + 1 }, (_, k) => start + k / 2);
  const deck = {
    play, seek,
    step: (n) => { play(false); seek(start + animator.time + n * STEP); },
    leap: (n) => {
      const now = start + animator.time, all = stops();
      const to = n > 0 ? all.find((t) => t > now + 1e-3)
        : all.filter((t) => t < now - 1e-3).at(-1);
      seek(to ?? (n > 0 ? start + animator.duration : start));
    },
    beat: (k) => seek(stops()[Math.min(Math.max(k, 1), stops().length) - 1]),
    speed: (x) => { animator.mixer.timeScale = x; sound?.update(); },
    loop: (on) => { loops = on; },
    state: () => ({
      time: start + animator.time, playing: animator.playing, loop: loops, start,
      speed: animator.mixer.timeScale, end: start + animator.duration,
      reach: start + animator.duration,
    }),
  };
  const seen = { ...deck, state: () => ({ ...deck.state(), shown: "verified", "is shown now": true }) };
  const timeline = info.timeline && window.makeTimeline(stage, seen, () => {}, () => {});
  const refresh = window.makeTransport(stage, deck, {
    m: ["sound on, off", () => sound?.toggle()],
  });
  // Between two frames time goes on; the sound must know by how much.
  const now = () => {
    if (!animator.playing) return start + animator.time;
    const since = (performance.now() - animator.clock.oldTime) / 1000;
    const time = animator.time + animator.mixer.timeScale * since;
    return start + (time % animator.duration);
  };
  sound = window.makeSound?.(find("button.sound"), {
    now, playing: () => animator.playing, rate: () => animator.mixer.timeScale,
    nudge: (dt) => move(start + animator.time + dt),
  });
  // Actions take part in seeking only once they have begun.
  animator.play();
  window.backbeat = {
    play: () => play(true),
    pause: () => play(false),
    seek: (t) => { play(false); seek(t); },
    time: () => start + animator.time,
    now, sound, deck, timeline,
  };
  // Oftener than the picture, which may be slow.
  if (sound) setInterval(sound.update, 40);
  // Asked by Meshcat before it draws, so that a trail ends where its stick is.
  viewer.render_callback = () => ageTrails(start + animator.time);
  let before = 0;
  return () => {
    if (animator.playing && animator.time < before - 0.5 * animator.duration) {
      window.parent.postMessage({ backbeat: "ended" }, "*");
      if (!loops) { play(false); seek(start + animator.duration); }
    }
    before = animator.time;
    refresh();
    timeline?.refresh();
    return start + animator.time;
  };
};
