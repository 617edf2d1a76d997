"""Cross the field of lava to the green square: one winding path is safe, and lava is deadly."""
game = Game(size=(9, 9), max_steps=60, skills=["navigation", "avoidance"])

LAVA = Param(0.6, 0.1, 0.95, harder="up")
SLIP = Param(0.0, 0.0, 0.1, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    LAVA = Look("~", "orange", hazard=True)
    GOAL = Look("G", "green", goal=True)

class State:
    agent: Pos
    goal: Pos
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def reset(s):
    s.agent = Pos(randint(1, 7), 1)
    s.goal = Pos(randint(1, 7), 7)
    bend = Pos(randint(1, 7), randint(2, 6))
    path = carve(s.agent, bend) or carve(bend, s.goal)
    s.board = where(chance_grid(LAVA) and not path, Tile.LAVA, s.board)
    s.board = where(BORDER, Tile.WALL, s.board)
    s.board[s.goal] = Tile.GOAL

def step(s, act):
    before = manhattan(s.agent, s.goal)
    move = act.move
    if move != STAY and chance(SLIP):
        move = turn_left(move)
    s.agent = try_move(s.agent, move)
    reward(0.02 * (before - manhattan(s.agent, s.goal)))
    if s.board[s.agent] == Tile.LAVA:
        lose()
    if s.agent == s.goal:
        win()
