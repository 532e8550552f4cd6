// Caption, layer switches and play controls over a Meshcat page. A recording has its
// motion in this page; a live page asks its server what to say. `viewer` is Meshcat's.
(() => {
  const info = JSON.parse(document.getElementById("backbeat-info").textContent);
  const root = document.getElementById("overlay");
  const find = (selector) => root.querySelector(selector);
  const node = (path) => viewer.scene_tree.find(path.split("/").filter(Boolean));
  const say = (what, text) => {
    const element = find(`[data-say="${what}"]`);
    if (element.textContent !== text) element.textContent = text;
  };
  const clock = (t) => {
    const s = Math.abs(t), sign = t < -0.05 ? "−" : "";
    const rest = (s % 60).toFixed(1).padStart(4, "0");
    return `${sign}${Math.floor(s / 60)}:${rest}`;
  };
  const last = (list, t) => list.filter((entry) => entry.time <= t).at(-1);

  // --- what is said ------------------------------------------------------------
  function introduce() {
    for (const what of ["name", "summary", "kind", "note"]) say(what, info[what]);
    const count = info.bpm > 0 ? info.beats_per_bar : 0;
    find(".beats").replaceChildren(
      ...Array.from({ length: count }, () => document.createElement("i")));
  }
  introduce();

  function caption(t) {
    if (info.bpm > 0) {
      const after = info.beats.findIndex((time) => time > Math.max(t, 0) + 1e-6);
      const beat = (after < 0 ? info.beats.length : after) - 1;
      say("bar", `bar ${Math.floor(beat / info.beats_per_bar) + 1}`);
      [...find(".beats").children].forEach((dot, i) =>
        dot.classList.toggle("now", t >= 0 && i === beat % info.beats_per_bar));
    }
    const segment = last(info.segments, t);
    const now = segment && t < segment.time + segment.duration;
    say("segment", now ? segment.name : "");
    say("remark", last(info.remarks, t)?.text ?? "");
    say("clock", clock(t));
  }

  // --- layers ------------------------------------------------------------------
  const switches = info.layers.map(({ name, path, color, hint }) => {
    const button = document.createElement("button");
    button.type = "button";
    button.style.setProperty("--color", color);
    button.textContent = name;
    button.title = hint;
    button.onclick = () => {
      node(path).set_property("visible", !node(path).object.visible, [path]);
      viewer.set_dirty();
    };
    find("aside").append(button);
    return () => {
      const on = String(node(path).object.visible);
      if (button.getAttribute("aria-pressed") !== on)
        button.setAttribute("aria-pressed", on);
    };
  });

  // --- stick trails: ribbons that face the camera and fade with age ---------------
  const trails = new Map();
  function showTrail({ path, times, points, speeds }) {
    const T = MeshCat.THREE, n = times.length;
    const place = new Float32Array(6 * n), along = new Float32Array(6 * n);
    const rest = new Float32Array(6 * n), index = [];
    for (let i = 0; i < n; i++) {
      const a = 3 * Math.max(i - 1, 0), b = 3 * Math.min(i + 1, n - 1);
      for (let k = 0; k < 3; k++) {
        place[6 * i + k] = place[6 * i + 3 + k] = points[3 * i + k];
        along[6 * i + k] = along[6 * i + 3 + k] = points[b + k] - points[a + k];
      }
      rest.set([times[i], speeds[i], 1, times[i], speeds[i], -1], 6 * i);
      if (i) index.push(2 * i - 2, 2 * i - 1, 2 * i, 2 * i, 2 * i - 1, 2 * i + 1);
    }
    const geometry = new T.BufferGeometry();
    geometry.setAttribute("position", new T.BufferAttribute(place, 3));
    geometry.setAttribute("along", new T.BufferAttribute(along, 3));
    geometry.setAttribute("rest", new T.BufferAttribute(rest, 3));
    geometry.setIndex(index);
    if (!trails.has(path)) trails.set(path, makeTrail(path));
    trails.get(path).geometry.dispose();
    trails.get(path).geometry = geometry;
  }
  function makeTrail(path) {
    const T = MeshCat.THREE;
    const material = new T.ShaderMaterial({
      uniforms: { now: { value: 0 }, fastest: { value: info.fastest } },
      vertexShader: document.getElementById("trail-vertex").textContent,
      fragmentShader: document.getElementById("trail-fragment").textContent,
      transparent: true, depthWrite: false, side: T.DoubleSide,
    });
    const mesh = new T.Mesh(new T.BufferGeometry(), material);
    mesh.frustumCulled = false;
    viewer.set_object(path.split("/").filter(Boolean), mesh);
    return mesh;
  }
  function ageTrails(t) {
    for (const { material } of trails.values()) material.uniforms.now.value = t;
  }

  // --- a recording ---------------------------------------------------------------
  const animator = viewer.animator;
  const start = info.start ?? 0;
  const WIDTH = { position: 3, quaternion: 4, scale: 3, visible: 1, opacity: 1 };
  const KIND = { position: "vector3", quaternion: "quaternion", scale: "vector3",
    visible: "bool", opacity: "number" };

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

  function playRecording(recording) {
    const LOOP = 2201; // three.js: THREE.LoopRepeat
    info.trails.forEach(showTrail);
    viewer.set_animation(unpack(recording),
      { play: false, loopMode: LOOP, repetitions: Infinity, clampWhenFinished: true });
    const slider = find(".time"), footer = find("footer");
    slider.max = animator.duration;
    say("length", clock(start + animator.duration));
    footer.hidden = false;
    for (const { time, strong } of info.marks) {
      const mark = document.createElement("i");
      mark.style.left = `${(100 * (time - start)) / animator.duration}%`;
      if (strong) mark.className = "strong";
      find(".marks").append(mark);
    }
    let sound = null;
    const play = () => {
      if (animator.playing) animator.pause(); else animator.play();
      sound?.update();
    };
    const move = (t) => {
      const inside = Math.min(Math.max(t - start, 0), animator.duration - 1e-4);
      animator.seek(inside);
      animator.display_progress(inside);
    };
    const seek = (t) => { move(t); sound?.update(); };
    find(".play").onclick = play;
    slider.oninput = () => seek(start + Number(slider.value));
    find(".speed").onchange = (event) => {
      animator.mixer.timeScale = Number(event.target.value);
      sound?.update();
    };
    window.addEventListener("keydown", (event) => {
      // A focused button has its own opinion about the space bar.
      if (event.target.closest?.("button, select, input[type=text]")) return;
      const step = { ArrowLeft: -0.1, ArrowRight: 0.1 }[event.code];
      if (event.code === "Space") play();
      else if (event.code === "KeyM" && sound) sound.toggle();
      else if (step) seek(start + animator.time + step);
      else return;
      event.preventDefault();
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
      play: () => animator.playing || play(),
      pause: () => animator.playing && play(),
      seek: (t) => { window.backbeat.pause(); seek(t); },
      time: () => start + animator.time,
      now, sound,
    };
    // Oftener than the picture, which may be slow.
    if (sound) setInterval(sound.update, 40);
    // Asked by Meshcat before it draws, so that a trail ends where its stick is.
    viewer.render_callback = () => ageTrails(start + animator.time);
    let before = 0;
    return () => {
      footer.classList.toggle("playing", animator.playing);
      slider.value = animator.time;
      if (animator.playing && animator.time < before - 0.5 * animator.duration)
        window.parent.postMessage({ backbeat: "ended" }, "*");
      before = animator.time;
      return start + animator.time;
    };
  }

  // --- live ------------------------------------------------------------------------
  function followServer() {
    root.classList.add("live");
    let state = { time: start, rate: 0, asked: performance.now() }, edition = 0;
    const renew = async () => {
      if (state.world !== info.world) location.reload();
      if (state.edition === edition) return;
      edition = state.edition;
      Object.assign(info, await (await fetch("info")).json());
      introduce();
    };
    const ask = async () => {
      let pause = 50;
      try {
        state = await (await fetch("state")).json();
        await renew();
        info.remarks = state.remark ? [{ time: -1e9, text: state.remark }] : [];
        say("pace", state.pace ?? "");
        (state.trails ?? []).forEach(showTrail);
      } catch {
        state = { ...state, rate: 0 };
        info.remarks = [{ time: -1e9, text: "the show is over" }];
        pause = 2000;
      }
      state.asked = performance.now();
      setTimeout(ask, pause);
    };
    ask();
    viewer.render_callback = () => ageTrails(state.time);
    // Between two answers time goes on, but not for long.
    return () => {
      const since = Math.min((performance.now() - state.asked) / 1000, 0.2);
      const t = state.time + state.rate * since;
      say("live clock", clock(t));
      return t;
    };
  }

  // --- the ghost: only where the robot is not --------------------------------------
  const pushedBack = (shader) => {
    // Its depth is that of a place half a meter farther away.
    shader.vertexShader = shader.vertexShader.replace("#include <project_vertex>", `
      #include <project_vertex>
      vec4 behind = projectionMatrix * (mvPosition - vec4(0.0, 0.0, 0.5, 0.0));
      gl_Position.z = behind.z / behind.w * gl_Position.w;`);
  };
  function dressGhost() {
    const ghost = info.layers.find(({ path }) => path.includes("ghost"));
    if (!ghost) return;
    node(ghost.path).object.traverse((part) => {
      if (!part.material || part.userData.dressed) return;
      part.userData.dressed = true;
      part.castShadow = part.receiveShadow = false;
      part.material.onBeforeCompile = pushedBack;
      part.material.needsUpdate = true;
    });
  }

  // --- hits: they glow whatever the light -------------------------------------------
  function dressHits() {
    const T = MeshCat.THREE;
    if (!("hits" in viewer.scene_tree.children)) return;
    node("/hits").object.traverse((part) => {
      if (!part.material || part.userData.dressed) return;
      part.userData.dressed = true;
      part.castShadow = part.receiveShadow = false;
      part.material = new T.MeshBasicMaterial({
        color: part.material.color, transparent: true, depthWrite: false, opacity: 0,
      });
    });
  }

  // --- a picture higher than wide shows as much to the sides as others ---------------
  function widen() {
    const camera = viewer.camera, ratio = innerWidth / innerHeight / info.aspect;
    camera.userData.zoom ??= camera.zoom;
    camera.zoom = camera.userData.zoom * Math.min(1, ratio);
    camera.updateProjectionMatrix();
    viewer.set_dirty();
  }

  const whenReady = (begin) => {
    if ((window.messages ?? 0) < info.messages) setTimeout(() => whenReady(begin), 50);
    else begin();
  };
  whenReady(() => {
    dressHits();
    widen();
    window.addEventListener("resize", widen);
    const packed = document.getElementById("backbeat-motion");
    const now = packed ? playRecording(JSON.parse(packed.textContent)) : followServer();
    const update = () => {
      caption(now());
      switches.forEach((refresh) => refresh());
      dressGhost();
      dressHits();
      requestAnimationFrame(update);
    };
    update();
  });
})();
