"""Bring both parcels to the depot, one at a time."""
game = Game(size=(6, 6), max_steps=90, verbs=["take", "drop"], skills=["manipulation", "navigation"])

class Tile(Enum):
    FLOOR = Look(".", "black")
    LETTER = Look("p", "orange", item=True)
    OFFICE = Look("D", "green", goal=True)

class State:
    postman: Pos
    board: Grid(Tile, outside=Tile.FLOOR) = Tile.FLOOR
    carries: Bool = False
    done: Int(0, 2) = 0

def reset(s):
    s.postman = Pos(0, 0)
    s.board[random_cell(ROW == 5)] = Tile.OFFICE
    for k in range(2):
        s.board[random_cell(s.board == Tile.FLOOR and ROW < 5 and ROW > 0)] = Tile.LETTER

def step(s, act):
    to = s.postman + act.move
    if inside(to):
        s.postman = to
    if act.take and not s.carries and s.board[s.postman] == Tile.LETTER:
        s.carries = True
        s.board[s.postman] = Tile.FLOOR
        reward(0.1)
    if act.drop and s.carries and s.board[s.postman] == Tile.OFFICE:
        s.carries = False
        s.done += 1
        reward(0.1)
    if s.done == 2:
        win()
