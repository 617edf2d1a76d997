"""At each of your steps the kite is blown one cell on by the wind, but where the string is too short
it is drawn towards you. The wind turns right after some steps. Catch the ribbons, no trees."""
game = Game(size=(7, 7), max_steps=60, skills=["puzzle"])

RIBBONS = Param(2, 1, 4, harder="up")
TREES = Param(0.06, 0.0, 0.16, harder="up")
STEADY = Param(3, 2, 5, harder="down")
STRING = Param(2, 2, 3, harder="up")

class Tile(Enum):
    SKY = Look(".", "black")
    TREE = Look("T", "darkgreen", solid=True, hazard=True)
    RIBBON = Look("r", "pink", goal=True)

class State:
    flyer: Pos = Pos(4, 3)
    kite: Pos = Pos(3, 3)
    wind: Dir = UP
    gust: Int(0, 5) = 0
    board: Grid(Tile, outside=Tile.TREE) = Tile.SKY

def reset(s):
    s.wind = random_dir()
    s.board = where(chance_grid(TREES) and not disk(s.kite, 1.5), Tile.TREE, s.board)
    for k in range(4):
        if k < RIBBONS:
            s.board[random_cell(s.board == Tile.SKY and not disk(s.kite, 1.5))] = Tile.RIBBON

def step(s, act):
    if act.move != STAY:
        s.flyer = try_move(s.flyer, act.move)
        blown = s.kite + s.wind
        if chebyshev(blown, s.flyer) > STRING:
            blown = s.kite + toward(s.kite, s.flyer)
        if inside(blown):
            s.kite = blown
        s.gust += 1
        if s.gust >= STEADY:
            s.gust = 0
            s.wind = turn_right(s.wind)
        if s.board[s.kite] == Tile.RIBBON:
            s.board[s.kite] = Tile.SKY
            reward(0.15)
        if s.board[s.kite] == Tile.TREE:
            lose()
    if not any(s.board == Tile.RIBBON):
        win()
