"""Cat and mouse move in turn: the mouse wants all the cheese, the cat wants the mouse."""
game = Game(size=(8, 8), players=2, turns="alternate", max_steps=120,
            skills=["contest", "avoidance"])

CHEESE = Param(3, 1, 6, harder="up")
BOXES = Param(0.12, 0.0, 0.25, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    BOX = Look("#", "brown", solid=True)
    CHEESE = Look("c", "yellow", goal=True)

class State:
    pos: Players(Pos)
    board: Grid(Tile, outside=Tile.BOX) = Tile.FLOOR

def reset(s):
    s.board = where(chance_grid(BOXES) and not BORDER, Tile.BOX, s.board)
    s.pos[0] = Pos(0, randint(0, 7))
    s.pos[1] = Pos(7, randint(0, 7))
    for k in range(6):
        if k < CHEESE:
            s.board[random_cell(s.board == Tile.FLOOR and not BORDER)] = Tile.CHEESE

def step(s, act):
    """Seat 0 is the cat, seat 1 the mouse; a mouse that lives to the end has won as well."""
    s.pos[s.turn] = try_move(s.pos[s.turn], act.move)
    if s.board[s.pos[1]] == Tile.CHEESE:
        s.board[s.pos[1]] = Tile.FLOOR
        reward(0.1, 1)
    if s.pos[0] == s.pos[1]:
        win(0)
    elif not any(s.board == Tile.CHEESE) or s.t >= 118:
        win(1)
