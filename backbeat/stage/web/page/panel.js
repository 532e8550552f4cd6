// What is done to a simulation: pushes, settings, hands. The server says what there is
// and in which range; it has the last word about every value.
window.makePanel = ({ info, find }, send, state) => {
  const panel = find(".panel"), opener = find(".show-panel"), offer = info.panel;
  const { make, group, slider, toggle, refreshers } = window.makeForm(panel);
  const settings = () => state().settings ?? {};
  const set = (name, to) => send("set", { name, to });

  // --- push ---------------------------------------------------------------------
  const own = { impulse: 60, direction: 0, body: offer.bodies[0] };
  const push = (impulse, body = own.body) => send("push", { body, impulse });
  const shove = (degrees = own.direction) => {
    const a = (degrees * Math.PI) / 180;
    push([Math.cos(a), Math.sin(a), 0].map((x) => own.impulse * x));
  };
  // As one looks: 0 is away from the viewer, 90 to the left on the screen.
  const aimed = (degrees) => {
    const sight = viewer.camera.getWorldDirection(new MeshCat.THREE.Vector3());
    // Meshcat's world has z up, three.js y.
    const heading = (Math.atan2(-sight.z, sight.x) * 180) / Math.PI + degrees;
    own.direction = Math.round(((heading + 540) % 360) - 180);
    shove();
  };
  window.makePushDrag(offer, () => state().mode !== "planned", push);
  const body = make("select", { className: "body", title: "The link that is pushed" },
    ...offer.bodies.map((name) => make("option", { value: name, textContent: name })));
  body.onchange = () => { own.body = body.value; body.blur(); };
  const DIRECTIONS = [
    ["↖", 45], ["↑", 0], ["↗", -45], ["←", 90], [null], ["→", -90],
    ["↙", 135], ["↓", 180], ["↘", -135],
  ];
  const NAMED = { 0: "away from you", 90: "to the left", 180: "towards you", "-90": "to the right" };
  const pad = make("div", { className: "pad" }, ...DIRECTIONS.map(([arrow, degrees]) => {
    if (!arrow) return make("span", { textContent: "aim" });
    const button = make("button", { type: "button", textContent: arrow });
    button.title = `Push the robot ${NAMED[degrees] ?? "diagonally"} now, in the direction of the view`;
    button.dataset.way = degrees;
    button.onclick = () => aimed(degrees);
    return button;
  }));
  const go = make("button", { type: "button", className: "shove", textContent: "push" });
  go.onclick = () => shove();
  group("push",
    make("label", {}, make("span", { textContent: "at the" }), body),
    slider({ label: "impulse", unit: "N s", low: 5, high: offer["most impulse"], step: 5,
      hint: "over a tenth of a second" },
      () => own.impulse, (x) => (own.impulse = x)),
    slider({ label: "direction", unit: "°", low: -180, high: 180, step: 5,
      hint: "0 is forward, 90 to the robot's left" },
      () => own.direction, (x) => (own.direction = x)),
    make("div", { className: "pushes" }, pad, go),
    make("small", { textContent: "arrows in the direction of the view; or drag a part of the robot" }));

  // --- other disturbances, as their schemas have them ---------------------------------
  for (const [name, sliders] of Object.entries(offer.disturbances)) {
    const values = Object.fromEntries(sliders.map((one) => [one.name, one.usual]));
    const add = make("button", { type: "button", className: "add", textContent: `add ${name}` });
    add.dataset.disturbance = name;
    add.onclick = () => send("disturb", { name, values });
    group(name, ...sliders.map((one) =>
      slider(one, () => values[one.name], (x) => (values[one.name] = x))), add);
  }

  // --- what may adapt ---------------------------------------------------------------
  const toggles = offer.toggles.map((one) =>
    toggle(one, () => settings()[one.name] ?? true, (on) => set(one.name, on)));
  group("adaptations of the plan", make("div", { className: "toggles" }, ...toggles));

  // --- numbers ------------------------------------------------------------------------
  const sense = make("select", { className: "sense",
    title: "State that the controllers read; restarts the simulation" },
    make("option", { value: "true", textContent: "the true state" }),
    make("option", { value: "estimated", textContent: "sensors" }));
  sense.onchange = () => { send("sense", sense.value); sense.blur(); };
  refreshers.push(() => {
    if (document.activeElement !== sense && state().sense) sense.value = state().sense;
  });
  const engine = make("select", { className: "engine",
    title: "Physics engine; restarts the simulation" },
    make("option", { value: "drake", textContent: "Drake" }),
    make("option", { value: "mujoco", textContent: "MuJoCo" }));
  engine.onchange = () => { send("engine", engine.value); engine.blur(); };
  refreshers.push(() => {
    if (document.activeElement !== engine && state().engine) engine.value = state().engine;
  });
  const detail = make("select", { className: "detail",
    title: "What is reduced on a slow machine: frame rate, detection of unknown forces, time step; the step changes with a reset" },
    make("option", { value: "auto", textContent: "automatic" }),
    make("option", { value: "full", textContent: "full" }),
    make("option", { value: "least", textContent: "least" }));
  detail.onchange = () => { send("detail", detail.value); detail.blur(); };
  refreshers.push(() => {
    if (document.activeElement !== detail && state().detail) detail.value = state().detail;
  });
  const [music, world] = [[], []];
  for (const one of offer.sliders) {
    const row = slider(one, () => settings()[one.name], (x) => set(one.name, x));
    row.dataset.setting = one.name;
    (["tempo", "beat_priority"].includes(one.name) ? music : world).push(row);
    if (one.needs) refreshers.push(() => {
      row.hidden = state().sense !== one.needs;
    });
  }
  const beat = group("music", ...music);
  // A robot that is driven has its speed from the commands.
  refreshers.push(() => (beat.hidden = state().mode === "driven"));
  group("world", ...world,
    make("label", {}, make("span", { textContent: "state source" }), sense),
    make("label", {}, make("span", { textContent: "engine" }), engine),
    make("label", {}, make("span", { textContent: "detail" }), detail));

  // --- hands ----------------------------------------------------------------------------
  if (offer.hands.length) {
    let hand = offer.hands[0];
    const pick = make("select", { className: "hand" }, ...offer.hands.map((name) =>
      make("option", { value: name, textContent: name.replace("_", " ") })));
    pick.onchange = () => { hand = pick.value; pick.blur(); };
    const place = () => settings()[hand] ?? [0, 0, 0];
    // Two sliders may be moved within one answer of the server.
    let asked = {};
    const move = (k) => (x) => {
      const to = [...(asked[hand]?.until > performance.now() ? asked[hand].to : place())];
      to[k] = x;
      asked[hand] = { to, until: performance.now() + 500 };
      set(hand, to);
    };
    const home = make("button", { type: "button", textContent: "back to the plan" });
    home.className = "home";
    home.onclick = () => { asked = {}; set(hand, [0, 0, 0]); };
    const far = offer["most offset"] / 2;
    group("hand target",
      make("label", {}, make("span", { textContent: "move the" }), pick),
      ...["forward", "to its left", "up"].map((label, k) =>
        slider({ label, unit: "m", low: -far, high: far, step: 0.01 },
          () => place()[k], move(k))),
      home);
  }

  refreshers.push(window.makeWeights(panel, { make, slider, refreshers }, send, state));
  const undo = make("button", { type: "button", className: "undo", textContent: "undo" });
  undo.title = "Undo the last setting (u)";
  undo.onclick = () => send("undo");
  refreshers.push(() => (undo.disabled = !state().undo));
  const reset = make("button", { type: "button", className: "reset", textContent: "reset" });
  reset.title = "Restart with the initial settings (r)";
  reset.onclick = () => send("reset");
  const save = make("button", { type: "button", className: "save", textContent: "save run" });
  save.title = "Write a run file, which backbeat replay repeats";
  save.onclick = () => send("save");
  panel.append(make("div", { className: "ends" }, undo, reset, save));

  refreshers.push(window.makePlots(group, make, state));

  const flip = (k) => () => toggles[k]?.click();
  const inSimulation = (act) => () => state().mode !== "planned" && act();
  const keys = {
    w: ["push away from you", () => aimed(0)], s: ["push towards you", () => aimed(180)],
    a: ["push to the left", () => aimed(90)], d: ["push to the right", () => aimed(-90)],
    "#1": ["timing on, off", flip(0)], "#2": ["forces on, off", flip(1)],
    "#3": ["posture on, off", flip(2)], "#4": ["steps on, off", flip(3)],
    u: ["undo a setting", () => send("undo")], r: ["reset", () => send("reset")],
  };
  for (const entry of Object.values(keys)) entry[1] = inSimulation(entry[1]);
  return {
    keys,
    refresh: () => {
      const on = state().mode && state().mode !== "planned";
      if (panel.hidden === on) panel.hidden = opener.hidden = !on;
      // Until the controllers are made there is nothing to change.
      panel.inert = !Object.keys(settings()).length;
      if (on) refreshers.forEach((refresh) => refresh());
    },
  };
};
