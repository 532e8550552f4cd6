// A robot that is driven: arrow keys, a gamepad and the pad on the page say, for as long
// as they are held, how it walks. The server stops it when they say nothing more.
window.makeDrive = ({ find }, send, state) => {
  const { make } = window.makeForm(find(".panel"));
  // Forward, to the left and turning, as shares of the largest velocities.
  const DIRECTIONS = {
    forward: [1, 0, 0], backward: [-1, 0, 0], "to the left": [0, 1, 0],
    "to the right": [0, -1, 0], "turn left": [0, 0, 1], "turn right": [0, 0, -1],
  };
  const KEYS = {
    ArrowUp: "forward", ArrowDown: "backward", ArrowLeft: "turn left",
    ArrowRight: "turn right", q: "to the left", e: "to the right",
  };
  // Buttons of a gamepad's cross, the stick positions that count as none, and what is
  // told how often [ms].
  const CROSS = { 12: "forward", 13: "backward", 14: "turn left", 15: "turn right" };
  const DEAD = 0.15, AGAIN = 300, OFTEN = 80;
  const held = new Set();
  let share = 0.5, told = [0, 0, 0], toldAt = -Infinity;
  const drive = () => (state().mode === "driven" ? state().drive : null);

  function stick() {
    const pads = [...(navigator.getGamepads?.() ?? [])].filter(Boolean);
    const pad = pads.find(({ axes, buttons }) =>
      axes.some((x) => Math.abs(x) > DEAD) || buttons.some(({ pressed }) => pressed));
    if (!pad) return [0, 0, 0];
    const [x = 0, y = 0, turn = 0] = pad.axes.map((a) => (Math.abs(a) > DEAD ? -a : 0));
    const pressed = Object.entries(CROSS).filter(([k]) => pad.buttons[k]?.pressed);
    return pressed.reduce((sum, [, way]) => sum.map((s, i) => s + DIRECTIONS[way][i]), [y, x, turn]);
  }
  // Tells the server what is held, when it is something else and now and then.
  function tell() {
    if (!drive()?.fastest) return;
    const sum = [...held].reduce((s, way) => s.map((x, i) => x + DIRECTIONS[way][i]), stick());
    const wish = sum.map((x, i) => Math.round(
      100 * share * Math.min(Math.max(x, -1), 1) * drive().fastest[i]) / 100);
    const since = performance.now() - toldAt, moves = wish.some(Boolean);
    const isNew = wish.some((x, i) => x !== told[i]);
    if (isNew ? moves && since < OFTEN : !moves || since < AGAIN) return;
    [told, toldAt] = [wish, performance.now()];
    send("drive", wish);
  }
  setInterval(tell, OFTEN / 2);
  const hold = (way, on) => { (on ? held.add(way) : held.delete(way)); tell(); };
  const stop = () => { held.clear(); [told, toldAt] = [[0, 0, 0], performance.now()]; send("drive", told); };

  // --- keys: before those of the time line, which has the arrows otherwise -------------
  const keyOf = ({ key }) => KEYS[key.length === 1 ? key.toLowerCase() : key];
  window.addEventListener("keydown", (event) => {
    const way = keyOf(event);
    if (!way || !drive() || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target.closest?.("dialog, select, input")) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    hold(way, true);
  }, true);
  window.addEventListener("keyup", (event) => {
    if (keyOf(event)) hold(keyOf(event), false);
  }, true);
  const release = () => { held.clear(); tell(); };
  window.addEventListener("blur", release);
  document.addEventListener("visibilitychange", release);

  // --- the pad -----------------------------------------------------------------------
  const SIGNS = [["↺", "turn left"], ["↑", "forward"], ["↻", "turn right"],
    ["←", "to the left"], ["↓", "backward"], ["→", "to the right"]];
  const named = (way) => Object.keys(KEYS).find((key) => KEYS[key] === way);
  const buttons = SIGNS.map(([sign, way]) => {
    const title = `Walk ${way}, held down (${named(way).replace("Arrow", "arrow ")})`;
    const button = make("button", { type: "button", textContent: sign, title });
    button.setAttribute("aria-label", way);
    button.onpointerdown = (event) => {
      button.setPointerCapture(event.pointerId);
      hold(way, true);
    };
    button.onpointerup = button.onpointercancel = () => hold(way, false);
    button.oncontextmenu = (event) => event.preventDefault();
    return button;
  });
  const speed = make("input", { type: "range", min: 0.1, max: 1, step: 0.05, value: share });
  speed.setAttribute("aria-label", "walking speed");
  speed.oninput = () => { share = Number(speed.value); tell(); };
  const halt = make("button", { type: "button", className: "halt", textContent: "stop", title: "Stop, and stand (x)" });
  halt.onclick = stop;
  const said = make("output");
  const pad = find(".drive");
  pad.append(make("div", { className: "ways" }, ...buttons),
    make("label", { title: "Share of the highest speed that steps allow" }, speed, said), halt);

  const words = (fastest) => {
    const digits = (x) => `${(share * x).toFixed(2)}`;
    return `${digits(fastest[0])} m/s`;
  };
  const follow = window.makeFollower();
  const nothing = () => {};
  return {
    keys: {
      ArrowUp: ["walk forward (in driven)", nothing],
      ArrowDown: ["walk backward", nothing],
      q: ["walk to the left", nothing], e: ["walk to the right", nothing],
      x: ["stop walking", () => drive() && stop()],
    },
    refresh() {
      const now = drive();
      if (pad.hidden !== !now) pad.hidden = !now;
      follow(now ? state().place : null);
      if (!now) return;
      buttons.forEach((button, i) =>
        button.classList.toggle("held", told[DIRECTIONS[SIGNS[i][1]].findIndex(Boolean)]
          * DIRECTIONS[SIGNS[i][1]].find(Boolean) > 0));
      if (said.textContent !== words(now.fastest)) said.textContent = words(now.fastest);
    },
  };
};

// Camera, lights and a floor that go with a robot that walks away. Its place is where it
// is on the ground [m]; null for one that stays.
window.makeFollower = () => {
  const T = MeshCat.THREE, GLIDE = 0.25, TILE = 0.5, SIZE = 24;
  const lights = viewer.scene_tree.find(["Lights"]).object;
  // No light reaches so far: the ground has its color without, and shadows drawn on it.
  const ground = new T.Mesh(new T.CircleGeometry(SIZE, 64),
    new T.MeshBasicMaterial({ color: 0x444b56 }));
  const shade = new T.Mesh(new T.CircleGeometry(3, 32), new T.ShadowMaterial({ opacity: 0.35 }));
  shade.receiveShadow = true;
  shade.position.z = 2e-3;
  const lines = new T.GridHelper(SIZE, SIZE / TILE, 0x59616d, 0x59616d);
  // Meshcat's world has z up, a grid of three.js y.
  lines.rotation.x = Math.PI / 2;
  lines.position.z = 1e-3;
  const floor = new T.Group();
  floor.add(ground, lines, shade);
  viewer.set_object(["ground to walk on"], floor);
  const node = viewer.scene_tree.find(["ground to walk on"]).object;
  node.visible = false;
  let start = null, at = [0, 0], before = performance.now();

  function light(x, y) {
    lights.position.set(x, y, 0);
    lights.traverse(({ target }) => {
      // Targets are beside the scene, which three.js has with y up.
      target?.position.set(x, 0, -y);
      target?.updateMatrixWorld();
    });
  }
  return (place) => {
    const now = performance.now(), seconds = (now - before) / 1000;
    before = now;
    if (Boolean(place) !== node.visible) {
      node.visible = Boolean(place);
      [start, at] = [place, [0, 0]];
      light(0, 0);
      viewer.set_dirty();
    }
    if (!place) return;
    const by = [0, 1].map((k) =>
      (place[k] - start[k] - at[k]) * (1 - Math.exp(-seconds / GLIDE)));
    if (Math.hypot(...by) < 1e-5) return;
    at = at.map((x, k) => x + by[k]);
    const shift = new T.Vector3(by[0], 0, -by[1]);
    viewer.camera.position.add(shift);
    viewer.controls.target.add(shift);
    light(...at);
    node.position.set(...at.map((x, k) => TILE * Math.round((x + start[k]) / TILE)), -4e-3);
    viewer.set_dirty();
  };
};
