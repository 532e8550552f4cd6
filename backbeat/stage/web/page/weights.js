// Weights of the controllers in one section that is closed at first: a slider for each,
// over a decade up and down, by program; what differs from the run's start is reset, and
// kept as a file that --weights reads.
window.makeWeights = (panel, form, send, state) => {
  const { make, slider } = form;
  const TITLES = {
    predictive: "predictive program", recovery: "recovery steps",
    whole_body: "whole-body program", stance: "whole-body program, in stance",
  };
  // No more than some changes a second: each makes programs anew.
  const OFTEN = 150;
  const search = make("input", { type: "search", className: "search", placeholder: "search weights" });
  search.setAttribute("aria-label", "search weights");
  const reset = make("button", { type: "button", textContent: "reset weights" });
  const save = make("button", { type: "button", textContent: "save as weights file" });
  const list = make("div"), summary = make("summary", { textContent: "weights" });
  const section = make("details", { className: "weights" }, summary, search, list,
    make("div", { className: "ends" }, reset, save));
  panel.append(section);
  const changes = () => state().settings?.weights ?? {};
  let rows = [], own = [], loaded = "", waiting = {}, timer = 0;

  const set = (to) => {
    Object.assign(waiting, to);
    timer ||= setTimeout(() => {
      send("set", { name: "weights", to: waiting });
      [waiting, timer] = [{}, 0];
    }, OFTEN);
  };
  const shown = (x, unit) => `${Number(x.toPrecision(3))}${unit && ` ${unit}`}`;
  function rowOf(one) {
    const value = () => waiting[one.name] ?? changes()[one.name] ?? one.usual;
    const back = make("button", { type: "button", textContent: "↺", className: "back" });
    back.title = `Back to ${shown(one.usual, one.unit)}`;
    back.onclick = () => set({ [one.name]: one.usual });
    const scale = { ...one, low: -1, high: 1, step: 0.01,
      hint: `${one.name}: ${one.hint}`,
      shown: (x) => shown(one.usual * 10 ** x, one.unit) };
    const row = slider(scale, () => Math.log10(value() / one.usual), (x) =>
      set({ [one.name]: Number((one.usual * 10 ** x).toPrecision(6)) }));
    row.dataset.weight = one.name;
    row.querySelector("output").after(back);
    const refresh = () => (back.hidden = value() === one.usual);
    return { row, refresh, name: one.name, usual: one.usual, text: `${one.name} ${one.label} ${one.hint}`.toLowerCase() };
  }
  async function load() {
    loaded = state().choice;
    const { sections = {} } = await (await fetch("weights")).json();
    const before = form.refreshers.length;
    rows = [];
    list.replaceChildren(...Object.entries(sections).map(([name, ones]) => {
      const made = ones.map(rowOf);
      rows.push(...made);
      return make("details", {}, make("summary", { textContent: TITLES[name] }), ...made.map(({ row }) => row));
    }));
    // Those of sliders are done while they are seen.
    own = form.refreshers.splice(before);
    filter();
  }
  function filter() {
    const words = search.value.toLowerCase().trim().split(/\s+/);
    for (const { row, text } of rows) row.hidden = !words.every((word) => text.includes(word));
    for (const part of list.children) {
      const isAny = [...part.querySelectorAll("label")].some((row) => !row.hidden);
      part.hidden = !isAny;
      if (search.value) part.open = isAny;
    }
  }
  search.oninput = filter;
  reset.onclick = () => set(Object.fromEntries(
    rows.filter(({ name }) => name in changes()).map(({ name, usual }) => [name, usual])));
  save.onclick = async () => {
    const { name, file } = await (await fetch("weights")).json();
    const link = make("a", { download: name, href: URL.createObjectURL(new Blob([file])) });
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return () => {
    if (!section.open) return;
    if (loaded !== state().choice) load();
    reset.disabled = rows.every(({ name, usual }) => (changes()[name] ?? usual) === usual);
    for (const refresh of own) refresh();
    for (const { refresh } of rows) refresh();
  };
};
