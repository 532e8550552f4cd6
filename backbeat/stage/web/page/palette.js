// The palette: all moves by track, with search; a click puts one at the playhead, and a
// drag where it is let go.
window.makePalette = (panel, moves, lanes, view, act) => {
  const make = (tag, props = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), props);
    element.append(...children);
    return element;
  };
  const search = make("input", { type: "search", placeholder: "search a move" });
  search.setAttribute("aria-label", "Search a move");
  const list = make("div", { className: "moves" });
  panel.append(search, list);

  // A robot as lines, which come when the palette is first opened; of a move of the head
  // the upper part.
  const svg = (tag, attributes = {}) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const drawing = ({ track }) => svg("svg", {
    viewBox: track === "head" ? "16 2 32 32" : "0 0 64 64", "aria-hidden": true });
  let asked = false;
  async function drawAll() {
    if (asked) return;
    asked = true;
    const answer = await fetch("pictures");
    if (!answer.ok) { asked = false; return; }
    const pictures = await answer.json();
    for (const row of rows) {
      const picture = pictures[row.dataset.move];
      if (!picture) continue;
      const { other, lines, head: [cx, cy] } = picture;
      row.firstChild.replaceChildren(svg("path", { d: other, class: "other" }),
        svg("path", { d: lines }), svg("circle", { cx, cy, r: 2.6 }));
    }
  }

  const rows = moves.map((move) => {
    const row = make("button", { type: "button", title: move.summary }, drawing(move),
      make("b", { textContent: move.move }),
      make("small", { textContent: `${move.beats} beats` }),
      make("span", { textContent: move.summary }));
    row.dataset.move = move.move;
    row.dataset.track = move.track;
    row.onclick = () => { if (!row.dragged) act.insert(move, act.playhead()); };
    row.onpointerdown = (event) => begin(event, row, move);
    return row;
  });
  function begin(event, row, move) {
    if (event.button > 0 || event.pointerType === "touch") return;
    const x0 = event.clientX, y0 = event.clientY;
    let ghost = null, at = null;
    row.dragged = false;
    row.setPointerCapture(event.pointerId);
    row.onpointermove = (e) => {
      if (!ghost && Math.hypot(e.clientX - x0, e.clientY - y0) < 6) return;
      row.dragged = true;
      if (!ghost) {
        ghost = make("div", { className: "block dragged", textContent: move.move });
        ghost.style.width = `${move.beats * view.beat}px`;
        document.body.append(ghost);
      }
      const box = lanes.getBoundingClientRect();
      const inside = e.clientY > box.top - 40 && e.clientY < box.bottom + 20;
      at = inside ? Math.max(0, act.snapped((e.clientX - box.left) / view.beat)) : null;
      ghost.style.left = `${at === null ? e.clientX : box.left + at * view.beat}px`;
      ghost.style.top = `${e.clientY - 10}px`;
      act.says(at === null ? "" : `${move.move} ${act.placeOf(at)}`);
    };
    row.onpointerup = row.onpointercancel = () => {
      row.onpointermove = row.onpointerup = row.onpointercancel = null;
      ghost?.remove();
      act.says("");
      if (ghost && at !== null) act.insert(move, at);
    };
  }
  function show() {
    const text = search.value.trim().toLowerCase();
    const fits = ({ move, summary, track }) =>
      `${move} ${track} ${summary}`.toLowerCase().includes(text);
    const children = [];
    let track = "";
    moves.forEach((move, i) => {
      if (!fits(move)) return;
      if (move.track !== track) children.push(make("h3", { textContent: move.track }));
      track = move.track;
      children.push(rows[i]);
    });
    list.replaceChildren(...children);
  }
  search.oninput = show;
  search.onkeydown = (event) => {
    if (event.key === "Enter") list.querySelector("button")?.click();
    if (event.key === "Escape") act.close();
  };
  show();
  return { focus: () => search.focus(), drawAll };
};
