"""Each locked door needs the key of its colour, the next key lies behind it: reach the ball."""
game = Game(size=(9, 10), max_steps=200, verbs=["open"], skills=["navigation", "manipulation"])

LOCKS = Param(2, 1, 3, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    RED_DOOR = Look("R", "red", solid=True, door=True)
    BLUE_DOOR = Look("B", "blue", solid=True, door=True)
    GOLD_DOOR = Look("G", "gold", solid=True, door=True)
    RED_KEY = Look("r", "red", item=True)
    BLUE_KEY = Look("b", "blue", item=True)
    GOLD_KEY = Look("g", "gold", item=True)
    BALL = Look("o", "green", goal=True)

class Key(Enum):
    RED = Look("r", "red")
    BLUE = Look("b", "blue")
    GOLD = Look("g", "gold")

class State:
    agent: Pos = Pos(4, 1)
    keys: Array(Bool, Key) = False
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def room(door):
    """The two by two cells behind a door of the corridor."""
    top = 1 if door.row == 3 else 6
    left = door.col // 3 * 3 + 1
    return rect(Pos(top, left), Pos(top + 1, left + 1))

def reset(s):
    s.board = where(ROW % 5 == 3 or ROW == 0 or ROW == 5, Tile.WALL, s.board)
    s.board = where(COL % 3 == 0 and (ROW != 4 or BORDER), Tile.WALL, s.board)
    ways = at(Pos(3, randint(1, 2)))
    for k in range(1, 6):
        ways = ways or at(Pos(3 if k < 3 else 5, k % 3 * 3 + randint(1, 2)))
    s.board = where(ways, Tile.FLOOR, s.board)
    red = random_cell(ways)
    blue = random_cell(ways and not at(red))
    gold = random_cell(ways and not at(red) and not at(blue))
    unlocked = s.board == Tile.FLOOR and ROW != 4 and not ways
    unlocked = unlocked and not room(red) and not room(blue) and not room(gold)
    s.board[red] = Tile.RED_DOOR
    s.board[random_cell(unlocked)] = Tile.RED_KEY
    last = random_cell(room(red))
    if LOCKS >= 2:
        s.board[last] = Tile.BLUE_KEY
        s.board[blue] = Tile.BLUE_DOOR
        last = random_cell(room(blue))
    if LOCKS >= 3:
        s.board[last] = Tile.GOLD_KEY
        s.board[gold] = Tile.GOLD_DOOR
        last = random_cell(room(gold))
    s.board[last] = Tile.BALL

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    here = s.board[s.agent]
    if tagged(here, "item"):
        s.keys[Key.RED] = s.keys[Key.RED] or here == Tile.RED_KEY
        s.keys[Key.BLUE] = s.keys[Key.BLUE] or here == Tile.BLUE_KEY
        s.keys[Key.GOLD] = s.keys[Key.GOLD] or here == Tile.GOLD_KEY
        s.board[s.agent] = Tile.FLOOR
        reward(0.1)
    red = s.keys[Key.RED] and s.board == Tile.RED_DOOR
    blue = s.keys[Key.BLUE] and s.board == Tile.BLUE_DOOR
    gold = s.keys[Key.GOLD] and s.board == Tile.GOLD_DOOR
    if act.open:
        s.board = where(disk(s.agent, 1.0) and (red or blue or gold), Tile.FLOOR, s.board)
    if here == Tile.BALL:
        win()
