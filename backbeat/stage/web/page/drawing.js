// Where a processor draws, or a graphics card that is too slow: no shadows, colors that
// take no light, meshes of fewer triangles, fewer pixels, and as few pictures as leave
// the processor to the simulation.
window.makeDrawing = () => {
  const T = MeshCat.THREE, renderer = viewer.renderer;
  // Share of the time in which a picture may be drawn; times of a picture that are too
  // long, and short enough for more pixels [ms]; factors on the pixels a side.
  const SHARE = 0.5, SLOW = 70, QUICK = 30, RATIOS = [1, 0.75, 0.6, 0.45];
  // Between two looks for parts that are new [ms].
  const PAUSE = 500;
  // Pixels of which no picture has less, if it is so large.
  const FEWEST = 2.5e5;
  // A page that needs longer than this for a picture draws plainly [ms], if so many in a
  // row do. Edge of the cells whose points become one [m], at most this share of the
  // shortest side of a mesh, for a thin one would vanish.
  const TOO_SLOW = 60, IN_A_ROW = 12, CELL = 0.025, FINE = 0.4;
  const most = window.devicePixelRatio || 1;
  let isPlain = false, level = 0, next = 0, spent = 0, slow = 0, good = 0, looked = -1e3, later = 0;

  // Light and dark by the normal at each corner, with y up: no pixel is lit.
  const shaded = (before) => (shader) => {
    before?.(shader);
    shader.vertexShader = `varying float shade;\n${shader.vertexShader}`.replace(
      "#include <begin_vertex>", `#include <begin_vertex>
      vec3 outward = normalize(mat3(modelMatrix) * normal);
      shade = 0.42 + 0.5 * max(0.0, dot(outward, vec3(0.33, 0.67, 0.66)))
        + 0.22 * max(0.0, dot(outward, vec3(-0.6, 0.7, -0.4)));`);
    shader.fragmentShader = `varying float shade;\n${shader.fragmentShader}`.replace(
      "vec3 outgoingLight = reflectedLight.indirectDiffuse;",
      "vec3 outgoingLight = shade * reflectedLight.indirectDiffuse;");
  };
  function plainMaterial(old) {
    const { color, emissive, map, side, transparent, opacity, vertexColors, depthTest,
      depthWrite } = old;
    const own = color.clone();
    if (emissive) own.add(emissive);
    const made = new T.MeshBasicMaterial({ color: own, map, side, transparent, opacity,
      vertexColors, depthTest, depthWrite });
    made.onBeforeCompile = shaded(old.onBeforeCompile);
    return made;
  }
  // Points of a cell of the same side become one; triangles without area go.
  function simplified(geometry) {
    const place = geometry.getAttribute("position"), normal = geometry.getAttribute("normal");
    if (!normal || geometry.morphAttributes.position || place.count < 100) return geometry;
    geometry.computeBoundingBox();
    const sides = geometry.boundingBox.getSize(new T.Vector3()).toArray();
    const edge = Math.max(1e-4, Math.min(CELL, FINE * Math.min(...sides)));
    const found = new Map(), points = [], normals = [], cells = [];
    const to = new Uint32Array(place.count);
    for (let i = 0; i < place.count; i++) {
      const cell = [place.getX(i), place.getY(i), place.getZ(i)]
        .map((x) => Math.round(x / edge)).join();
      const key = `${cell} ${[normal.getX(i), normal.getY(i), normal.getZ(i)].map((x) => Math.round(1.5 * x)).join()}`;
      if (!found.has(key)) {
        found.set(key, cells.length);
        cells.push(cell);
        points.push(place.getX(i), place.getY(i), place.getZ(i));
        normals.push(normal.getX(i), normal.getY(i), normal.getZ(i));
      }
      to[i] = found.get(key);
    }
    const corners = [], index = geometry.index, count = index ? index.count : place.count;
    for (let i = 0; i < count; i += 3) {
      const [a, b, c] = [0, 1, 2].map((k) => to[index ? index.getX(i + k) : i + k]);
      if (cells[a] !== cells[b] && cells[b] !== cells[c] && cells[c] !== cells[a])
        corners.push(a, b, c);
    }
    const made = new T.BufferGeometry();
    made.setAttribute("position", new T.Float32BufferAttribute(points, 3));
    made.setAttribute("normal", new T.Float32BufferAttribute(normals, 3));
    made.setIndex(corners);
    return made;
  }
  function simplifyAll() {
    viewer.scene.traverse((part) => {
      if (part.isLight) part.castShadow = false;
      if (!part.isMesh || part.userData.plain) return;
      part.userData.plain = true;
      const old = part.material;
      if (!old.isMeshStandardMaterial && !old.isMeshPhongMaterial && !old.isMeshLambertMaterial)
        return;
      part.material = plainMaterial(old);
      if (!old.map && !old.vertexColors) part.geometry = simplified(part.geometry);
    });
  }
  const setPixels = () => {
    const { offsetWidth, offsetHeight } = viewer.dom_element;
    const least = Math.min(1, Math.sqrt(FEWEST / Math.max(offsetWidth * offsetHeight, 1)));
    renderer.setPixelRatio(Math.min(most, Math.max(RATIOS[level], least)));
  };
  function drawPlainly() {
    isPlain = true;
    renderer.shadowMap.enabled = false;
    level = 1;
    setPixels();
    window.addEventListener("resize", setPixels);
  }
  // What draws runs beside the page: one pixel that is read waits for it.
  const pixel = new Uint8Array(4), gl = renderer.getContext();
  const draw = viewer.render.bind(viewer);
  viewer.render = () => {
    const now = performance.now();
    if (now < next) return;
    if (isPlain && now - looked > PAUSE) {
      looked = now;
      simplifyAll();
    } else if (isPlain) {
      // A part that came just now is simplified by and by, if nothing else moves too.
      later ||= setTimeout(() => { later = 0; viewer.set_dirty(); }, PAUSE);
    }
    draw();
    if (!isPlain && !window.measuresDrawing) return watch(now);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    spent = performance.now() - now;
    next = now + spent / SHARE;
    if (isPlain) adapt();
  };
  // A picture that takes long keeps the page from its next.
  let last = 0;
  function watch(now) {
    slow = now - last > TOO_SLOW && now - last < 2000 && !document.hidden ? slow + 1 : 0;
    last = now;
    if (slow > IN_A_ROW && location.hash !== "#full") drawPlainly();
  }
  function adapt() {
    slow = spent > SLOW ? slow + 1 : 0;
    good = spent < QUICK ? good + 1 : 0;
    const to = slow > 2 ? level + 1 : good > 60 ? level - 1 : level;
    if (to === level || to < 0 || to >= RATIOS.length) return;
    [level, slow, good] = [to, 0, 0];
    setPixels();
  }
  if (window.drawsBySoftware) drawPlainly();
  window.addEventListener("pointermove", () => (next = Math.min(next, performance.now() + 150)));
  return () => ({ isPlain, pixels: renderer.getPixelRatio(), milliseconds: spent });
};
