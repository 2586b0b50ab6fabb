"""Adapters: one file per host that is not our own. `memory.py` is the one to copy."""
