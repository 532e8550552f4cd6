// Parts of a panel: groups, sliders and switches that follow what the server says.
window.makeForm = (panel) => {
  const make = (tag, props = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), props);
    element.append(...children);
    return element;
  };
  const group = (title, ...children) => {
    const set = make("fieldset", {}, make("legend", { textContent: title }), ...children);
    panel.append(set);
    return set;
  };
  panel.onsubmit = (event) => event.preventDefault();
  const refreshers = [];

  // A slider follows the server, but not while it is held.
  function slider({ label, hint = "", unit = "", low, high, step, scale = 1, shown }, get, put) {
    const range = make("input", { type: "range", min: low, max: high, step, title: hint });
    range.setAttribute("aria-label", label);
    const value = make("output");
    shown ??= (x) => {
      const digits = Math.max(0, Math.ceil(-Math.log10(step * scale) - 1e-9));
      return `${(x * scale).toFixed(digits)}${unit && ` ${unit}`}`;
    };
    let until = 0;
    range.oninput = () => {
      until = performance.now() + 500;
      value.textContent = shown(Number(range.value));
      put(Number(range.value));
    };
    const show = (x) => {
      if (x === undefined || performance.now() < until) return;
      if (Number(range.value) !== x) range.value = x;
      value.textContent = shown(x);
    };
    refreshers.push(() => show(get()));
    return make("label", { className: "slider", title: hint },
      make("span", { textContent: label }), value, range);
  }

  function toggle({ name, label, hint }, get, put) {
    const button = make("button", { type: "button", textContent: label, title: hint });
    button.dataset.setting = name;
    // An answer on its way may not know of the last click yet.
    let wish = { until: 0 };
    const now = () => (performance.now() < wish.until ? wish.on : get());
    button.onclick = () => {
      wish = { on: !now(), until: performance.now() + 400 };
      put(wish.on);
    };
    refreshers.push(() => button.setAttribute("aria-pressed", now()));
    return button;
  }
  return { make, group, slider, toggle, refreshers };
};
