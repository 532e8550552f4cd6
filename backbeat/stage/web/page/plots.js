// Live plots of the last seconds of a simulation, one line for each measure.
window.makePlots = (group, make, state) => {
  const SECONDS = 10, WIDTH = 208, HEIGHT = 34;
  const rows = new Map();
  const set = group("measured");
  let costs = null;
  let before = -Infinity;

  function rowOf(name) {
    if (!rows.has(name)) {
      const canvas = make("canvas", { width: 2 * WIDTH, height: 2 * HEIGHT });
      canvas.dataset.measure = name;
      const value = make("output");
      set.append(make("label", {}, make("span", { textContent: name }), value), canvas);
      rows.set(name, { canvas, value, points: [] });
    }
    return rows.get(name);
  }
  function draw({ canvas, points }, now) {
    const pen = canvas.getContext("2d"), values = points.map(([, x]) => x);
    const low = Math.min(...values), high = Math.max(...values, low + 1e-3);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    [pen.strokeStyle, pen.lineWidth] = ["#ff7a33", 2.5];
    pen.beginPath();
    for (const [t, x] of points)
      pen.lineTo((1 + (t - now) / SECONDS) * canvas.width,
        (0.94 - (0.88 * (x - low)) / (high - low)) * canvas.height);
    pen.stroke();
    canvas.title = `${low.toPrecision(3)} to ${high.toPrecision(3)} in ${SECONDS} s`;
  }
  return () => {
    const { time, measures = {} } = state();
    if (time === before) return;
    // It began anew, or one looks elsewhere in it.
    const jumps = time < before || time > before + 1;
    before = time;
    for (const [name, x] of Object.entries(measures)) {
      const row = rowOf(name);
      if (jumps) row.points.length = 0;
      row.points.push([time, x]);
      while (row.points[0][0] < time - SECONDS) row.points.shift();
      const said = String(x);
      if (row.value.textContent !== said) row.value.textContent = said;
      draw(row, time);
    }
    set.hidden = !Object.keys(measures).length;
    // Below the lines of the measures.
    if (!set.hidden) (costs ??= window.makeCosts(set, make, state))();
  };
};
