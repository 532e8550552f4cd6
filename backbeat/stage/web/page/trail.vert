// Widens a path into a ribbon that faces the camera and thins out with age.
attribute vec3 along;
attribute vec3 rest; // time [s], speed [m/s], side
uniform float now;
varying float age;
varying float speed;

void main() {
  const float WINDOW = 0.8; // [s]
  age = (now - rest.x) / WINDOW;
  speed = rest.y;
  vec4 place = modelViewMatrix * vec4(position, 1.0);
  vec2 direction = (modelViewMatrix * vec4(along, 0.0)).xy;
  float size = max(length(direction), 1e-9);
  float width = 0.010 * (1.0 - 0.8 * clamp(age, 0.0, 1.0));
  place.xy += rest.z * width * vec2(-direction.y, direction.x) / size;
  gl_Position = projectionMatrix * place;
}
