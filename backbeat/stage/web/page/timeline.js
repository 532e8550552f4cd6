// The timeline of what is edited: ruler, what is on stage, and the tools and keys of all.
window.makeTimeline = (stage, deck, notice, send) => {
  const { info, root } = stage, offers = info.timeline;
  const body = document.createElement("section");
  body.id = "timeline";
  body.append(document.getElementById("desk").content.cloneNode(true));
  body.dataset.kind = offers.kind;
  body.classList.toggle("recorded", Boolean(offers.document));
  document.body.append(body);
  document.body.classList.add("authoring");
  root.classList.add("authoring");
  window.dispatchEvent(new Event("resize"));
  const find = (selector) => body.querySelector(selector);
  const view = { beat: 30, snap: 0.5 };
  let zoom = 1, doc = null;
  const dance = window.openDocument(info, notice);
  const says = (text) => { find(".says").textContent = text; };
  // Beats and times: those of a score follow its changes of tempo.
  const beatLength = () => 60 / (doc?.timeline.bpm || 98);
  function beatOf(time) {
    const times = doc?.timeline.times;
    if (!times?.length) return time / beatLength();
    const i = Math.min(Math.max(times.findLastIndex((t) => t <= time), 0), times.length - 2);
    return i + ((time - times[i]) / (times[i + 1] - times[i])) * (lastBeat(i + 1) - i);
  }
  function timeOf(beat) {
    const times = doc?.timeline.times;
    if (!times?.length) return beat * beatLength();
    const i = Math.min(Math.max(Math.floor(beat), 0), times.length - 2);
    return times[i] + ((beat - i) / (lastBeat(i + 1) - i)) * (times[i + 1] - times[i]);
  }
  const lastBeat = (i) => Math.min(i, doc.timeline.beats);
  const placeOf = (beat) => {
    const bars = doc.timeline.bars, last = bars.findLast(([start]) => start <= beat + 1e-6);
    return last ? `bar ${last[1]} beat ${+(beat - last[0] + 1).toFixed(3)}` : `beat ${beat}`;
  };
  // --- tools ---------------------------------------------------------------------------
  const opened = (name) => {
    body.dataset.opened = body.dataset.opened === name ? "" : name;
    find(".add").setAttribute("aria-expanded", body.dataset.opened === "palette");
    draw();
  };
  const desk = { info, body, find, view, offers, document_: dance, deck, says, placeOf, beatOf, timeOf, opened, notice, draw };
  const KINDS = { score: window.makeDrums, setlist: window.makeSetlist, dance: window.makeDance };
  const content = KINDS[offers.kind](desk);
  const music = window.makeMusic(desk), trial = window.makeTrial(desk, send);
  const tools = {
    simulate: trial.toggle,
    share: () => send("share"),
    undo: () => dance.undo(),
    redo: () => dance.redo(),
    set: () => opened("values"),
    nearer: () => { zoom = Math.min(8, zoom * 1.4); draw(); },
    farther: () => { zoom = Math.max(1, zoom / 1.4); draw(); },
    ...content.tools,
  };
  for (const [name, act] of Object.entries(tools)) find(`.${name}`).onclick = act;
  find(".snap").onchange = ({ target }) => { view.snap = Number(target.value); target.blur(); draw(); };
  const KEYS = { b: music.tap, x: trial.toggle, "ctrl z": tools.undo, "ctrl y": tools.redo, "ctrl shift z": tools.redo };
  window.addEventListener("keydown", (event) => {
    if (event.target.closest?.("input, select, textarea, dialog")) return;
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const held = [(event.ctrlKey || event.metaKey) && "ctrl", event.shiftKey && "shift"];
    const key = [...held.filter(Boolean), name].join(" ");
    const act = offers.document ? null : KEYS[key] ?? content.key(key);
    if (!act) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    act();
  }, true);

  // --- the ruler and the playhead ------------------------------------------------------
  const ruler = find(".ruler"), scroll = find(".scroll"), head = find(".playhead");
  const seek = (event) => deck.seek(
    timeOf(Math.max(0, (event.clientX - ruler.getBoundingClientRect().left) / view.beat)));
  ruler.onpointerdown = (event) => {
    ruler.setPointerCapture(event.pointerId);
    seek(event);
    ruler.onpointermove = seek;
  };
  ruler.onpointerup = ruler.onpointercancel = () => { ruler.onpointermove = null; };

  function draw() {
    if (!doc || content.isHeld()) return;
    const { beats, bars } = doc.timeline, length = content.length(doc.timeline);
    view.beat = Math.max(content.least ?? 5, ((scroll.clientWidth - 12) / length) * zoom);
    find(".sheet").style.width = `${length * view.beat + 8}px`;
    body.style.setProperty("--beat", `${view.beat}px`);
    body.style.setProperty("--snap", `${view.snap * view.beat}px`);
    ruler.replaceChildren(...bars.map(([start, number], i) => {
      const mark = document.createElement("span");
      mark.style.left = `${start * view.beat}px`;
      const every = Math.ceil(26 / (4 * view.beat));
      if (i % every === 0) mark.textContent = number;
      return mark;
    }));
    find(".over").style.left = `${beats * view.beat}px`;
    music.draw(length);
    content.draw(doc);
    find(".names").replaceChildren(...[...find(".lanes").querySelectorAll(".lane")].map((lane) => {
      const name = document.createElement("span");
      name.textContent = lane.dataset.track;
      name.style.height = lane.style.height;
      return name;
    }));
    drawLimits();
    trial.draw(length);
    find(".undo").disabled = !doc.undo;
    find(".redo").disabled = !doc.redo;
    find(".hint").hidden = !content.isEmpty(doc.timeline);
  }
  function drawLimits() {
    const bars = doc.limits.map(({ kind, what, from_s: from, to_s: to }) => {
      const bar = document.createElement("i");
      bar.style.left = `${beatOf(from) * view.beat}px`;
      bar.style.width = `${Math.max(3, (beatOf(to) - beatOf(from)) * view.beat)}px`;
      bar.title = `${kind.replace("_", " ")} of ${what}, ${from.toFixed(1)} to ${to.toFixed(1)} s`;
      return bar;
    });
    find(".limits").replaceChildren(...bars);
  }
  dance.listen((found) => { doc = found; draw(); });
  window.addEventListener("resize", () => draw());

  // --- what is on stage, and how far the work is ---------------------------------------
  const SHOWN = { verified: "verified", preview: "preview", nothing: "standing", simulated: "simulated" };
  function words(state) {
    const seen = SHOWN[state.shown] ?? "", old = state["is shown now"] ? "" : " of before";
    const percent = Math.round(100 * (state.share ?? 0));
    const work = {
      checked: "checked, reading …", preview: "solving …", solving: `solving ${percent} %`,
      verified: `in ${(state.took ?? 0).toFixed(1)} s`, refused: "refused", empty: "nothing yet",
    }[state.phase] ?? "";
    return [`${seen}${old}`, state.trial || work];
  }
  let said = "";
  function refresh() {
    const state = deck.state();
    dance.follow(state.script);
    content.refresh(state);
    music.refresh(state);
    trial.refresh(state);
    head.style.translate = `${beatOf(state.time) * view.beat}px 0`;
    const [seen, work] = words(state), now = `${seen} ${work}`;
    if (now !== said) {
      said = now;
      const chip = find(".shown");
      chip.textContent = seen;
      chip.dataset.shown = state["is shown now"] ? state.shown : "old";
      find(".work").textContent = work;
      find(".work").classList.toggle("fails", state.phase === "refused");
    }
    const mark = offers.kind !== "dance" && doc?.timeline.marks[0];
    const why = doc?.refusal?.sentence ?? (mark ? mark.sentence : "");
    if (find(".why").textContent !== why) find(".why").textContent = why;
  }
  const keys = offers.document ? {} : { ...content.help, b: "tap the tempo of a recording", x: "simulation on, off", "Ctrl Z": "undo", "Ctrl Y": "redo" };
  return {
    refresh, dance, view, content, music, blocks: content.blocks, beatOf, timeOf,
    keys: Object.fromEntries(Object.entries(keys).map(([key, what]) => [key, [what, () => {}]])),
  };
};
