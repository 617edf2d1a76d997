"""Remembers the song; the loser presses the lamp opposite."""

from envs_dsl.language.vocabulary import DIRS

OPPOSITE = {"UP": "DOWN", "DOWN": "UP", "LEFT": "RIGHT", "RIGHT": "LEFT"}


def win(s):
    return "STAY" if s.shown < s.notes else DIRS[s.song[s.pressed]]


def lose(s):
    note = win(s)
    return OPPOSITE.get(note, note)
