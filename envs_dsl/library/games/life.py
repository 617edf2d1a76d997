"""Plant a few living cells, then let Conway's rules run: grow the colony until it is large."""
game = Game(size=(11, 11), max_steps=100, verbs=["use", "flip"], skills=["puzzle"])

PLANTED = Param(6, 4, 12, harder="down")
NEED = Param(12, 8, 24, harder="up")

class State:
    cursor: Pos = Pos(5, 5)
    seeds: Int(0, 12) = 0
    living: Grid(Bool) = False

def reset(s):
    s.seeds = PLANTED

def step(s, act):
    """Flip plants a cell, or takes it back; use lets one generation pass."""
    s.cursor = try_move(s.cursor, act.move)
    if act.flip and s.living[s.cursor]:
        s.living[s.cursor] = False
        s.seeds += 1
    elif act.flip and s.seeds > 0:
        s.living[s.cursor] = True
        s.seeds -= 1
    if act.use:
        near = neighbors8(s.living)
        s.living = near == 3 or (s.living and near == 2)
        if not any(s.living):
            lose()
    if count(s.living) >= NEED:
        win()
