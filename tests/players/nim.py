"""Leaves a multiple of four; the loser always takes one."""


def win(s, seat):
    return {1: "LEFT", 2: "UP", 3: "RIGHT", 0: "LEFT"}[int(s.left) % 4]


def lose(s, seat):
    return "LEFT"
