"""Only one bead glows at a time: pick it up, then the next; touching a dull bead ends the game."""
game = Game(size=(7, 7), max_steps=60, skills=["navigation", "puzzle"])

BEADS = Param(4, 2, 8, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    DULL = Look("o", "purple", hazard=True)
    GLOWING = Look("*", "gold", item=True)

class State:
    agent: Pos
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def reset(s):
    s.agent = random_cell(not BORDER)
    for k in range(8):
        if k < BEADS:
            s.board[random_cell(s.board == Tile.FLOOR and not at(s.agent))] = Tile.DULL
    s.board[random_cell(s.board == Tile.DULL)] = Tile.GLOWING

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if s.board[s.agent] == Tile.DULL:
        lose()
    if s.board[s.agent] == Tile.GLOWING:
        s.board[s.agent] = Tile.FLOOR
        reward(0.1)
        if any(s.board == Tile.DULL):
            s.board[random_cell(s.board == Tile.DULL)] = Tile.GLOWING
        else:
            win()
