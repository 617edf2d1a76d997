"""Land the canoe at the pier; the stream runs there anyway."""
game = Game(size=(8, 8), max_steps=50)

class Tile(Enum):
    WATER = Look("~", "blue")
    PIER = Look("P", "green", goal=True)
    ROCK = Look("o", "gray", hazard=True)

class State:
    canoe: Pos
    board: Grid(Tile, outside=Tile.WATER) = Tile.WATER

def reset(s):
    s.canoe = Pos(0, randint(2, 5))
    s.board = where(ROW == 7, Tile.PIER, s.board)
    s.board[random_cell(ROW > 2 and ROW < 6)] = Tile.ROCK

def step(s, act):
    to = s.canoe + act.move
    if inside(to):
        s.canoe = to
    if s.t % 3 == 2:
        s.canoe = s.canoe + DOWN
    if s.board[s.canoe] == Tile.ROCK:
        lose()
    if s.board[s.canoe] == Tile.PIER:
        win()
