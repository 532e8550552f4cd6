"""A live show: what is simulated, shown and asked for while a page is open.

`LiveSimulation` is the closed loop under way, `KeptSimulation` its past, `Transport`
the clock, `HandsOn` what pages do to it, and `Economy` what is saved where a machine is
too slow. `LiveServer` serves the page and `LiveShow` draws it.
"""
