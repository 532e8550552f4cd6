"""The simulated world: ground, scene, joint servo, dry friction, simulator."""
