"""Two files lie in the hall: carry each through the door of its colour and lay it to its twin
before the office closes. You hold one file; picking up the other puts the first one down."""
game = Game(size=(7, 9), max_steps=100, skills=["navigation", "manipulation"])

CLOSING = Param(80, 45, 95, harder="down")
SLIP = Param(0.0, 0.0, 0.08, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    RED_FILE = Look("r", "red", item=True)
    BLUE_FILE = Look("b", "blue", item=True)
    RED_DOOR = Look("R", "red", solid=True, door=True)
    BLUE_DOOR = Look("B", "blue", solid=True, door=True)
    RED_TWIN = Look("x", "red", goal=True)
    BLUE_TWIN = Look("y", "blue", goal=True)

class State:
    agent: Pos
    held: Int(0, 2) = 0
    pairs: Int(0, 2) = 0
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def reset(s):
    s.board = where(COL == 2 or COL == 6, Tile.WALL, s.board)
    s.board[Pos(randint(1, 5), 2)] = Tile.RED_DOOR
    s.board[Pos(randint(1, 5), 6)] = Tile.BLUE_DOOR
    s.board[random_cell(COL < 2)] = Tile.RED_TWIN
    s.board[random_cell(COL > 6)] = Tile.BLUE_TWIN
    hall = COL > 2 and COL < 6
    s.agent = random_cell(hall)
    s.board[random_cell(hall and not at(s.agent))] = Tile.RED_FILE
    s.board[random_cell(hall and not at(s.agent) and s.board == Tile.FLOOR)] = Tile.BLUE_FILE

def step(s, act):
    before = s.agent
    target = s.agent + act.move
    ahead = s.board[target]
    if (ahead == Tile.RED_DOOR and s.held == 1) or (ahead == Tile.BLUE_DOOR and s.held == 2):
        s.board[target] = Tile.FLOOR
        reward(0.1)
    s.agent = try_move(s.agent, act.move)
    here = s.board[s.agent]
    if s.agent != before and (here == Tile.RED_FILE or here == Tile.BLUE_FILE):
        left = Tile.FLOOR
        if s.held == 1:
            left = Tile.RED_FILE
        elif s.held == 2:
            left = Tile.BLUE_FILE
        else:
            reward(0.1)
        s.board[s.agent] = left
        s.held = 1 if here == Tile.RED_FILE else 2
    elif s.held > 0 and here == Tile.FLOOR and chance(SLIP):
        s.board[s.agent] = Tile.RED_FILE if s.held == 1 else Tile.BLUE_FILE
        s.held = 0
        reward(-0.1)
    if (here == Tile.RED_TWIN and s.held == 1) or (here == Tile.BLUE_TWIN and s.held == 2):
        s.board[s.agent] = Tile.FLOOR
        s.held = 0
        s.pairs += 1
        reward(0.2)
    if s.pairs == 2:
        win()
    elif s.t >= CLOSING:
        lose()
