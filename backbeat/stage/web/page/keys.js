// What keys do: a table of key to [what it does, act], and the list of it. A digit has
// "#" before it, for bare ones would come before all other keys of a table.
window.listenToKeys = (find, table) => {
  const NAMES = { " ": "space", ArrowLeft: "←", ArrowRight: "→" };
  function showKeys() {
    const dialog = find("dialog.keys");
    if (dialog.open) return dialog.close();
    dialog.querySelector("dl").replaceChildren(...Object.entries(table).flatMap(
      ([key, [what]]) => {
        const [name, does] = ["dt", "dd"].map((tag) => document.createElement(tag));
        name.textContent = NAMES[key] ?? key.replace("#", "");
        does.textContent = what;
        return [name, does];
      }));
    dialog.showModal();
  }
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const inside = event.target.closest?.("dialog, select, input:is([type=number], [type=search])");
    // A focused button has its own opinion about the space bar, a slider about arrows.
    const own = event.target.closest?.("button") && key === " "
      || event.target.closest?.("input[type=range]:not(.time)") && /^(Arrow|Home|End)/.test(key);
    if (own || inside && key !== "?") return;
    const found = table[key === "=" ? "+" : key] ?? table[`#${key}`];
    if (!found) return;
    event.preventDefault();
    found[1]();
  }, true);
  return showKeys;
};
