"""Adoption: a robot YAML proposed for a model without a description.

What the model says by its shape is found in `backbeat.models.adoption`; here it is put
into words that robots are read from, and postures are found by inverse kinematics.
"""
