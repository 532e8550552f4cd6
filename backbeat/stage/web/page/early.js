// Before Meshcat makes its canvas: whether there can be one.
function sayWithout3d() {
  const cover = document.getElementById("loading");
  cover.querySelector("progress").remove();
  cover.querySelector("span").textContent = "This browser draws nothing in 3D, for its WebGL "
    + "is off or blocked: switch on hardware acceleration in its settings, or use another one.";
}
// And whether a processor draws it, for want of a graphics card. `#full` at the end of the
// address draws as with one, as films do.
window.drawsBySoftware = (() => {
  const gl = document.createElement("canvas").getContext("webgl");
  if (!gl) addEventListener("DOMContentLoaded", sayWithout3d);
  if (location.hash === "#full") return false;
  const known = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = gl?.getParameter(known ? known.UNMASKED_RENDERER_WEBGL : gl.RENDERER) ?? "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
})();
if (window.drawsBySoftware) {
  // Smooth edges take four times the pixels, and cannot be given up later.
  const get = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, options) {
    return get.call(this, kind, { ...options, antialias: false });
  };
}
