// Trying what is edited: its simulation, pushes, other engines and robots; and the errors of
// the last run under the timeline.
window.makeTrial = (desk, send) => {
  const { body, find, view, offers, deck } = desk;
  // Impulse of a push [N s]; scales of the errors: center of mass [mm], hits [ms].
  const PUSH = 40, COM = 30, HIT = 30;
  const engine = find(".engine"), robot = find(".robot"), canvas = find(".errors");
  const option = (value, text) => Object.assign(document.createElement("option"), { value, textContent: text });
  engine.append(...offers.trial.engines.map((name) => option(name, name)));
  robot.append(...offers.trial.robots.map((name) => option(name, name || "robot of the file")));
  const begin = () => send("simulate", { engine: engine.value, robot: robot.value });
  const rest = () => send("rest");
  const isOn = () => Boolean(deck.state().trial);
  const toggle = () => (isOn() ? rest() : begin());
  engine.onchange = robot.onchange = (event) => { event.target.blur(); if (isOn()) begin(); };
  for (const button of body.querySelectorAll("[data-push]"))
    button.onclick = () => {
      const degrees = (Number(button.dataset.push) * Math.PI) / 180;
      const impulse = [PUSH * Math.cos(degrees), PUSH * Math.sin(degrees), 0];
      send("push", { body: "", impulse });
    };

  const inWords = ({ com, hits, limits, fell, engine: by, robot: who }) => {
    const worst = Math.max(0, ...com.map(([, off]) => off));
    const made = hits.filter(([, off]) => off !== null).map(([, off]) => Math.abs(off));
    const late = made.length ? `, hits within ${Math.max(...made).toFixed(1)} ms` : "";
    const missed = hits.length - made.length ? `, ${hits.length - made.length} missed` : "";
    const fall = fell === null ? "" : `, fell at ${fell.toFixed(1)} s`;
    const used = limits.length ? `, ${limits.length} × at a limit` : "";
    return `${who} in ${by}: CoM error at most ${worst.toFixed(1)} mm${late}${missed}${used}${fall}`;
  };
  function draw(length) {
    const errors = desk.document_.now()?.errors;
    body.classList.toggle("with-errors", Boolean(errors));
    if (!errors) return;
    canvas.width = Math.ceil(length * view.beat);
    canvas.height = canvas.clientHeight;
    canvas.title = inWords(errors);
    const pen = canvas.getContext("2d"), high = canvas.height;
    const x = (time) => desk.beatOf(time) * view.beat;
    pen.fillStyle = "rgb(255 122 51 / 35%)";
    for (const { from_s: from, to_s: to } of errors.limits)
      pen.fillRect(x(from), 0, Math.max(1, x(to) - x(from)), high);
    pen.strokeStyle = "#8ab4f8";
    pen.beginPath();
    errors.com.forEach(([time, off], i) =>
      pen[i ? "lineTo" : "moveTo"](x(time), high - 1 - (high - 2) * Math.min(off / COM, 1)));
    pen.stroke();
    // Early to the left, and late to the right of where a hit should be; missed in red.
    for (const [time, off] of errors.hits) {
      pen.fillStyle = off === null ? "#ff6b5e" : "#f6f3ec";
      const wide = off === null ? 2 : Math.min(Math.abs(off) / HIT, 1) * 0.25 * view.beat;
      pen.fillRect(off < 0 ? x(time) - wide : x(time), 2, Math.max(1, wide), high / 2);
    }
    find(".run").textContent = inWords(errors);
  }
  // A film in the making says how much of it is made, and is cancelled with a click.
  const film = find(".film");
  film.onclick = () => send("film", film.dataset.share === undefined);
  function showFilm(share) {
    const text = share === null ? "film" : `× film ${Math.floor(100 * share)} %`;
    if (film.textContent === text) return;
    film.textContent = text;
    film.title = share === null ? "Film it as MP4, beside the file" : "Cancel the film";
    if (share === null) delete film.dataset.share;
    else film.dataset.share = share;
  }
  let said = "";
  function refresh({ trial, film: made }) {
    if (made !== undefined) showFilm(made);
    if (said === trial) return;
    said = trial;
    find(".simulate").setAttribute("aria-pressed", Boolean(trial));
    body.classList.toggle("trying", Boolean(trial));
  }
  return { draw, refresh, toggle };
};
