"""The oracle: an independent interpreter of the language, and the judge of the back ends.

It was written from the language reference alone and shares with the product only the parser and the
typed tree: one copy at a time, plain Python values, no masks, no arrays. Where it and a back end
disagree, one of the two contradicts the reference.
"""

from .arrays import one_copy
from .episode import Oracle, State, Stepped
from .interpreter import Drawing
from .numbers import shaken
from .observation import observation

__all__ = ["Drawing", "Oracle", "State", "Stepped", "observation", "one_copy", "shaken"]
