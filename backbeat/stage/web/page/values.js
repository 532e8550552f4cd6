// Values of the chosen block, or of the whole dance: sliders with units and ranges.
window.makeValues = (panel, offers, blocks, document_, close) => {
  const WAIT = 180, waiting = new Map();
  // An edit for the last place of a slider that is being moved, and not for each.
  const later = (name, edit) => {
    clearTimeout(waiting.get(name));
    waiting.set(name, setTimeout(() => document_.edit(edit), WAIT));
  };
  let shown = "", refreshers = [];

  function ofMove(form, { make, slider }, block) {
    const { track, row } = block;
    const known = offers.palette?.find(({ move }) => move === block.move);
    const now = () => blocks.selected() ?? block;
    const title = make("h3", {}, block.move);
    const about = make("p", { className: "about", textContent: known?.summary ?? (offers.palette ? "a recording" : "") });
    form.append(title, about, make("div", { className: "findings" }));
    for (const [name, p] of Object.entries(known?.parameters ?? {})) {
      const step = (p.most - p.least) / 100;
      form.append(slider(
        { label: name, unit: p.unit, low: p.least, high: p.most, step: +step.toPrecision(1) },
        () => now().values[name],
        (value) => later(name, { edit: "value", track, row, name, value })));
    }
    for (const [key, offer] of Object.entries(offers.sliders)) {
      if (!(key in block.options) || offer.low === undefined) continue;
      const usual = key === "timing" ? 0.5 : 0;
      form.append(slider(
        { label: key, hint: offer.help, unit: offer.unit, ...offer },
        () => now().options[key] ?? usual,
        (value) => later(key, { edit: "option", track, row, key, value })));
    }
  }
  function ofDance(form, { make, slider }) {
    const doc = document_.now();
    form.append(make("h3", {}, doc.timeline.name),
      make("p", { className: "about", textContent: doc.file }),
      make("div", { className: "findings" }));
    for (const [key, value] of Object.entries(doc.timeline.keys)) {
      const offer = offers.sliders[key];
      if (offer.low !== undefined) {
        form.append(slider({ label: key, hint: offer.help, ...offer },
          () => document_.now().timeline.keys[key],
          (x) => later(key, { edit: "setting", key, value: x })));
        continue;
      }
      const field = make("input", { type: "text", value, title: offer.help });
      field.onchange = () => document_.edit({ edit: "setting", key, value: field.value });
      refreshers.push(() => {
        const held = document.activeElement === field;
        if (!held) field.value = document_.now().timeline.keys[key];
      });
      form.append(make("label", { className: "text" }, make("span", {}, key), field));
    }
  }
  // What is wrong with the block or the whole, and a button for what would do.
  function findings(block) {
    const doc = document_.now(), { track = "", row = -1 } = block ?? {};
    const rows = blocks.marksOf(track, row).map((mark) => ({ ...mark }));
    const refused = block ? blocks.refusalOf(track, row)
      : doc.refusal?.row === -1 ? doc.refusal : null;
    const known = rows.some((mark) => refused?.sentence.includes(mark.sentence));
    if (refused && !known) rows.push({ ...refused, fails: true, fix: null });
    return rows.map((mark) => {
      const line = document.createElement("p");
      line.className = mark.fails ? "fails" : "warns";
      line.textContent = mark.sentence;
      const edit = fixing(block, mark);
      if (edit) {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = `${mark.key}: ${mark.fix}`;
        button.onclick = () => document_.edit(edit);
        line.append(button);
      }
      return line;
    });
  }
  function fixing(block, { key, fix, track, row }) {
    if (fix === null || fix === undefined) return null;
    if (!block) return key in document_.now().timeline.keys ? { edit: "setting", key, value: fix } : null;
    if (key === "at") return { edit: "move", track, row, at: fix };
    if (key === "beats") return { edit: "stretch", track, row, at: block.start, beats: fix };
    if (key === "behavior") return { edit: "option", track, row, key, value: fix };
    return null;
  }
  return function refresh() {
    const doc = document_.now(), block = blocks.selected();
    if (!doc) return;
    const wanted = block ? `${block.track} ${block.row} ${block.move}` : `dance ${doc.timeline.is_read}`;
    if (wanted !== shown) {
      shown = wanted;
      panel.replaceChildren();
      const form = window.makeForm(panel);
      refreshers = form.refreshers;
      const shut = form.make("button", { type: "button", className: "close", textContent: "×" });
      shut.setAttribute("aria-label", "Close");
      shut.onclick = close;
      panel.append(shut);
      if (block) ofMove(panel, form, block);
      else ofDance(panel, form);
    }
    panel.querySelector(".findings").replaceChildren(...findings(block));
    refreshers.forEach((show) => show());
  };
};
