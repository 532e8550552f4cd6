// Before Meshcat makes its canvas: whether a processor draws it, for want of a graphics
// card. `#full` at the end of the address draws as with one, as films do.
window.drawsBySoftware = (() => {
  if (location.hash === "#full") return false;
  const gl = document.createElement("canvas").getContext("webgl");
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
