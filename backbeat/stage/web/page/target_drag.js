// A target that is dragged in the scene. It moves in the plane through it that is
// parallel to the screen; with Shift held, and by the wheel, along the line of sight.
// `place` gives where it is asked to be and `put` asks for another place, both from
// where the hand began, world axes [m].
window.makeTargetDrag = ({ path, start, farthest }, place, put) => {
  const T = MeshCat.THREE, pane = viewer.dom_element;
  // As near as this counts as on it [pixels], with a mouse and with a finger; or on the
  // ball of the target itself, whose radius this is [m].
  const NEAR = 14, NEAR_FINGER = 30, RADIUS = 0.025;
  // What a notch of the wheel moves it by [m], and a pixel of the wheel.
  const NOTCH = 0.01, PER_PIXEL = NOTCH / 100;
  const folder = path.split("/").filter(Boolean);
  // Its parent has the axes of the world, of which z points up.
  const world = () => viewer.scene_tree.find(folder).object.parent;
  const origin = new T.Vector3(...start);
  const caster = new T.Raycaster();
  let held = null;

  // Where it is asked to be: the target itself glides there.
  const mark = new T.Mesh(new T.SphereGeometry(0.034, 12, 8), new T.MeshBasicMaterial(
    { color: 0xff7a33, wireframe: true, transparent: true, opacity: 0.7, depthTest: false }));
  mark.renderOrder = 9;
  const marked = [...folder.slice(0, -1), `${folder.at(-1)} asked for`];
  viewer.set_object(marked, mark);
  const marker = viewer.scene_tree.find(marked).object;
  marker.visible = false;

  const asked = () => new T.Vector3(...place()).add(origin);
  const onScreen = (point) => {
    const seen = world().localToWorld(point.clone()).project(viewer.camera);
    const box = pane.getBoundingClientRect();
    return { depth: seen.z, x: box.left + (0.5 + 0.5 * seen.x) * box.width,
      y: box.top + (0.5 - 0.5 * seen.y) * box.height };
  };
  const sight = (event) => {
    const box = pane.getBoundingClientRect();
    caster.setFromCamera(new T.Vector2(
      2 * (event.clientX - box.left) / box.width - 1,
      1 - 2 * (event.clientY - box.top) / box.height), viewer.camera);
    return caster.ray;
  };
  const forward = () => viewer.camera.getWorldDirection(new T.Vector3());
  // Along the line of sight it stays where it is on the screen.
  const push = (point, by) =>
    point.addScaledVector(point.clone().sub(viewer.camera.position).normalize(), by);
  const isOn = (event) => {
    if (!pane.contains(event.target)) return false;
    const there = onScreen(asked());
    const side = new T.Vector3().setFromMatrixColumn(viewer.camera.matrixWorld, 0);
    const rim = world().localToWorld(asked()).addScaledVector(side, RADIUS);
    const near = Math.max(event.pointerType === "touch" ? NEAR_FINGER : NEAR,
      Math.abs(onScreen(world().worldToLocal(rim)).x - there.x));
    return Math.abs(there.depth) < 1
      && Math.hypot(there.x - event.clientX, there.y - event.clientY) < near;
  };

  // Answers to one place at a time are waited for, so that the last one counts.
  let next = null, busy = false;
  async function ask(to) {
    next = to;
    if (busy) return;
    busy = true;
    while (next) {
      const now = next;
      next = null;
      await put(now);
    }
    busy = false;
  }
  // To a point in three.js' axes, as far as it may go.
  function move(point) {
    const to = world().worldToLocal(point.clone()).sub(origin).toArray().map((x) =>
      Math.round(1e3 * Math.min(Math.max(x, -farthest), farthest)) / 1e3);
    marker.position.set(...to).add(origin);
    viewer.set_dirty();
    ask(to);
  }
  const show = (on) => {
    marker.visible = on;
    if (on) marker.position.copy(asked());
    viewer.set_dirty();
  };

  function begin(event) {
    if (held || event.button > 0 || !isOn(event)) return;
    // The camera stays where it is meanwhile.
    event.stopImmediatePropagation();
    event.preventDefault();
    pane.setPointerCapture(event.pointerId);
    const point = world().localToWorld(asked());
    held = { id: event.pointerId, point, ...grip(event, point) };
    pane.style.cursor = "grabbing";
    show(true);
  }
  // A plane through a point, and how far beside it the pointer has it.
  function grip(event, point) {
    const plane = new T.Plane().setFromNormalAndCoplanarPoint(forward(), point);
    const hit = sight(event).intersectPlane(plane, new T.Vector3()) ?? point;
    return { plane, beside: point.clone().sub(hit), y: event.clientY, shift: event.shiftKey };
  }
  function drag(event) {
    if (!held) {
      const on = isOn(event);
      if (on || pane.style.cursor) pane.style.cursor = on ? "grab" : "";
      return;
    }
    if (event.pointerId !== held.id) return;
    event.stopImmediatePropagation();
    if (event.shiftKey !== held.shift) Object.assign(held, grip(event, held.point));
    if (event.shiftKey) {
      // Up is away, as much as the same way sideways would be.
      const distance = held.point.clone().sub(viewer.camera.position).dot(forward());
      const camera = viewer.camera;
      const height = camera.isPerspectiveCamera
        ? 2 * distance * Math.tan(camera.getEffectiveFOV() * Math.PI / 360)
        : (camera.top - camera.bottom) / camera.zoom;
      const by = (held.y - event.clientY) * height / pane.clientHeight;
      held.y = event.clientY;
      push(held.point, by);
    } else {
      const hit = sight(event).intersectPlane(held.plane, new T.Vector3());
      if (!hit) return;
      held.point.copy(hit.add(held.beside));
    }
    move(held.point);
  }
  function end(event) {
    if (!held || event.pointerId !== held.id) return;
    event.stopImmediatePropagation();
    held = null;
    pane.style.cursor = "";
    setTimeout(() => held || show(false), 700);
  }
  function roll(event) {
    if (!held && !isOn(event)) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    const by = event.deltaMode ? NOTCH * Math.sign(event.deltaY) : PER_PIXEL * event.deltaY;
    const point = held?.point ?? world().localToWorld(asked());
    push(point, -by);
    if (held) Object.assign(held, grip(event, point));
    move(point);
  }
  // Before the camera's own controls hear of it.
  const first = { capture: true, passive: false };
  window.addEventListener("pointerdown", begin, first);
  window.addEventListener("pointermove", drag, first);
  window.addEventListener("pointerup", end, first);
  window.addEventListener("pointercancel", end, first);
  window.addEventListener("wheel", roll, first);
  return { onScreen: () => onScreen(asked()) };
};
