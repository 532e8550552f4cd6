// What is edited of a setlist: behaviors in a row, dragged there from the shelf, with what
// is known of the transitions between them.
window.makeSetlist = (desk) => {
  const { info, body, find, view, offers, document_, deck, says, opened, notice } = desk;
  const LEAST = 7, DEFAULT = 8, lanes = find(".lanes");
  const make = (tag, props = {}) => Object.assign(document.createElement(tag), props);
  find(".add").textContent = "+ behavior";
  find(".add").title = "Add a behavior (a)";
  find(".hint").textContent = "Drag a behavior here, or choose one with “+ behavior”.";
  const entries = () => document_.now()?.timeline.tracks.behaviors ?? [];
  // The place in the row of what has its middle at a time; `but` is not counted.
  const rowAt = (time, but = -1) => entries().filter(
    (entry) => entry.row !== but && entry.start + blocks.length(entry) / 2 < time).length;
  const placeIn = (row, but = -1) => {
    const next = entries().filter((entry) => entry.row !== but)[row];
    return next ? `before ${next.move}` : "at the end";
  };
  // Entries are called by their rows alone, and go to one.
  function asEntry(what) {
    const { track, row, at, beats, ...edit } = what;
    if (edit.edit === "stretch") return null;
    if (track === undefined || row === undefined) return what;
    if (at === undefined) return { ...edit, row };
    const isCopy = edit.edit === "copy", half = blocks.length(entries()[row]) / 2;
    const to = rowAt(at + half, isCopy ? -1 : row);
    return to === row && !isCopy ? null : { ...edit, row, to };
  }
  async function edit(what) {
    const asked = asEntry(typeof what === "function" ? what() ?? {} : what);
    if (!asked?.edit) { desk.draw(); return null; }
    const done = await document_.edit(asked);
    const row = asked.to ?? (asked.edit === "delete" ? undefined : asked.row);
    const there = done && !done.refused && entries()[row];
    if (there) blocks.choose({ ...there, track: "behaviors" }, true);
    return done;
  }
  const blocks = window.makeBlocks(lanes, view, {
    edit, says, isStretched: false, unit: "s",
    placeOf: (at, { row }, length) => placeIn(rowAt(at + length / 2, row), row),
    revision: () => document_.now().revision,
    released: desk.draw,
    chosen: (block) => {
      for (const tool of body.querySelectorAll(".of-block")) tool.disabled = !block;
      if (document_.now()) refreshValues();
    },
  });
  const refreshValues = window.makeValues(find(".values"), offers, blocks,
    { ...document_, edit: (what) => document_.edit(asEntry(what)) }, () => opened("values"));

  // --- the shelf -----------------------------------------------------------------------
  const search = make("input", { type: "search", className: "search", placeholder: "search the shelf" });
  search.setAttribute("aria-label", "Search the shelf");
  const list = make("div", { className: "list" });
  find(".palette").append(search, list);
  function insert(name, to) {
    if (body.dataset.opened === "palette" && innerWidth <= 900) opened("palette");
    return edit({ edit: "insert", behavior: name, to });
  }
  // Behind the chosen one, or at the end.
  const behind = () => (blocks.selected()?.row ?? entries().length - 1) + 1;
  let asked = false;
  async function fill() {
    if (asked) return;
    asked = true;
    const { choices } = await (await fetch("shelf")).json();
    offers.palette = choices.map(({ name, summary }) => ({ move: name, summary }));
    window.makeShelf(search, list, choices, info.token, (card, { name, seconds }) => {
      card.onclick = () => { if (!card.dragged) insert(name, behind()); };
      window.makeDraggable(card, lanes, {
        label: name,
        width: () => (seconds ?? DEFAULT) * view.beat,
        place: (x) => {
          const at = rowAt(x / view.beat);
          const before = entries()[at], last = entries().at(-1);
          const left = before ? before.start : last ? last.start + blocks.length(last) : 0;
          return { at, left: left * view.beat, words: `${name} ${placeIn(at)}` };
        },
        says,
        drop: (at) => insert(name, at),
      });
    });
    refreshValues();
  }
  const open = () => {
    opened("palette");
    if (body.dataset.opened === "palette")
      fill().catch(() => { asked = false; notice("The show does not answer."); });
  };
  search.onkeydown = (event) => {
    if (event.key === "Enter") list.querySelector("button")?.click();
    if (event.key === "Escape") open();
  };

  // --- drawn ---------------------------------------------------------------------------
  const SIGNS = { waiting: "·", solving: "…", solved: "✓", refused: "!" };
  const inWords = ({ phase, seconds, sentence }) => sentence
    || (phase === "solved" && seconds ? `solved, ${seconds.toFixed(1)} s` : phase);
  // Between two blocks, how far the transition from one to the other is.
  function joint(entry, last) {
    const { before: state } = entry, element = make("button", { type: "button", className: "joint" });
    element.dataset.phase = state.phase;
    element.textContent = SIGNS[state.phase];
    const end = last.start + blocks.length(last);
    element.style.left = `${((end + entry.start) / 2) * view.beat}px`;
    element.title = `${last.move} → ${entry.move}: ${inWords(state)}`;
    element.setAttribute("aria-label", element.title);
    element.onclick = () => notice(element.title);
    return element;
  }
  function draw(doc) {
    blocks.draw(doc);
    const lane = lanes.querySelector(".lane"), rows = entries();
    lane?.querySelectorAll(".block").forEach((element, i) => {
      const { phase, options: { repeat, rest } } = rows[i];
      const said = [`${blocks.length(rows[i]).toFixed(1)} s`, repeat > 1 && `${repeat} ×`,
        rest && `after ${rest} s`, phase && phase !== "solved" && phase];
      element.dataset.phase = phase;
      element.append(make("small", { textContent: said.filter(Boolean).join(" · ") }));
    });
    lane?.append(...rows.slice(1).map((entry, i) => joint(entry, rows[i])));
  }
  const onBlock = (what) => () => edit(() => {
    const block = blocks.selected();
    return block && what(block);
  });
  const moved = (by) => onBlock(({ row }) => {
    const to = row + by;
    return to in entries() ? { edit: "move", row, to } : null;
  })();
  const tools = {
    add: open,
    copy: onBlock(({ row }) => ({ edit: "copy", row, to: row + 1 })),
    remove: onBlock(({ row }) => ({ edit: "delete", row })),
  };
  const KEYS = {
    ArrowLeft: () => moved(-1), ArrowRight: () => moved(1), d: tools.copy,
    Delete: tools.remove, Backspace: tools.remove, Escape: () => blocks.choose(null),
  };
  const ALWAYS = { "[": () => blocks.next(-1), "]": () => blocks.next(1), a: open };
  lanes.onpointerdown = (event) => {
    if (!event.target.closest(".block")) blocks.choose(null);
  };
  if (!offers.document && innerWidth > 900) open();
  return {
    blocks, tools, draw,
    least: LEAST,
    isHeld: blocks.isHeld,
    length: ({ beats }) => beats || 30,
    isEmpty: ({ is_read: isRead }) => isRead && !entries().length,
    key: (name) => ALWAYS[name] ?? (blocks.selected() ? KEYS[name] : undefined),
    refresh() {},
    help: {
      a: "add a behavior", "[ ]": "choose one", "← → ": "move it in the row",
      d: "copy it behind itself", Delete: "delete it", Escape: "choose none",
    },
  };
};
