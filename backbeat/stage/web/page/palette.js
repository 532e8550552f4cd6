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
    window.makeDraggable(row, lanes, {
      label: move.move,
      width: () => move.beats * view.beat,
      place: (x) => {
        const at = Math.max(0, act.snapped(x / view.beat));
        return { at, left: at * view.beat, words: `${move.move} ${act.placeOf(at)}` };
      },
      says: act.says,
      drop: (at) => act.insert(move, at),
    });
    return row;
  });
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
