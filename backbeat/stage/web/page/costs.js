// What the terms of the predictive program cost, plan after plan, on a scale of decades:
// a line for each of the largest and one for the rest. Asked for only while it is seen.
window.makeCosts = (set, make, state) => {
  const SECONDS = 10, DECADES = 5, OFTEN = 200, NAMED = 6;
  const COLORS = ["#56b4e9", "#ff7a33", "#2fc79a", "#e69f00", "#e78ac3", "#f0e442", "#9aa2ae"];
  const canvas = make("canvas", { className: "costs", width: 416, height: 160 });
  const legend = make("div", { className: "terms" });
  const total = make("output");
  set.append(make("label", { title: "What each term of the predictive program costs in the plan in force" },
    make("span", { textContent: "costs of the plan" }), total), canvas, legend);
  const shown = (x) => (x === 0 || Math.abs(x) >= 0.01 ? x.toPrecision(2) : x.toExponential(1));
  let points = [], due = 0, isSeen = false, kept = [];
  new IntersectionObserver(([entry]) => (isSeen = entry.isIntersecting)).observe(canvas);

  async function ask() {
    const began = performance.now();
    due = Infinity;
    try {
      const { time, costs = {} } = await (await fetch("costs")).json();
      const last = points.at(-1)?.time ?? -Infinity;
      // It began anew, or was not looked at.
      if (time < last || time > last + 1) points = [];
      if (time > last || !points.length) note(time, costs);
    } catch { /* Whether the show is over, the page says elsewhere. */ }
    // On a slow machine the plans matter more.
    due = performance.now() + Math.max(OFTEN, 8 * (performance.now() - began));
  }
  function note(time, costs) {
    if (!Object.keys(costs).length) return;
    points.push({ time, costs });
    while (points[0].time < time - SECONDS) points.shift();
    draw(time);
  }
  // The terms with the largest mean, each at the place that it has had.
  function named() {
    const means = {};
    for (const { costs } of points)
      for (const [name, x] of Object.entries(costs)) means[name] = (means[name] ?? 0) + Math.max(x, 0);
    const largest = Object.keys(means).sort((a, b) => means[b] - means[a]).slice(0, NAMED);
    kept = kept.map((name) => (largest.includes(name) ? name : null));
    for (const name of largest.filter((one) => !kept.includes(one))) {
      const free = kept.indexOf(null);
      if (free < 0) kept.push(name); else kept[free] = name;
    }
    return kept.filter(Boolean);
  }
  function draw(now) {
    const names = named(), others = Object.keys(points.at(-1).costs).length - names.length;
    const rest = (costs) => Object.entries(costs).reduce(
      (sum, [name, x]) => sum + (names.includes(name) ? 0 : Math.max(x, 0)), 0);
    const lines = names.map((name) => [name, (costs) => costs[name], COLORS[kept.indexOf(name)]]);
    if (others > 0) lines.push([`${others} others`, rest, COLORS[NAMED]]);
    const most = Math.max(1e-9, ...points.flatMap(({ costs }) => Object.values(costs)));
    const top = Math.log10(most) + 0.1, pen = canvas.getContext("2d");
    const height = (x) => ((top - Math.log10(Math.max(x, 1e-12))) / DECADES) * canvas.height;
    pen.clearRect(0, 0, canvas.width, canvas.height);
    [pen.strokeStyle, pen.lineWidth] = ["rgb(255 255 255 / 12%)", 1];
    for (let power = Math.floor(top); power > top - DECADES; power -= 1) {
      pen.beginPath();
      pen.moveTo(0, height(10 ** power));
      pen.lineTo(canvas.width, height(10 ** power));
      pen.stroke();
    }
    pen.lineWidth = 2.5;
    for (const [, value, color] of lines) {
      pen.strokeStyle = color;
      pen.beginPath();
      for (const { time, costs } of points)
        pen.lineTo((1 + (time - now) / SECONDS) * canvas.width, height(value(costs)));
      pen.stroke();
    }
    const last = points.at(-1).costs;
    canvas.title = `${shown(most / 10 ** DECADES)} to ${shown(most)}, a line for each decade, in ${SECONDS} s`;
    total.textContent = shown(Object.values(last).reduce((sum, x) => sum + x, 0));
    legend.replaceChildren(...lines.map(([name, value, color]) => {
      const row = make("span", {}, make("i"), name, make("output", { textContent: shown(value(last)) }));
      row.firstChild.style.background = color;
      return row;
    }));
  }
  return () => {
    if (isSeen && performance.now() > due && state().playing) ask();
  };
};
