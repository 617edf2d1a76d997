"""Roll the boulder onto the plate; it rolls one cell when pushed."""
game = Game(size=(6, 7), max_steps=60, skills=["puzzle"])

class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    PLATE = Look("o", "green", goal=True)

class State:
    digger: Pos
    boulder: Pos
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def reset(s):
    s.board = where(BORDER, Tile.WALL, Tile.FLOOR)
    s.boulder = Pos(1, 1)
    s.board[random_cell(rect(Pos(2, 2), Pos(4, 5)))] = Tile.PLATE
    s.digger = random_cell(rect(Pos(1, 1), Pos(4, 5)) and s.board == Tile.FLOOR and not at(s.boulder))

def step(s, act):
    dest = s.digger + act.move
    if dest == s.boulder and act.move != STAY:
        before = s.boulder
        s.boulder = try_move(s.boulder, act.move)
        if s.boulder != before:
            s.digger = dest
            reward(0.01)
    elif not solid(s.board[dest]):
        s.digger = dest
    if act.move == UP:
        reward(0.001)
    if s.board[s.boulder] == Tile.PLATE:
        win()
