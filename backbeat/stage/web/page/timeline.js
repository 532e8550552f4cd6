// The timeline of an authored dance: ruler, tracks, what is on stage, tools and keys.
window.makeTimeline = (stage, deck, notice) => {
  const { info, root } = stage, offers = info.timeline;
  const body = document.createElement("section");
  body.id = "timeline";
  body.append(document.getElementById("desk").content.cloneNode(true));
  document.body.append(body);
  document.body.classList.add("authoring");
  root.classList.add("authoring");
  window.dispatchEvent(new Event("resize"));
  const find = (selector) => body.querySelector(selector);
  const view = { beat: 30, snap: 0.5 };
  let zoom = 1, doc = null;
  const dance = window.openDocument(info, notice);
  const says = (text) => { find(".says").textContent = text; };
  const beatLength = () => 60 / (doc?.timeline.bpm || 98);
  const placeOf = (beat) => {
    const bars = doc.timeline.bars, last = bars.findLast(([start]) => start <= beat + 1e-6);
    return last ? `bar ${last[1]} beat ${+(beat - last[0] + 1).toFixed(3)}` : `beat ${beat}`;
  };
  const edit = async (what, choice) => {
    const done = await dance.edit(what);
    if (done && choice && !done.refused) blocks.chooseBy(choice);
    return done;
  };
  const opened = (name) => {
    body.dataset.opened = body.dataset.opened === name ? "" : name;
    find(".add").setAttribute("aria-expanded", body.dataset.opened === "palette");
    draw();
    if (body.dataset.opened === "palette" && !matchMedia("(pointer: coarse)").matches)
      palette.focus();
  };
  const blocks = window.makeBlocks(find(".lanes"), view, {
    edit, says, placeOf,
    revision: () => doc.revision,
    released: () => draw(),
    chosen: (block) => {
      for (const tool of body.querySelectorAll(".of-block")) tool.disabled = !block;
      values();
    },
  });
  const insert = ({ move, track, beats }, at) => {
    if (body.dataset.opened === "palette" && innerWidth <= 900) opened("palette");
    return edit({ edit: "insert", move, at, track }, { move, track, at, beats });
  };
  const palette = window.makePalette(find(".palette"), offers.palette, find(".lanes"), view, {
    insert, says, placeOf, snapped: blocks.snapped,
    playhead: () => Math.max(0, blocks.snapped(deck.state().time / beatLength())),
    close: () => opened("palette"),
  });
  const refreshValues = window.makeValues(find(".values"), offers, blocks, dance, () => opened("values"));
  function values() { if (doc) refreshValues(); }

  // --- tools ---------------------------------------------------------------------------
  const onBlock = (make) => () => edit(() => {
    const block = blocks.selected();
    return block && make(block);
  });
  const tools = {
    undo: () => dance.undo(),
    redo: () => dance.redo(),
    add: () => opened("palette"),
    set: () => opened("values"),
    mirror: onBlock(({ track, row }) => ({ edit: "mirror", track, row })),
    remove: onBlock(({ track, row }) => ({ edit: "delete", track, row })),
    copy: () => {
      const block = blocks.selected();
      if (!block) return null;
      const { track, row, move } = block, at = block.start + blocks.length(block);
      return edit({ edit: "copy", track, row, at }, { move, track, at });
    },
    nearer: () => { zoom = Math.min(8, zoom * 1.4); draw(); },
    farther: () => { zoom = Math.max(1, zoom / 1.4); draw(); },
  };
  const shifted = (by) => onBlock(({ track, row, start }) =>
    ({ edit: "move", track, row, at: Math.max(0, start + by * view.snap) }))();
  const longer = (by) => onBlock(({ track, row, start, beats }) => (
    { edit: "stretch", track, row, at: start, beats: Math.max(view.snap, beats + by * view.snap) }))();
  for (const [name, act] of Object.entries(tools)) find(`.${name}`).onclick = act;
  find(".snap").onchange = (event) => { view.snap = Number(event.target.value); };

  const KEYS = {
    ArrowLeft: () => shifted(-1), ArrowRight: () => shifted(1),
    "shift ArrowLeft": () => longer(-1), "shift ArrowRight": () => longer(1),
    m: tools.mirror, d: tools.copy, Delete: tools.remove, Backspace: tools.remove,
    Escape: () => blocks.choose(null),
  };
  const ALWAYS = {
    "ctrl z": tools.undo, "ctrl y": tools.redo, "ctrl shift z": tools.redo,
    "ctrl d": tools.copy, "[": () => blocks.next(-1), "]": () => blocks.next(1), a: tools.add,
  };
  window.addEventListener("keydown", (event) => {
    if (event.target.closest?.("input, select, textarea, dialog")) return;
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const held = [(event.ctrlKey || event.metaKey) && "ctrl", event.shiftKey && "shift"];
    const key = [...held.filter(Boolean), name].join(" ");
    const act = ALWAYS[key] ?? (blocks.selected() ? KEYS[key] : null);
    if (!act) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    act();
  }, true);

  // --- the ruler and the playhead ------------------------------------------------------
  const ruler = find(".ruler"), scroll = find(".scroll"), head = find(".playhead");
  const seek = (event) => deck.seek(
    Math.max(0, (event.clientX - ruler.getBoundingClientRect().left) / view.beat) * beatLength());
  ruler.onpointerdown = (event) => {
    ruler.setPointerCapture(event.pointerId);
    seek(event);
    ruler.onpointermove = seek;
  };
  ruler.onpointerup = ruler.onpointercancel = () => { ruler.onpointermove = null; };
  find(".lanes").onpointerdown = (event) => {
    if (!event.target.closest(".block")) blocks.choose(null);
  };

  function draw() {
    if (!doc || blocks.isHeld()) return;
    const { beats, bars, tracks } = doc.timeline;
    const ends = Object.values(tracks).flat().map((b) => b.start + blocks.length(b));
    const length = Math.max(beats, ...ends) || 16;
    view.beat = Math.max(5, ((scroll.clientWidth - 12) / length) * zoom);
    find(".sheet").style.width = `${length * view.beat + 8}px`;
    body.style.setProperty("--beat", `${view.beat}px`);
    ruler.replaceChildren(...bars.map(([start, number]) => {
      const mark = document.createElement("span");
      mark.style.left = `${start * view.beat}px`;
      const every = Math.ceil(26 / (4 * view.beat));
      if ((number - 1) % every === 0) mark.textContent = number;
      return mark;
    }));
    find(".over").style.left = `${beats * view.beat}px`;
    blocks.draw(doc);
    find(".names").replaceChildren(...[...find(".lanes").children].map((lane) => {
      const name = document.createElement("span");
      name.textContent = lane.dataset.track;
      name.style.height = lane.style.height;
      return name;
    }));
    drawLimits();
    find(".undo").disabled = !doc.undo;
    find(".redo").disabled = !doc.redo;
    find(".hint").hidden = ends.length > 0 || !doc.timeline.is_read;
  }
  function drawLimits() {
    const bars = doc.limits.map(({ kind, what, from_s: from, to_s: to }) => {
      const bar = document.createElement("i");
      bar.style.left = `${(from / beatLength()) * view.beat}px`;
      bar.style.width = `${Math.max(3, ((to - from) / beatLength()) * view.beat)}px`;
      bar.title = `${kind.replace("_", " ")} of ${what}, ${from.toFixed(1)} to ${to.toFixed(1)} s`;
      return bar;
    });
    find(".limits").replaceChildren(...bars);
  }
  dance.listen((found) => { doc = found; draw(); });
  window.addEventListener("resize", draw);

  // --- what is on stage, and how far the work is ---------------------------------------
  const SHOWN = { verified: "verified", preview: "preview", nothing: "standing" };
  function words(state) {
    const seen = SHOWN[state.shown] ?? "", old = state["is shown now"] ? "" : " of before";
    const percent = Math.round(100 * (state.share ?? 0));
    const work = {
      checked: "checked, reading …", preview: "solving …", solving: `solving ${percent} %`,
      verified: `in ${(state.took ?? 0).toFixed(1)} s`, refused: "refused", empty: "no block yet",
    }[state.phase] ?? "";
    return [`${seen}${old}`, work];
  }
  let said = "";
  function refresh() {
    const state = deck.state();
    dance.follow(state.script);
    head.style.translate = `${(state.time / beatLength()) * view.beat}px 0`;
    const [seen, work] = words(state), now = `${seen} ${work}`;
    if (now !== said) {
      said = now;
      const chip = find(".shown");
      chip.textContent = seen;
      chip.dataset.shown = state["is shown now"] ? state.shown : "old";
      find(".work").textContent = work;
      find(".work").classList.toggle("fails", state.phase === "refused");
    }
    const why = doc?.refusal?.sentence ?? "";
    if (find(".why").textContent !== why) find(".why").textContent = why;
  }
  const nothing = () => {};
  return {
    refresh, dance, blocks, view,
    keys: {
      a: ["add a move", nothing], "[ ]": ["choose a block", nothing],
      "← → ": ["move the block", nothing], "shift ← →": ["stretch it", nothing],
      m: ["mirror it", nothing], d: ["copy it behind itself", nothing],
      Delete: ["delete it", nothing], Escape: ["choose none", nothing],
      "Ctrl Z": ["undo", nothing], "Ctrl Y": ["redo", nothing],
    },
  };
};
