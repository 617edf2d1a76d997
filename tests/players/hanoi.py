"""The tower of n − 1 to the spare peg, the largest disc to the last one, the tower on top of it."""


def carries(n, source, target, spare):
    if n == 0:
        return []
    before, after = carries(n - 1, source, spare, target), carries(n - 1, spare, target, source)
    return [*before, (source, target), *after]


def win(s):
    plan, hand = [], 0
    for source, target in carries(int(s.DISCS), 0, 2, 1):
        for peg, verb in ((source, "take"), (target, "drop")):
            plan += ["RIGHT" if peg > hand else "LEFT"] * abs(peg - hand) + [verb]
            hand = peg
    return plan


def lose(s):
    """A larger disc cannot be dropped on a smaller one."""
    return ["take", "RIGHT", "RIGHT", "drop", "LEFT", "LEFT", "take", "RIGHT", "RIGHT", "drop"]
