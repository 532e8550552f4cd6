// Play controls, the same for a recording and for a live show. A deck does the work:
// play(on), seek(t), step(n), leap(n), beat(k), speed(x), loop(on), and state(), which
// says {time, playing, speed, loop, start, end, reach}. `keys` are further keys.
window.makeTransport = ({ info, find, say, clock }, deck, keys = {}) => {
  const footer = find("footer"), slider = find("input.time"), beat = find("input.beat");
  const speed = find("input.speed"), loop = find("button.loop");
  const now = () => deck.state();
  footer.hidden = false;

  find("button.play").onclick = () => deck.play(!now().playing);
  find("button.back").onclick = () => deck.step(-1);
  find("button.on").onclick = () => deck.step(1);
  loop.onclick = () => deck.loop(!now().loop);
  // While a slider is held, the answer to it is not told it again.
  let held = null;
  const hold = (element) => (held = { element, until: performance.now() + 400 });
  const isHeld = (element) => document.activeElement === element && element.type === "number"
    || held?.element === element && performance.now() < held.until;
  slider.oninput = () => { hold(slider); deck.seek(now().start + Number(slider.value)); };
  speed.oninput = () => { hold(speed); deck.speed(Number(speed.value)); };
  speed.ondblclick = () => deck.speed(1);
  beat.onchange = () => { if (beat.value) deck.beat(Number(beat.value)); beat.blur(); };

  const faster = (by) => {
    const next = Math.round((now().speed + by) * 20) / 20;
    deck.speed(Math.min(Math.max(next, 0.1), 2));
  };
  const table = {
    " ": ["play, pause", () => deck.play(!now().playing)],
    ArrowLeft: ["one beat back", () => deck.leap(-1)],
    ArrowRight: ["one beat forward", () => deck.leap(1)],
    ",": ["one step back", () => deck.step(-1)],
    ".": ["one step forward", () => deck.step(1)],
    Home: ["to the start", () => deck.seek(now().start)],
    End: ["to the end", () => deck.seek(now().end)],
    l: ["loop on, off", () => deck.loop(!now().loop)],
    "-": ["slower", () => faster(-0.1)],
    "+": ["faster", () => faster(0.1)],
    "#0": ["default speed", () => deck.speed(1)],
    ...keys,
    "?": ["these keys", () => showKeys()],
  };
  const showKeys = window.listenToKeys(find, table);
  find("button.help").onclick = showKeys;

  const marks = find(".marks");
  function mark() {
    const { start, end } = now();
    marks.replaceChildren(...info.marks.filter(({ time }) => time <= end).map(
      ({ time, strong }) => {
        const line = document.createElement("i");
        line.style.left = `${(100 * (time - start)) / (end - start)}%`;
        if (strong) line.className = "strong";
        return line;
      }));
  }
  let marked = "";
  const set = (element, key, value) => {
    if (element[key] !== value) element[key] = value;
  };
  return function refresh() {
    const { time, playing, speed: rate, loop: loops, start, end, reach } = now();
    if (marked !== `${start} ${end} ${info.edition}`) {
      marked = `${start} ${end} ${info.edition}`;
      mark();
      say("length", clock(end));
      beat.max = Math.max(info.beats.length, 1);
      beat.parentElement.hidden = info.beats.length === 0;
    }
    footer.classList.toggle("playing", playing);
    set(slider, "max", String(end - start));
    if (!isHeld(slider)) slider.value = time - start;
    if (!isHeld(speed)) speed.value = rate;
    say("speed", `${Number(rate.toFixed(2))} ×`);
    loop.setAttribute("aria-pressed", loops);
    const done = info.beats.filter((t) => t <= time + 1e-3).length;
    if (!isHeld(beat)) set(beat, "value", String(Math.max(done, 1)));
    find(".reach").style.right =
      `${100 * (1 - Math.min((reach - start) / (end - start || 1), 1))}%`;
  };
};
