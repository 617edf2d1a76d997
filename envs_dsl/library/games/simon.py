"""Watch the lamps flash one after another, then press the same sequence; it grows every round."""
game = Game(size=(3, 3), max_steps=80, skills=["memory"])

NEED = Param(3, 1, 6, harder="up")

class State:
    song: Hidden(Array(Dir, 6))
    notes: Int(1, 6) = 1
    shown: Int(0, 6) = 0
    pressed: Int(0, 6) = 0
    lamps: Grid(Bool) = False

def reset(s):
    for k in range(6):
        s.song[k] = random_dir()

def step(s, act):
    dark = not any(s.lamps)
    s.lamps = False
    if s.shown < s.notes:
        if dark:
            s.lamps = at(Pos(1, 1) + s.song[s.shown])
            s.shown += 1
    elif act.move != STAY:
        s.lamps = at(Pos(1, 1) + act.move)
        if act.move != s.song[s.pressed]:
            lose()
        s.pressed += 1
        if s.pressed == s.notes:
            reward(0.1)
            if s.notes >= NEED:
                win()
            s.notes += 1
            s.shown = 0
            s.pressed = 0
