"""Attention: the text that keeps the plan in the model's sight, before a request and at the end of a turn.

Pure: records of a branch in, facts and text out; no clock, no disk, no host. Whoever is to say it to a model
puts it where `place` says; nothing here is ever stored, but for what `stop_reminder` says.
"""

from todo_context.attention.cache_mark import moved_mark
from todo_context.attention.edits import Edits
from todo_context.attention.facts import Facts, facts_of
from todo_context.attention.fence import harmless, is_ours
from todo_context.attention.guard import STOP_TYPE, stop_reminder
from todo_context.attention.judges import asks_the_person, is_verification, says_stop
from todo_context.attention.placement import place
from todo_context.attention.records import LEAF_KEY
from todo_context.attention.reminder import reminder

__all__ = [
    "LEAF_KEY",
    "STOP_TYPE",
    "Edits",
    "Facts",
    "asks_the_person",
    "facts_of",
    "harmless",
    "is_ours",
    "is_verification",
    "moved_mark",
    "place",
    "reminder",
    "says_stop",
    "stop_reminder",
]
