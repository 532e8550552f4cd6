"""Physical models: robots, their surroundings, motors and sensors.

Folders import downwards: `common`, `compiled` and `contact` know nothing of robots;
`dynamics` is the rigid-body recursion, `urdf` reads descriptions, `robot` is a robot as
control and optimization see it, `state` is that robot at one (q, v), and `world` puts
it into a simulated scene.
"""
