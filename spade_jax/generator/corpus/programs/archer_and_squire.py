"""The archer (first seat, bottom row) throws arrows up the field; the wind, plus or minus two cells,
carries them aside. The squire brings fallen arrows back. Hit every target, never the squire."""
game = Game(size=(7, 7), players=2, max_steps=80, verbs=["throw"], skills=["cooperation"])

TARGETS = Param(2, 1, 4, harder="up")
GUST = Param(0.08, 0.0, 0.3, harder="up")
QUIVER = Param(2, 1, 4, harder="down")

class Tile(Enum):
    FIELD = Look(".", "darkgreen")
    BANK = Look("#", "brown", solid=True)
    TARGET = Look("T", "red", solid=True, goal=True)
    HIT = Look("h", "gold", solid=True)
    ARROW = Look("a", "white", item=True)

class State:
    pos: Players(Pos)
    wind: Int(-2, 2) = 0
    quiver: Int(0, 4) = 0
    carrying: Bool = False
    board: Grid(Tile, outside=Tile.BANK) = Tile.FIELD

def reset(s):
    s.pos[0] = Pos(6, 3)
    s.pos[1] = Pos(5, randint(0, 6))
    s.board = where(ROW == 0, Tile.BANK, s.board)
    for k in range(4):
        if k < TARGETS:
            s.board[random_cell(s.board == Tile.BANK)] = Tile.TARGET
    s.wind = randint(-2, 2)
    s.quiver = QUIVER

def step(s, acts):
    if acts[0].move == LEFT or acts[0].move == RIGHT:
        s.pos[0] = try_move(s.pos[0], acts[0].move)
    moved = try_move(s.pos[1], acts[1].move)
    if moved.row < 6:
        s.pos[1] = moved
    if acts[0].throw and s.quiver > 0:
        s.quiver -= 1
        lands = clip(s.pos[0].col + s.wind, 0, 6)
        mark = Pos(0, lands)
        if s.pos[1].col == lands:
            lose()
        elif s.board[mark] == Tile.TARGET:
            s.board[mark] = Tile.HIT
            reward(0.2)
        fallen = 1
        for k in range(3):
            if s.board[Pos(fallen, lands)] == Tile.ARROW:
                fallen += 1
        s.board[Pos(fallen, lands)] = Tile.ARROW
    if s.board[s.pos[1]] == Tile.ARROW and not s.carrying:
        s.board[s.pos[1]] = Tile.FIELD
        s.carrying = True
    if s.carrying and manhattan(s.pos[0], s.pos[1]) <= 2:
        s.carrying = False
        s.quiver += 1
    if chance(GUST):
        s.wind = randint(-2, 2)
    if not any(s.board == Tile.TARGET):
        win()
