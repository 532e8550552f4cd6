"""What is between a page in the browser and the stage.

A `Command` is what a page asks for, checked; `Slider` and `Toggle` are what it offers.
`guard` refuses what other pages and programs send, `relay` joins a page to Meshcat, and
`Savings` are what a page says is drawn or simulated less closely.
"""
