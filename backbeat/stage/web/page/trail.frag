// Colors by speed, blue to orange to white, and fades with age.
varying float age;
varying float speed;
uniform float fastest;

void main() {
  if (age < 0.0 || age > 1.0) discard;
  float s = clamp(speed / fastest, 0.0, 1.0);
  vec3 color = s < 0.5
    ? mix(vec3(0.16, 0.44, 0.85), vec3(0.96, 0.45, 0.20), 2.0 * s)
    : mix(vec3(0.96, 0.45, 0.20), vec3(1.0, 0.97, 0.80), 2.0 * s - 1.0);
  gl_FragColor = vec4(color, (1.0 - age * age));
}
