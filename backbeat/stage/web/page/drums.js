// What is edited of a score: a row for each drum, hits that are set with a click, tapped
// with keys, or played on a MIDI pad.
window.makeDrums = (desk) => {
  const { find, view, offers, document_, deck, says, placeOf, notice } = desk;
  const { rows } = offers.drums, lanes = find(".lanes");
  const make = (tag, props = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), props);
    element.append(...children);
    return element;
  };
  const SAME = 2e-3, LOUDEST = 127;
  const doc = () => document_.now();
  const snapped = (x) => Math.round(x / view.snap) * view.snap;
  const key = ({ beat, member }) => `${+beat.toFixed(3)} ${member}`;
  const hitAt = (beat, member) => doc().timeline.hits.find(
    (h) => h.member === member && Math.abs(h.beat - beat) < SAME);
  const whyNot = (beat) => {
    const part = doc().timeline.parts.find(
      ({ start, beats }) => start - SAME <= beat && beat < start + beats - SAME);
    return part ? part.why : "after the end of the score";
  };
  let chosen = null, held = false;
  const selected = () => chosen && doc() && (hitAt(chosen.beat, chosen.member) ?? null);
  const pen = () => ({ hand: find(".hand").value, velocity: Number(find(".loud").value) });
  const put = (beat, member, { hand, velocity }) =>
    document_.edit({ edit: "hit", at: beat, member, hand, velocity });
  const take = ({ beat, member }) => document_.edit({ edit: "unhit", at: beat, member });

  function choose(cell, focuses = false) {
    chosen = cell && { beat: cell.beat, member: cell.member };
    const hit = selected();
    for (const element of lanes.querySelectorAll(".hit"))
      element.classList.toggle("chosen", Boolean(chosen) && element.dataset.key === key(chosen));
    if (hit) {
      find(".hand").value = hit.is_open ? "" : hit.hand;
      find(".loud").value = hit.velocity;
    }
    showCell();
    if (focuses) lanes.querySelector(".hit.chosen")?.focus({ preventScroll: false });
  }
  // The place of the keyboard.
  function showCell() {
    lanes.querySelector(".cell")?.remove();
    const lane = chosen && lanes.querySelector(`[data-member="${chosen.member}"]`);
    if (!lane) return;
    const cell = make("i", { className: "cell" });
    cell.style.left = `${chosen.beat * view.beat}px`;
    cell.style.width = `${view.snap * view.beat}px`;
    lane.append(cell);
  }
  const words = ({ beat, member, hand, velocity }) =>
    `${member} ${placeOf(beat)}, ${hand || "no hand"}, velocity ${velocity}`;

  function drawn(hit) {
    const element = make("button", { type: "button", className: "hit" });
    element.dataset.key = key(hit);
    element.dataset.hand = hit.hand;
    element.classList.toggle("open", hit.is_open);
    element.classList.toggle("fails", hit.fails);
    element.classList.toggle("chosen", Boolean(chosen) && key(chosen) === element.dataset.key);
    element.style.left = `${hit.beat * view.beat}px`;
    element.style.setProperty("--loud", hit.velocity / LOUDEST);
    element.textContent = view.beat > 24 ? (hit.hand[0] ?? "").toUpperCase() : "";
    const fails = hit.fails ? ", not playable with two hands" : "";
    element.title = words(hit) + fails;
    element.setAttribute("aria-label", element.title);
    element.onpointerdown = (event) => begin(event, element, hit);
    element.oncontextmenu = (event) => { event.preventDefault(); choose(hit, true); };
    element.onclick = (event) => event.preventDefault();
    element.onfocus = () => { if (!held) choose(hit); };
    return element;
  }
  // A click takes a hit away; up and down makes it louder and softer.
  function begin(event, element, hit) {
    if (event.button > 0) return;
    event.stopPropagation();
    event.preventDefault();
    element.setPointerCapture(event.pointerId);
    held = true;
    const y0 = event.clientY;
    let velocity = hit.velocity, moved = false;
    element.onpointermove = (e) => {
      if (!moved && Math.abs(e.clientY - y0) < 4) return;
      moved = true;
      velocity = Math.min(LOUDEST, Math.max(1, Math.round(hit.velocity + (y0 - e.clientY))));
      element.style.setProperty("--loud", velocity / LOUDEST);
      says(words({ ...hit, velocity }));
    };
    const end = (cancelled) => {
      element.onpointermove = element.onpointerup = element.onpointercancel = null;
      says("");
      held = false;
      if (cancelled) { desk.draw(); return; }
      if (!moved) { choose(null); take(hit); return; }
      choose(hit);
      put(hit.beat, hit.member, { hand: hit.is_open ? "" : hit.hand, velocity });
    };
    element.onpointerup = () => end(false);
    element.onpointercancel = () => end(true);
  }
  function add(beat, member) {
    const why = whyNot(beat);
    if (why) { notice(`${placeOf(beat)}: ${why}`); return; }
    choose({ beat, member });
    put(beat, member, pen());
  }
  lanes.onclick = (event) => {
    const lane = event.target.closest(".lane");
    if (!lane || event.target.closest(".hit")) return;
    const x = event.clientX - lane.getBoundingClientRect().left;
    add(Math.floor(x / view.beat / view.snap + 1e-6) * view.snap, lane.dataset.member);
  };

  function draw({ timeline }) {
    const focused = lanes.contains(document.activeElement) && document.activeElement.dataset.key;
    const by = new Map(rows.map(({ member }) => [member, []]));
    for (const hit of timeline.hits) by.get(hit.member)?.push(drawn(hit));
    lanes.replaceChildren(...rows.map(({ member, number }) => {
      const lane = make("div", { className: "lane", title: "Click to set a hit" });
      lane.dataset.track = member.replace("_", " ");
      lane.dataset.member = member;
      lane.dataset.number = number;
      lane.style.height = "20px";
      lane.append(...by.get(member));
      return lane;
    }), ...timeline.parts.map(({ name, start, beats, repeat, why }) => {
      const part = make("div", { className: "part", title: why });
      part.textContent = repeat > 1 ? `${name} × ${repeat}` : name;
      part.classList.toggle("closed", Boolean(why));
      part.style.left = `${start * view.beat}px`;
      part.style.width = `${beats * view.beat - 1}px`;
      return part;
    }));
    for (const hit of taps.pending()) {
      const ghost = make("i", { className: "hit ghost" });
      ghost.style.left = `${hit.beat * view.beat}px`;
      ghost.style.setProperty("--loud", hit.velocity / LOUDEST);
      lanes.querySelector(`[data-member="${hit.member}"]`).append(ghost);
    }
    showCell();
    if (focused) lanes.querySelector(`[data-key="${focused}"]`)?.focus();
  }
  const taps = window.makeTaps(desk, { snapped, whyNot, changed: () => desk.draw() });
  for (const name of [".hand", ".loud"])
    find(name).onchange = ({ target }) => {
      target.blur();
      const hit = selected();
      if (hit) put(hit.beat, hit.member, pen());
    };

  // --- keys ----------------------------------------------------------------------------
  const moveBy = (beats, lines) => {
    const now = chosen ?? { beat: snapped(desk.beatOf(deck.state().time)), member: rows[0].member };
    const row = rows.findIndex(({ member }) => member === now.member) + lines;
    choose({
      beat: Math.max(0, now.beat + beats * view.snap),
      member: rows[Math.min(Math.max(row, 0), rows.length - 1)].member,
    }, true);
    says(placeOf(chosen.beat));
  };
  const toggle = () => {
    const hit = selected();
    if (hit) take(hit);
    else if (chosen) add(chosen.beat, chosen.member);
  };
  const change = (what) => () => {
    const hit = selected();
    if (!hit) return;
    const now = { hand: hit.is_open ? "" : hit.hand, velocity: hit.velocity };
    put(hit.beat, hit.member, { ...now, ...what(hit) });
  };
  const louder = (by) => change(({ velocity }) =>
    ({ velocity: Math.min(LOUDEST, Math.max(1, velocity + by)) }));
  const KEYS = {
    ArrowLeft: () => moveBy(-1, 0), ArrowRight: () => moveBy(1, 0),
    ArrowUp: () => moveBy(0, -1), ArrowDown: () => moveBy(0, 1),
    Enter: toggle, Delete: () => { const hit = selected(); if (hit) take(hit); },
    "shift ArrowUp": louder(8), "shift ArrowDown": louder(-8),
    l: change(() => ({ hand: "left" })), r: change(() => ({ hand: "right" })),
    h: change(() => ({ hand: "" })), Escape: () => choose(null),
  };
  const ALWAYS = { a: () => moveBy(0, 0), t: taps.toggle };
  return {
    taps, choose,
    tools: { record: taps.toggle },
    draw, isHeld: () => held,
    length: ({ beats }) => beats || 16,
    isEmpty: () => false,
    key: (name) => taps.key(name) ?? ALWAYS[name] ?? (chosen ? KEYS[name] : undefined),
    refresh: taps.refresh,
    help: {
      a: "enter the grid", "← → ↑ ↓": "move on the grid", Enter: "set or remove a hit",
      "l r h": "left hand, right hand, either", "shift ↑ ↓": "louder, softer",
      t: "tap with the numbers of the drums, or a MIDI pad", Escape: "leave the grid",
    },
  };
};
