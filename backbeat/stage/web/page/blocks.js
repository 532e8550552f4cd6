// Blocks on tracks: drawn, chosen, and dragged, stretched or copied with a pointer.
// `view` says {beat: pixels of a beat, snap: beats}; what is done goes to `act`. Blocks of
// which `act.isStretched` is false keep their lengths.
window.makeBlocks = (area, view, act) => {
  const make = (tag, className, text = "") =>
    Object.assign(document.createElement(tag), { className, textContent: text });
  const EDGE = 9, ROW = 24;
  let doc = null, chosen = null, held = false;

  const key = (block) => block && `${block.track} ${block.row}`;
  const marksOf = (track, row) =>
    doc.timeline.marks.filter((mark) => mark.track === track && mark.row === row);
  const refusalOf = (track, row) =>
    doc.refusal?.track === track && doc.refusal.row === row ? doc.refusal : null;
  const find = (track, row) => doc?.timeline.tracks[track]?.find((b) => b.row === row);
  const selected = () => {
    const block = chosen && find(chosen.track, chosen.row);
    return block ? { ...block, track: chosen.track } : null;
  };
  const length = (block) => block.beats * block.options.repeat;
  const snapped = (x) => Math.round(x / view.snap) * view.snap;

  function choose(block, focuses = false) {
    chosen = block && { track: block.track, row: block.row };
    for (const element of area.querySelectorAll(".block"))
      element.classList.toggle("chosen", element.dataset.key === key(chosen));
    if (focuses) area.querySelector(".block.chosen")?.focus({ preventScroll: false });
    act.chosen(selected());
  }

  // Blocks of one track that overlap lie in rows below each other.
  function rows(blocks) {
    const ends = [], at = new Map();
    for (const block of [...blocks].sort((a, b) => a.start - b.start)) {
      let row = ends.findIndex((end) => end <= block.start + 1e-6);
      if (row < 0) row = ends.length;
      ends[row] = block.start + length(block);
      at.set(block.row, row);
    }
    return { at, count: Math.max(ends.length, 1) };
  }
  function place(element, start, beats) {
    element.style.left = `${start * view.beat}px`;
    element.style.width = `${Math.max(beats * view.beat - 2, 6)}px`;
  }
  function drawn(track, block, row) {
    const element = make("button", "block");
    element.type = "button";
    element.dataset.key = key({ track, row: block.row });
    element.dataset.move = block.move;
    element.style.top = `${row * ROW + 2}px`;
    place(element, block.start, length(block));
    element.append(make("span", "", `${block.options.mirror ? "⇋ " : ""}${block.move}`));
    for (let i = 1; i < block.options.repeat; i++) {
      const cut = make("i", "cut");
      cut.style.left = `${(100 * i) / block.options.repeat}%`;
      element.append(cut);
    }
    const marks = marksOf(track, block.row), refused = refusalOf(track, block.row);
    const fails = refused || marks.some((mark) => mark.fails);
    if (fails) element.classList.add("fails");
    else if (marks.length) element.classList.add("warns");
    const said = [...marks.map((m) => m.sentence), ...(refused ? [refused.sentence] : [])];
    element.title = said.join("\n");
    element.setAttribute("aria-label", `${block.move} on ${track}, beat ${block.start}, `
      + `${length(block)} beats${fails ? ", infeasible" : ""}`);
    element.classList.toggle("chosen", element.dataset.key === key(chosen));
    element.onpointerdown = (event) => begin(event, element, { ...block, track });
    element.onfocus = () => { if (key(chosen) !== element.dataset.key) choose({ ...block, track }); };
    element.onclick = (event) => event.preventDefault();
    return element;
  }
  // What a phrase plays again follows the block that it repeats.
  function echo({ row, start, beats, mirror }, at, move) {
    const element = make("i", "echo", `${mirror ? "⇋ " : ""}${move}`);
    element.title = `${move} again${mirror ? ", mirrored" : ""}, as its phrase has it`;
    element.style.top = `${at.get(row) * ROW + 2}px`;
    place(element, start, beats);
    return element;
  }
  function draw(found) {
    doc = found;
    const focused = area.contains(document.activeElement)
      && document.activeElement.dataset.key;
    const lanes = Object.entries(doc.timeline.tracks).map(([track, blocks]) => {
      const lane = make("div", "lane"), { at, count } = rows(blocks);
      lane.dataset.track = track;
      lane.style.height = `${count * ROW + 4}px`;
      lane.append(...blocks.map((block) => drawn(track, block, at.get(block.row))));
      const again = (doc.timeline.echoes ?? []).filter((e) => e.track === track);
      lane.append(...again.map((e) => echo(e, at, find(track, e.row).move)));
      return lane;
    });
    area.replaceChildren(...lanes);
    if (focused) area.querySelector(`[data-key="${focused}"]`)?.focus();
    act.chosen(selected());
  }

  // --- a pointer moves a block, or one of its ends ------------------------------------
  function begin(event, element, block) {
    if (event.button > 0) return;
    event.stopPropagation();
    choose(block);
    element.setPointerCapture(event.pointerId);
    // Nothing is drawn anew under a pointer that holds it.
    held = true;
    const revision = doc.revision;
    const box = element.getBoundingClientRect(), x0 = event.clientX;
    const edge = act.isStretched === false ? 0 : Math.min(EDGE, box.width / 3);
    const what = box.right - x0 < edge ? "end" : x0 - box.left < edge ? "start" : "all";
    const copies = (event.ctrlKey || event.metaKey || event.altKey) && what === "all";
    let at = block.start, beats = block.beats, moved = false;
    const ghost = copies ? element.cloneNode(true) : element;
    element.onpointermove = (e) => {
      if (!moved && Math.abs(e.clientX - x0) < 4) return;
      if (!moved && copies) element.parentElement.append(ghost);
      moved = true;
      ghost.classList.add("dragged");
      const by = (e.clientX - x0) / view.beat, n = block.options.repeat;
      if (what === "all") at = Math.max(0, snapped(block.start + by));
      if (what === "end")
        beats = Math.max(view.snap, snapped(block.start + n * block.beats + by) - block.start) / n;
      if (what === "start") {
        at = Math.min(Math.max(0, snapped(block.start + by)), block.start + length(block) - view.snap);
        beats = (block.start + length(block) - at) / n;
      }
      place(ghost, at, beats * n);
      const length = +(beats * n).toFixed(3), unit = act.unit ?? "beats";
      act.says(`${block.move} ${act.placeOf(at, block, length)}, ${length} ${unit}`);
    };
    const end = (cancelled) => {
      element.onpointermove = element.onpointerup = element.onpointercancel = null;
      act.says("");
      if (copies) ghost.remove();
      held = false;
      act.released();
      // Of a block of an earlier version nothing can be said any more.
      if (!moved || cancelled || revision !== act.revision()) return;
      const { track, row } = block;
      if (copies) act.edit({ edit: "copy", track, row, at }, { move: block.move, track, at });
      else if (what === "all") act.edit({ edit: "move", track, row, at });
      else act.edit({ edit: "stretch", track, row, at, beats });
    };
    element.onpointerup = () => end(false);
    element.onpointercancel = () => end(true);
  }

  // All blocks in order of time, for the keyboard.
  const ordered = () => Object.entries(doc?.timeline.tracks ?? {})
    .flatMap(([track, blocks]) => blocks.map((block) => ({ ...block, track })))
    .sort((a, b) => a.start - b.start);
  function next(by) {
    const all = ordered();
    if (!all.length) return;
    const i = all.findIndex((block) => key(block) === key(chosen));
    choose(all[i < 0 ? (by > 0 ? 0 : all.length - 1) : (i + by + all.length) % all.length], true);
  }
  function chooseBy({ move, track, at }) {
    const found = doc.timeline.tracks[track]?.findLast(
      (b) => b.move === move && Math.abs(b.start - at) < 1e-3);
    if (found) choose({ ...found, track }, true);
  }
  return { draw, isHeld: () => held, choose, chooseBy, next, selected, marksOf, refusalOf, snapped, length };
};
