// A shelf of behaviors: a card with a figure of each, by kind, and a search. `use` is called
// with each card and what it is of.
window.makeShelf = (search, list, choices, token, use) => {
  const cell = (tag, text, className = "") =>
    Object.assign(document.createElement(tag), { textContent: text, className });
  const length = ({ seconds, bpm, verified }) => {
    if (seconds === null) return "not built yet";
    return `${seconds} s${bpm ? `, ${bpm} BPM` : ""}${verified ? "" : " · not verified"}`;
  };
  const cards = choices.map((choice) => {
    const card = document.createElement("button"), { name, kind } = choice;
    card.type = "button";
    card.dataset.choice = choice.id;
    card.title = choice.summary;
    card.append(cell("i", "", "figure"), cell("b", name), cell("small", length(choice)),
      cell("span", choice.summary));
    use(card, choice);
    return { card, choice, words: [name, kind, choice.robot, choice.summary].join(" ").toLowerCase() };
  });
  const robots = new Set(choices.map(({ robot }) => robot));
  const titled = ({ robot, kind }) => (robots.size > 1 ? `${robot}: ${kind}` : kind);
  function show() {
    const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = cards.filter(({ words }) => wanted.every((word) => words.includes(word)));
    const groups = Map.groupBy?.(fits, ({ choice }) => titled(choice)) ?? fits.reduce(
      (map, one) => map.set(titled(one.choice), [...map.get(titled(one.choice)) ?? [], one]),
      new Map());
    list.replaceChildren(...[...groups].sort().flatMap(([title, found]) =>
      [cell("h3", title), ...found.map(({ card }) => card)]));
    if (!fits.length) list.append(cell("p", "No behavior has this name."));
  }
  search.oninput = show;

  // A figure comes when its card is seen for the first time, one after the other.
  const SVG = "http://www.w3.org/2000/svg";
  const make = (tag, attributes) => {
    const element = document.createElementNS(SVG, tag);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  async function draw(card) {
    const answer = await fetch("figure", {
      method: "POST", body: card.dataset.choice,
      headers: { "Content-Type": "application/json", "X-Backbeat-Token": token } });
    const lines = answer.ok ? (await answer.json()).lines : [];
    if (!lines.length) return;
    const xs = lines.flatMap(([x, , u]) => [x, u]), ys = lines.flatMap(([, y, , v]) => [-y, -v]);
    const [left, top] = [Math.min(...xs), Math.min(...ys)];
    const size = Math.max(Math.max(...xs) - left, Math.max(...ys) - top) * 1.1;
    const middle = (Math.max(...xs) + left) / 2, low = Math.max(...ys) + size * 0.05;
    const svg = make("svg", { viewBox: `${middle - size / 2} ${low - size} ${size} ${size}` });
    svg.append(...lines.map(([x, y, u, v]) =>
      make("line", { x1: x, y1: -y, x2: u, y2: -v, "stroke-width": size * 0.045 })));
    card.querySelector(".figure").replaceChildren(svg);
  }
  let drawn = Promise.resolve();
  const watcher = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries)
      if (isIntersecting) {
        watcher.unobserve(target);
        drawn = drawn.then(() => draw(target)).catch(() => {});
      }
  });
  cards.forEach(({ card, choice }) => { if (choice.id) watcher.observe(card); });
  show();
  return cards;
};
// The shelf of what may be played, in a dialog.
window.makeChooser = ({ info, find }, send) => {
  const dialog = find("dialog.chooser"), button = find("button.choose");
  // The space bar plays then, and does not open the shelf again: a closing dialog gives
  // the focus back to its button at once, and tells of its end only later.
  const shut = () => { dialog.close(); button.blur(); };
  // Beside the picture, which goes on; the focus stays with the keys of the page.
  const open = () => { dialog.show(); document.activeElement?.blur(); };
  const toggle = () => (dialog.open ? shut() : open());
  button.hidden = false;
  button.onclick = toggle;
  const search = dialog.querySelector("input.search"), list = dialog.querySelector(".list");
  const cards = window.makeShelf(search, list, info.choices, info.token, (card, { id }) => {
    card.onclick = () => { send("choose", id); shut(); };
  });
  search.onkeydown = (event) => { if (event.key === "Escape") shut(); };
  find("dialog.chooser .more").textContent =
    "backbeat build NAME adds more; backbeat list shows the names.";
  dialog.addEventListener("close", () => button.blur());
  if (info.chooses && !sessionStorage.getItem("has chosen")) {
    sessionStorage.setItem("has chosen", "yes");
    open();
  }
  return {
    toggle,
    refresh: (state) => cards.forEach(({ card }) =>
      card.setAttribute("aria-current", card.dataset.choice === state.choice)),
  };
};
