// A live page: its server says many times a second what to show, and hears what is
// asked for. Nothing waits for an answer.
window.followServer = (stage) => {
  const { info, root, find, say, clock, introduce, showTrail, ageTrails } = stage;
  root.classList.add("live");
  let state = { time: info.start, rate: 0, asked: performance.now() };
  let noticed = null, hidesAt = 0;

  function notice(text) {
    say("notice", text);
    find(".notice").hidden = !text;
    hidesAt = performance.now() + 7000;
  }
  async function send(name, value = null) {
    try {
      const answer = await fetch("command", {
        method: "POST", headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ do: name, value }),
      });
      if (!answer.ok) notice(await answer.text());
    } catch { notice("The stage does not respond."); }
  }
  const renew = async () => {
    if (state.world !== info.world) return location.reload();
    if (state.edition === info.edition) return;
    Object.assign(info, await (await fetch("info")).json());
    introduce();
  };
  const ask = async () => {
    let pause = 50;
    try {
      state = { ...(await (await fetch("state")).json()), ...expected() };
      await renew();
      // A robot that is driven leaves the order of its behavior.
      if (state.drive) Object.assign(info, { segments: [], marks: [], paths: [] });
      info.remarks = state.remark ? [{ time: -1e9, text: state.remark }] : [];
      for (const what of ["pace", "rate words", "solver", "busy", "means"])
        say(what, state[what] ?? "");
      const bar = find("progress.made");
      bar.hidden = !state.steps;
      if (state.steps) [bar.value, bar.max] = state.steps;
      (state.trails ?? []).forEach(showTrail);
      if (state.notice && noticed !== state.notice[0]) {
        if (noticed !== null || state.notice[0] > 0 && !info.greeted) notice(state.notice[1]);
        noticed = state.notice[0];
      }
    } catch {
      state = { ...state, rate: 0, playing: false };
      info.remarks = [{ time: -1e9, text: "the show is over" }];
      pause = 2000;
    }
    state.asked = performance.now();
    setTimeout(ask, pause);
  };
  viewer.render_callback = () => ageTrails(state.time);

  // Between two answers time goes on, but not for long.
  const time = () => {
    const since = Math.min((performance.now() - state.asked) / 1000, 0.2);
    return state.time + state.rate * since;
  };
  // What was asked for is shown at once, and for as long as an answer may be on its
  // way that does not know of it yet; then the server has the last word.
  const wishes = new Map();
  const expect = (what) => {
    Object.assign(state, what);
    for (const [key, value] of Object.entries(what))
      wishes.set(key, { value, until: performance.now() + 400 });
  };
  const forget = (...keys) => keys.forEach((key) => wishes.delete(key));
  function expected() {
    for (const [key, { until }] of wishes)
      if (performance.now() > until) wishes.delete(key);
    return Object.fromEntries([...wishes].map(([key, { value }]) => [key, value]));
  }
  const deck = {
    play: (on) => { forget("time", "rate"); expect({ playing: on }); send("play", on); },
    seek: (t) => {
      // Where nothing plays, time stays where it was put.
      const there = { time: t, rate: 0 };
      if (state.playing) Object.assign(state, there); else expect(there);
      send("seek", t);
    },
    step: (n) => send("step", n),
    leap: (n) => send("leap", n),
    beat: (k) => send("beat", k),
    speed: (x) => { expect({ speed: x }); send("speed", x); },
    loop: (on) => { expect({ loop: on }); send("loop", on); },
    state: () => ({ ...state, time: time() }),
  };
  const other = () => (state.mode === "planned" ? "simulated" : "planned");
  let refresh = () => {};
  if (info.plays) {
    const parts = info.timeline ? authored() : performed();
    const transport = window.makeTransport(stage, deck, parts.keys);
    refresh = () => {
      if (state.playing === undefined) return;
      transport();
      parts.refresh();
      if (performance.now() > hidesAt) find(".notice").hidden = true;
    };
  }
  // A timeline on which a dance is edited.
  function authored() {
    stage.timeline = window.makeTimeline(stage, deck, notice, send);
    return stage.timeline;
  }
  // What is chosen, planned or simulated, and done to a simulation.
  function performed() {
    const chooser = window.makeChooser(stage, send);
    const make = info.tasks ? window.makeTaskPanel : window.makePanel;
    const panel = make?.(stage, send, () => state);
    const drive = info.panel && window.makeDrive(stage, send, () => state);
    stage.drag = panel?.drag;
    const modes = [...find(".mode").children];
    find(".mode").hidden = false;
    modes.at(-1).hidden = !drive;
    modes.forEach((button) => {
      button.onclick = () => send("mode", button.dataset.mode);
    });
    if (!info.tasks) window.offerEdit(stage, send);
    return {
      keys: {
        p: ["planned or simulated", () => send("mode", other())],
        c: ["choose a behavior", chooser.toggle],
        ...drive && { g: ["drive the robot", () => send("mode", "driven")] },
        ...panel?.keys,
        ...drive?.keys,
      },
      refresh() {
        root.classList.toggle("simulated", state.mode !== "planned");
        root.classList.toggle("driven", state.mode === "driven");
        chooser.refresh(state);
        panel?.refresh();
        drive?.refresh();
        for (const button of modes)
          button.setAttribute("aria-pressed", button.dataset.mode === state.mode);
      },
    };
  }
  window.backbeat = { deck, send, state: () => state, time, drag: stage.drag, timeline: stage.timeline };
  ask();
  return () => {
    say("live clock", info.plays ? "" : clock(time()));
    refresh();
    return time();
  };
};
