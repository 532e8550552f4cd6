"""Reports: self-contained HTML pages about behaviors, runs and cards.

`pages` has a function for each kind of page, `plots` the figures and tables in them.
"""
