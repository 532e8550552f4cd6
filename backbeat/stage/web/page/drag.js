// A row of a list that is dragged onto the lanes with a mouse or a pen; a touch scrolls the
// list. `place` says of pixels from the left of the lanes {at, left, words}: what is
// dropped there, where that begins, and what is said meanwhile.
window.makeDraggable = (row, lanes, { label, width, place, says, drop }) => {
  const APART = 6, ABOVE = 40, BELOW = 20;
  row.onpointerdown = (event) => {
    row.dragged = false;
    if (event.button > 0 || event.pointerType === "touch") return;
    const x0 = event.clientX, y0 = event.clientY;
    let ghost = null, at = null;
    row.setPointerCapture(event.pointerId);
    row.onpointermove = (e) => {
      if (!ghost && Math.hypot(e.clientX - x0, e.clientY - y0) < APART) return;
      row.dragged = true;
      if (!ghost) {
        ghost = Object.assign(document.createElement("div"), { className: "block dragged", textContent: label });
        ghost.style.width = `${width()}px`;
        document.body.append(ghost);
      }
      const box = lanes.getBoundingClientRect();
      const isInside = e.clientY > box.top - ABOVE && e.clientY < box.bottom + BELOW;
      const found = isInside ? place(e.clientX - box.left) : null;
      at = found && found.at;
      ghost.style.left = `${found ? box.left + found.left : e.clientX}px`;
      ghost.style.top = `${e.clientY - 10}px`;
      says(found ? found.words : "");
    };
    row.onpointerup = row.onpointercancel = ({ type }) => {
      row.onpointermove = row.onpointerup = row.onpointercancel = null;
      ghost?.remove();
      says("");
      if (type === "pointerup" && ghost && at !== null) drop(at);
    };
  };
};
