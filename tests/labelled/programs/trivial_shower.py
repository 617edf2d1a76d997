"""Fill the basket with apples; they rain on the whole orchard."""
game = Game(size=(6, 6), max_steps=80, verbs=["gather"])

class Tile(Enum):
    GRASS = Look(".", "black")
    APPLE = Look("a", "red", item=True)

class State:
    picker: Pos
    board: Grid(Tile, outside=Tile.GRASS) = Tile.GRASS
    basket: Int(0, 6) = 0

def reset(s):
    s.picker = Pos(3, 3)
    s.board = where(chance_grid(0.4), Tile.APPLE, s.board)

def step(s, act):
    to = s.picker + act.move
    if inside(to):
        s.picker = to
    if act.gather and s.board[s.picker] == Tile.APPLE:
        s.board[s.picker] = Tile.GRASS
        s.basket += 1
        reward(0.05)
    s.board = where(chance_grid(0.2), Tile.APPLE, s.board)
    if s.basket == 6:
        win()
