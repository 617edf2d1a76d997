"""Fetch the key, unlock the door and reach the exit; bats wander beyond the door."""
game = Game(size=(9, 9), max_steps=155, skills=["navigation", "manipulation"])

BATS = Param(1, 0, 3, harder="up")
FLUTTER = Param(0.52, 0.0, 1.0, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    DOOR = Look("D", "brown", solid=True, door=True)
    KEY = Look("k", "gold", item=True)
    EXIT = Look("E", "green", goal=True)

class Bat(Row):
    pos: Pos

class State:
    agent: Pos
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR
    has_key: Bool = False
    bats: Table(Bat, 3)

def reset(s):
    door_col = randint(3, 5)
    s.board = where(BORDER or COL == door_col, Tile.WALL, Tile.FLOOR)
    s.board[Pos(randint(1, 7), door_col)] = Tile.DOOR
    left = s.board == Tile.FLOOR and COL < door_col
    right = s.board == Tile.FLOOR and COL > door_col
    s.agent = random_cell(left)
    s.board[random_cell(left and not at(s.agent))] = Tile.KEY
    s.board[random_cell(right)] = Tile.EXIT
    for k in range(3):
        if k < BATS:
            spawn(s.bats, pos=random_cell(right and s.board == Tile.FLOOR))

def step(s, act):
    target = s.agent + act.move
    if s.board[target] == Tile.DOOR and s.has_key:
        s.board[target] = Tile.FLOOR
        reward(0.21)
    if not solid(s.board[target]):
        s.agent = target
    if s.board[s.agent] == Tile.KEY:
        s.has_key = True
        s.board[s.agent] = Tile.FLOOR
        reward(0.21)
    for b in s.bats:
        dest = b.pos + random_dir()
        if chance(FLUTTER) and s.board[dest] == Tile.FLOOR:
            b.pos = dest
        if b.pos == s.agent:
            lose()
    if s.board[s.agent] == Tile.EXIT:
        win()
