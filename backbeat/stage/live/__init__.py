"""A live show: what is simulated, shown and asked for while a page is open.

`LiveSimulation` is the closed loop under way, `SimulationHistory` its past, `Transport`
the clock, `UserInput` what pages do to it, and `Economy` what is saved if a machine is
too slow. `LiveServer` serves the page and `LiveShow` draws it.
"""
