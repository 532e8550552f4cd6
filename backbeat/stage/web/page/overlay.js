// Caption and layer switches over a Meshcat page; what plays it is in recording.js or
// live.js. `viewer` is Meshcat's.
(() => {
  const info = JSON.parse(document.getElementById("backbeat-info").textContent);
  const root = document.getElementById("overlay");
  const find = (selector) => root.querySelector(selector);
  const node = (path) => viewer.scene_tree.find(path.split("/").filter(Boolean));
  const say = (what, text) => {
    const element = find(`[data-say="${what}"]`);
    if (element && element.textContent !== text) element.textContent = text;
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
    showDots(info.bars[0]?.[2] ?? 0);
    root.classList.toggle("plays", Boolean(info.plays));
    if (!info.bars.length) say("bar", "");
    listLayers();
  }

  // A dot a beat of the bar: seven in 7/8, and fewer where the next meter cuts it.
  function showDots(count) {
    const dots = find(".beats");
    if (dots.childElementCount !== count)
      dots.replaceChildren(
        ...Array.from({ length: count }, () => document.createElement("i")));
  }

  // Hold or Goto, and the path variable s from 0 to 1; by hand where they differ.
  function pathWords(t) {
    const now = info.paths.filter(({ start, end }) => start <= t && t < end);
    const said = now.map(({ part, kind, start, end, where }) => [part,
      `${kind} ${where}, s = ${((t - start) / (end - start)).toFixed(2)}`]);
    const same = now.length > 1 && now.every(({ kind, start, end }) => kind === now[0].kind
      && start === now[0].start && end === now[0].end);
    if (same) {
      const places = [...new Set(now.map(({ where }) => where))].join(" and ");
      const { kind, start, end } = now[0];
      return `${kind} ${places}, s = ${((t - start) / (end - start)).toFixed(2)}`;
    }
    return said.map(([part, words]) => `${part} ${words}`.trim()).join(" · ");
  }

  function caption(t) {
    if (info.bars.length) {
      const after = info.beats.findIndex((time) => time > Math.max(t, 0) + 1e-6);
      const [bar, number, count] = info.bars[(after < 0 ? info.beats.length : after) - 1];
      say("bar", bar > 0 ? `bar ${bar}` : "lead-in");
      showDots(count);
      [...find(".beats").children].forEach((dot, i) =>
        dot.classList.toggle("now", t >= 0 && i === number - 1));
    }
    const segment = last(info.segments, t);
    const now = segment && t < segment.time + segment.duration;
    say("segment", now ? segment.name : "");
    say("path", pathWords(t));
    say("remark", last(info.remarks, t)?.text ?? "");
    for (const [what, said] of Object.entries(info.sayings ?? {}))
      say(what, said.findLast(([time]) => time <= t)?.[1] ?? "");
    say("clock", clock(t));
  }

  // --- layers ------------------------------------------------------------------
  let switches = [];
  function listLayers() {
    switches = info.layers.map(({ name, path, color, hint }) => {
      const button = document.createElement("button");
      button.type = "button";
      button.style.setProperty("--color", color);
      button.textContent = name;
      button.title = hint;
      button.onclick = () => {
        node(path).set_property("visible", !node(path).object.visible, [path]);
        viewer.set_dirty();
      };
      return { button, path };
    });
    find("aside").replaceChildren(...switches.map(({ button }) => button));
  }
  function refreshLayers() {
    for (const { button, path } of switches) {
      const on = String(node(path).object.visible);
      if (button.getAttribute("aria-pressed") !== on)
        button.setAttribute("aria-pressed", on);
    }
  }
  // On a narrow picture, panels open one at a time.
  const opened = [[".show-layers", "layers"], [".show-panel", "panel"]];
  for (const [selector, name] of opened)
    find(selector).onclick = () => {
      const on = root.dataset.opened === name ? "" : name;
      root.dataset.opened = on;
      for (const [other, own] of opened)
        find(other).setAttribute("aria-expanded", own === on);
    };

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
  // The server may aim the camera at any time, before or after the page has its size.
  let aimed, mine;
  function widen() {
    const { offsetWidth, offsetHeight } = document.getElementById("meshcat-pane");
    const camera = viewer.camera, ratio = offsetWidth / offsetHeight / info.aspect;
    if (camera.zoom !== mine) aimed = camera.zoom;
    mine = camera.zoom = aimed * Math.min(1, ratio);
    camera.updateProjectionMatrix();
    viewer.set_dirty();
  }

  // --- what is loaded yet: messages of a recording, then the robot's parts -------------
  function showLoading() {
    const cover = document.getElementById("loading"), bar = cover.querySelector("progress");
    const began = performance.now();
    const hasMesh = (path) => {
      let found = false;
      node(path).object.traverse(({ isMesh }) => (found ||= isMesh));
      return found;
    };
    const look = () => {
      const come = Math.min(window.messages ?? 0, info.messages);
      const parts = come < info.messages ? 0 : info.bodies.filter(hasMesh).length;
      [bar.value, bar.max] = [come + parts, info.messages + info.bodies.length];
      cover.querySelector("span").textContent = come < info.messages
        ? `message ${come} of ${info.messages}` : `part ${parts} of ${info.bodies.length}`;
      // What does not come at all shall not hide the rest.
      if (parts === info.bodies.length || performance.now() - began > 20_000) cover.remove();
      else setTimeout(look, 60);
    };
    look();
  }
  // Meshcat's own, until the stage is dressed.
  for (const name of ["Grid", "Axes"]) viewer.set_property([name], "visible", false);

  const drawing = window.makeDrawing();
  const stage = { info, root, find, say, clock, introduce, showTrail, ageTrails };
  introduce();
  showLoading();
  const whenReady = (begin) => {
    if ((window.messages ?? 0) < info.messages) setTimeout(() => whenReady(begin), 50);
    else begin();
  };
  window.drawing = drawing;
  whenReady(() => {
    dressHits();
    widen();
    window.addEventListener("resize", widen);
    const packed = document.getElementById("backbeat-motion");
    const now = packed ? window.playRecording(stage, JSON.parse(packed.textContent))
      : window.followServer(stage);
    const update = () => {
      if (viewer.camera.zoom !== mine) widen();
      caption(now());
      refreshLayers();
      dressGhost();
      dressHits();
      // Each change of a word is drawn, too.
      if (drawing().isPlain) setTimeout(update, 60);
      else requestAnimationFrame(update);
    };
    update();
  });
})();
