"""Carry the sample to the laboratory. Each change of direction shakes it, each rest calms it; shaken
too much it is ruined. A spill spreads through the corridors: keep out of it."""
game = Game(size=(9, 9), max_steps=60, skills=["navigation", "avoidance"])

LIMIT = Param(6, 4, 10, harder="down")
SPREAD = Param(0.05, 0.01, 0.12, harder="up")
WALLS = Param(0.16, 0.05, 0.25, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    SPILL = Look("~", "purple", hazard=True)
    LAB = Look("L", "green", goal=True)

class State:
    agent: Pos
    facing: Dir = STAY
    shake: Int(0, 12) = 0
    near: Int(0, 20) = 20
    lab: Pos
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def reset(s):
    s.agent = Pos(8, randint(0, 8))
    s.lab = Pos(0, randint(0, 8))
    s.board = where(chance_grid(WALLS) and not carve(s.agent, s.lab), Tile.WALL, s.board)
    s.board[s.lab] = Tile.LAB
    s.board[random_cell(s.board == Tile.FLOOR and not disk(s.agent, 4.0))] = Tile.SPILL

def step(s, act):
    if act.move == STAY:
        s.shake -= 1
    elif act.move != s.facing:
        s.shake += 2
        s.facing = act.move
    s.agent = try_move(s.agent, act.move)
    spilt = s.board == Tile.SPILL
    wet = s.board == Tile.FLOOR and chance_grid(SPREAD * neighbors4(spilt))
    s.board = where(wet, Tile.SPILL, s.board)
    gap = manhattan(s.agent, s.lab)
    reward(0.02 * max(s.near - gap, 0))
    s.near = min(s.near, gap)
    if s.board[s.agent] == Tile.SPILL or s.shake >= LIMIT:
        lose()
    if s.board[s.agent] == Tile.LAB:
        win()
