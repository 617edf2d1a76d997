"""A mole digs unseen and throws up mounds that soon fade. Set traps (drop) where it will pass, lift
them (take) to set them elsewhere, and catch enough moles before too many mounds spoil the lawn."""
game = Game(size=(7, 7), max_steps=90, verbs=["take", "drop"], skills=["resource", "memory"])

NEED = Param(2, 1, 4, harder="up")
REACH = Param(1.0, 0.0, 1.5, harder="down")
SPOILT = Param(30, 20, 40, harder="down")

class Tile(Enum):
    LAWN = Look(".", "darkgreen")
    MOUND = Look("m", "brown", marker=True)
    TRAP = Look("t", "gray", tool=True)

class State:
    agent: Pos = Pos(3, 3)
    mole: Hidden(Pos)
    heading: Hidden(Dir) = UP
    traps: Int(0, 2) = 2
    caught: Int(0, 4) = 0
    mounds: Int(0, 40) = 0
    board: Grid(Tile, outside=Tile.LAWN) = Tile.LAWN

def reset(s):
    s.mole = random_cell(not disk(s.agent, 2.0))
    s.heading = random_dir()
    s.board[s.mole] = Tile.MOUND

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if act.drop and s.traps > 0 and s.board[s.agent] != Tile.TRAP:
        s.board[s.agent] = Tile.TRAP
        s.traps -= 1
    elif act.take and s.board[s.agent] == Tile.TRAP:
        s.board[s.agent] = Tile.LAWN
        s.traps += 1
    s.board = where(s.board == Tile.MOUND and chance_grid(0.12), Tile.LAWN, s.board)
    if chance(0.5):
        if chance(0.25) or not inside(s.mole + s.heading):
            s.heading = random_dir()
        s.mole = try_move(s.mole, s.heading)
        near = s.board == Tile.TRAP and disk(s.mole, REACH)
        if any(near):
            s.board[nearest(near, s.mole)] = Tile.LAWN
            s.traps += 1
            s.caught += 1
            reward(0.2)
            s.mole = random_cell(not disk(s.agent, 2.0) and s.board == Tile.LAWN)
        else:
            s.board[s.mole] = Tile.MOUND
            s.mounds += 1
    if s.caught >= NEED:
        win()
    elif s.mounds >= SPOILT:
        lose()
