// What is done to a hand and its target. The server says what there is and in which
// range; it has the last word about every value.
window.makeTaskPanel = ({ info, find }, send, state) => {
  const panel = find(".panel"), opener = find(".show-panel"), offer = info.tasks;
  const { make, group, slider, toggle, refreshers } = window.makeForm(panel);
  const settings = () => state().settings ?? {};
  const set = (name, to) => send("set", { name, to });

  // --- target ---------------------------------------------------------------------
  // Two sliders or keys may move it within one answer of the server.
  let asked = { until: 0 };
  const place = () =>
    performance.now() < asked.until ? asked.to : settings().target ?? [0, 0, 0];
  const put = (to) => {
    asked = { to, until: performance.now() + 500 };
    return set("target", to);
  };
  const drag = window.makeTargetDrag(offer.drag, place, put);
  const far = offer["farthest"], most = offer.drag.farthest;
  const move = (k, by) => () => {
    const to = [...place()];
    to[k] = Math.round(1e3 * Math.min(Math.max(to[k] + by, -most), most)) / 1e3;
    put(to);
  };
  const home = make("button", { type: "button", textContent: "back to the start" });
  home.className = "home";
  home.onclick = () => put([0, 0, 0]);
  group("target",
    ...["forward", "to its left", "up"].map((label, k) => {
      const row = slider({ label, unit: "m", low: -far, high: far, step: 0.01 },
        () => place()[k], (x) => put(place().map((old, i) => (i === k ? x : old))));
      row.dataset.setting = `target ${"xyz"[k]}`;
      return row;
    }),
    make("small", { textContent: "or drag it in the scene; Shift or the wheel for depth" }),
    home);

  // --- switches and numbers ---------------------------------------------------------
  const toggles = offer.toggles.map((one) =>
    toggle(one, () => settings()[one.name] ?? true, (on) => set(one.name, on)));
  group("controller", make("div", { className: "toggles" }, ...toggles));
  for (const [title, rows] of Object.entries(offer.sliders))
    group(title, ...rows.map((one) => {
      const row = slider(one, () => settings()[one.name], (x) => set(one.name, x));
      row.dataset.setting = one.name;
      return row;
    }));
  const undo = make("button", { type: "button", className: "undo", textContent: "undo" });
  undo.title = "Undo the last setting (u)";
  undo.onclick = () => send("undo");
  refreshers.push(() => (undo.disabled = !state().undo));
  const reset = make("button", { type: "button", className: "reset", textContent: "reset" });
  reset.title = "Restart with the initial settings (r)";
  reset.onclick = () => { asked = { until: 0 }; send("reset"); };
  const save = make("button", { type: "button", className: "save", textContent: "save run" });
  save.title = "Write a run file, which backbeat replay repeats";
  save.onclick = () => send("save");
  panel.append(make("div", { className: "ends" }, undo, reset, save));

  const keys = {
    w: ["target forward", move(0, 0.02)], s: ["target backward", move(0, -0.02)],
    a: ["target to its left", move(1, 0.02)], d: ["target to its right", move(1, -0.02)],
    e: ["target up", move(2, 0.02)], q: ["target down", move(2, -0.02)],
    h: ["target back to the start", () => home.click()],
    ...Object.fromEntries(toggles.map((button, k) =>
      [`#${k + 1}`, [`${button.textContent} on, off`, () => button.click()]])),
    u: ["undo a setting", () => send("undo")], r: ["reset", () => reset.click()],
  };
  const inSimulation = (act) => () => state().mode === "simulated" && act();
  for (const entry of Object.values(keys)) entry[1] = inSimulation(entry[1]);
  return {
    keys,
    drag,
    refresh: () => {
      const on = state().mode === "simulated";
      if (panel.hidden === on) panel.hidden = opener.hidden = !on;
      panel.inert = !Object.keys(settings()).length;
      if (on) refreshers.forEach((refresh) => refresh());
    },
  };
};
