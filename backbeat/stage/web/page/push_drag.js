// A push by dragging a part of the robot: the way of the mouse, in the plane through the
// part that is parallel to the screen, is the impulse. `offer` has the links that may be
// pushed, `push(impulse, link)` pushes one, impulse in world axes [N s].
window.makePushDrag = (offer, isSimulated, push) => {
  const T = MeshCat.THREE, pane = viewer.dom_element, caster = new T.Raycaster();
  // Impulse of a way [N s/m], at most as much, and the way that is none [m].
  const PER_METER = 150, LEAST = 0.04;
  const robot = viewer.scene_tree.find(["robot"]);
  const arrow = new T.ArrowHelper(new T.Vector3(1, 0, 0), new T.Vector3(), 1, 0xffffff);
  for (const { material } of [arrow.line, arrow.cone]) material.depthTest = false;
  arrow.renderOrder = 9;
  viewer.set_object(["push in the making"], arrow);
  const shown = viewer.scene_tree.find(["push in the making"]).object;
  shown.visible = false;
  const world = () => robot.object.parent;
  let held = null;

  const aim = (event) => {
    const box = pane.getBoundingClientRect();
    caster.setFromCamera(new T.Vector2(
      2 * (event.clientX - box.left) / box.width - 1,
      1 - 2 * (event.clientY - box.top) / box.height), viewer.camera);
    return caster;
  };
  // The link that was hit or, where that may not be pushed, the nearest that may.
  const linkOf = ({ object, point }) => {
    let part = object;
    while (part.parent !== robot.object) part = part.parent;
    if (offer.bodies.includes(part.name)) return part.name;
    const far = (name) => robot.find([name]).object.getWorldPosition(new T.Vector3())
      .distanceTo(point);
    return offer.bodies.reduce((a, b) => (far(b) < far(a) ? b : a));
  };
  function begin(event) {
    if (held || event.button > 0 || !isSimulated() || !pane.contains(event.target)) return;
    const hit = aim(event).intersectObject(robot.object, true)[0];
    if (!hit) return;
    // The camera stays where it is meanwhile.
    event.stopImmediatePropagation();
    event.preventDefault();
    const sight = viewer.camera.getWorldDirection(new T.Vector3());
    held = { id: event.pointerId, from: hit.point, link: linkOf(hit), way: new T.Vector3(),
      plane: new T.Plane().setFromNormalAndCoplanarPoint(sight, hit.point) };
    pane.style.cursor = "grabbing";
  }
  function drag(event) {
    if (!held || event.pointerId !== held.id) return;
    event.stopImmediatePropagation();
    const to = aim(event).ray.intersectPlane(held.plane, new T.Vector3());
    if (!to) return;
    held.way = world().worldToLocal(to).sub(world().worldToLocal(held.from.clone()));
    const length = held.way.length();
    shown.visible = length > LEAST;
    shown.position.copy(world().worldToLocal(held.from.clone()));
    arrow.setDirection(held.way.clone().normalize());
    arrow.setLength(Math.max(length, LEAST), 0.08, 0.05);
    viewer.set_dirty();
  }
  function end(event) {
    if (!held || event.pointerId !== held.id) return;
    event.stopImmediatePropagation();
    const { way, link } = held, length = way.length();
    held = null;
    pane.style.cursor = "";
    shown.visible = false;
    viewer.set_dirty();
    if (event.type !== "pointerup" || length <= LEAST) return;
    const size = Math.min(PER_METER * length, offer["most impulse"]) / length;
    push(way.toArray().map((x) => Math.round(100 * size * x) / 100), link);
  }
  // Before the camera's own controls hear of it.
  window.addEventListener("pointerdown", begin, true);
  window.addEventListener("pointermove", drag, true);
  window.addEventListener("pointerup", end, true);
  window.addEventListener("pointercancel", end, true);
};
