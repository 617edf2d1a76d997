"""Slip past the guard to the green exit across the hall; never stand in the lantern's light."""
game = Game(size=(7, 7), max_steps=40, skills=["avoidance", "navigation"])

BEAM = Param(2, 1, 3, harder="up")
PACE = Param(0.6, 0.2, 1.0, harder="up")
PILLARS = Param(0.08, 0.0, 0.2, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    PILLAR = Look("#", "gray", solid=True)
    LIGHT = Look("+", "yellow", hazard=True)
    EXIT = Look("E", "green", goal=True)

class Guard(Row):
    pos: Pos
    facing: Dir

class State:
    agent: Pos
    exit: Pos
    board: Grid(Tile, outside=Tile.PILLAR) = Tile.FLOOR
    guards: Table(Guard, 1)

def reset(s):
    s.board = where(chance_grid(PILLARS) and COL > 0 and COL < 6, Tile.PILLAR, s.board)
    s.agent = Pos(randint(0, 6), 0)
    s.exit = Pos(randint(0, 6), 6)
    s.board[s.exit] = Tile.EXIT
    post = random_cell(s.board == Tile.FLOOR and COL > 2 and COL < 5)
    spawn(s.guards, pos=post, facing=random_dir())

def step(s, act):
    before = manhattan(s.agent, s.exit)
    s.agent = try_move(s.agent, act.move)
    reward(0.04 * (before - manhattan(s.agent, s.exit)))
    s.board = where(s.board == Tile.LIGHT, Tile.FLOOR, s.board)
    for g in s.guards:
        if s.board[g.pos + g.facing] != Tile.FLOOR:
            g.facing = turn_left(g.facing) if chance(0.5) else turn_right(g.facing)
        elif chance(PACE):
            g.pos = g.pos + g.facing
        spot = g.pos
        open_line = True
        for k in range(3):
            spot = spot + g.facing
            open_line = open_line and k < BEAM and s.board[spot] == Tile.FLOOR
            if open_line:
                s.board[spot] = Tile.LIGHT
        if g.pos == s.agent:
            lose()
    if s.board[s.agent] == Tile.LIGHT:
        lose()
    if s.agent == s.exit:
        win()
