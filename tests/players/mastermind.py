"""Guesses a code that agrees with every answer; the loser repeats one known to be wrong."""

from itertools import product


def answer(guess, code):
    right = sum(g == c for g, c in zip(guess, code))
    return right, sum(min(guess.count(p), code.count(p)) for p in range(1, 7)) - right


def put(code):
    return [a for peg in code for a in ["UP"] * peg + ["RIGHT"]] + ["use"]


def win(s):
    rows = s.pegs[: s.cursor[0]].tolist()
    for code in product(range(1, int(s.COLOURS) + 1), repeat=4):
        if all(answer(row[:4], code) == (row[4], row[5]) for row in rows):
            return put(code)
    raise AssertionError("no code agrees with the answers")


def lose(s):
    return put([2 if s.code[0] == 1 else 1] * 4)
