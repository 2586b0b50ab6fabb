"""The panel: the plan on a few rows that stand while one works.

`choose` says which lines fit, `draw` makes rows of them, `state` keeps what the plan alone does not say.
"""
