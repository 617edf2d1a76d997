"""Plants the R-pentomino, five cells that grow for a thousand generations, and lets it live."""

R_PENTOMINO = [
    "flip",
    "UP",
    "flip",
    "RIGHT",
    "flip",
    "DOWN",
    "DOWN",
    "LEFT",
    "flip",
    "UP",
    "LEFT",
    "flip",
]


def win(s):
    return R_PENTOMINO if not s.living.any() else "use"


def lose(s):
    return ["flip", "use"]
