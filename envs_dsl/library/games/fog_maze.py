"""Find the way out of a dark maze: you see only what is close, but your map keeps what you saw."""
game = Game(size=(11, 11), max_steps=200, skills=["navigation", "memory"])

SIGHT = Param(1.5, 1.0, 4.0, harder="down")
LOOPS = Param(0.05, 0.0, 0.2, harder="down")

class Tile(Enum):
    DARK = Look("?", "darkgray")
    PASSAGE = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    EXIT = Look("E", "green", goal=True)

class State:
    agent: Pos
    world: Hidden(Grid(Tile, outside=Tile.WALL)) = Tile.WALL
    board: Grid(Tile, outside=Tile.WALL) = Tile.DARK

def reset(s):
    passage = maze() or (chance_grid(LOOPS) and not BORDER)
    s.world = where(passage, Tile.PASSAGE, Tile.WALL)
    s.agent = random_cell(passage)
    s.world[random_cell(passage and not disk(s.agent, 5.0))] = Tile.EXIT
    s.board = where(disk(s.agent, SIGHT), s.world, s.board)

def step(s, act):
    if not solid(s.world[s.agent + act.move]):
        s.agent = s.agent + act.move
    s.board = where(disk(s.agent, SIGHT), s.world, s.board)
    if s.board[s.agent] == Tile.EXIT:
        win()
