"""The looks of Atlas, modeled by body part.

`python -m backbeat.models.robots.atlas.shell` builds them.
Each body part module offers `parts()`: mesh file name -> parts in the frame of its link
(see atlas_v5.urdf), in meters. Arms are modeled on the right; as the left arm's frames
are turned and not mirrored, the same meshes fit there, but for the hands. Legs are
modeled on the left, outside at +y, and those that are not symmetric are mirrored.
"""
