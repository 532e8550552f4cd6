"""Figures and tables of reports, as SVG and HTML that stand in a page.

`style` has what all figures share; `RunCurve`, `Measure` and `Comparison` are what is
drawn of a run and of two.
"""
