"""Turn the carousel left or right; use sprays the car under the nozzle, flip changes the colour.
Both take paint from one tank. Make the lower row match the orders above it."""
game = Game(size=(5, 5), max_steps=80, verbs=["use", "flip"], skills=["puzzle"], camera="board")

TANK = Param(12, 8, 20, harder="down")
KINDS = Param(2, 2, 3, harder="up")
WRONG = Param(0.5, 0.25, 1.0, harder="up")

class Tile(Enum):
    SHOP = Look(".", "black")
    NOZZLE = Look("v", "white", tool=True)
    RED = Look("r", "red", marker=True)
    BLUE = Look("b", "blue", marker=True)
    GOLD = Look("y", "gold", marker=True)

class State:
    colour: Int(0, 2) = 0
    tank: Int(0, 20) = 12
    board: Grid(Tile, outside=Tile.SHOP) = Tile.SHOP

def paint_of(colour):
    return Tile.RED if colour == 0 else Tile.BLUE if colour == 1 else Tile.GOLD

def matching(board):
    return count(ROW == 0 and board == shift(shift(shift(board, UP), UP), UP))

def reset(s):
    """Orders in row 0, cars in row 3, the nozzle between them in the middle."""
    orders = where(randint_grid(1, KINDS) == 1, Tile.RED, where(chance_grid(0.5), Tile.BLUE, Tile.GOLD))
    if KINDS == 2:
        orders = where(orders == Tile.GOLD, Tile.BLUE, orders)
    above = shift(shift(shift(orders, DOWN), DOWN), DOWN)
    cars = where(chance_grid(WRONG), Tile.RED, above)
    s.board = where(ROW == 0, orders, where(ROW == 3, cars, s.board))
    s.board[Pos(2, 2)] = Tile.NOZZLE
    if matching(s.board) == 5:
        s.board[Pos(3, 2)] = Tile.BLUE if s.board[Pos(3, 2)] == Tile.RED else Tile.RED
    s.tank = TANK

def step(s, act):
    before = matching(s.board)
    if act.move == LEFT or act.move == RIGHT:
        s.board = where(ROW == 3, roll(s.board, act.move), s.board)
    if act.use and s.tank > 0:
        s.board[Pos(3, 2)] = paint_of(s.colour)
        s.tank -= 1
        reward(0.05 * (matching(s.board) - before))
    if act.flip and s.tank > 0:
        s.colour = (s.colour + 1) % KINDS
        s.tank -= 1
    if matching(s.board) == 5:
        win()
