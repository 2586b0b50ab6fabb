"""The screen of the prompt: one inline prompt_toolkit application for a whole session.

What was said is printed once, above; what stands (the unfinished answer, widgets, the line being typed) is drawn
below it and never taller than the terminal. `above.py` is the only module that knows private names of the library.
"""
