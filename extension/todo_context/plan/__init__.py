"""The plan as a value: what it is, how it changes, how it is written and read back.

Pure: no clock, no disk, no host. Everything in here is a function from values to values.
"""
