"""MuJoCo models of simulated worlds, made from their Drake plants.

`make_model` translates a finalized plant, with what a context of it has as masses,
damping and locked joints: links, joints, motors, couplings, shapes, and which of them
touch. There is no second description of robot or scene. `ContactLaw` names how contact
yields, `write_mjcf` files a model for MuJoCo's own viewer.
"""
