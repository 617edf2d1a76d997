"""Collect the rents of the houses and carry them to the bank to pay off your debt, which grows by
interest. A locked house costs one coin to open and pays three. The bailiff comes at a debt of ten."""
game = Game(size=(7, 7), max_steps=100, skills=["resource", "navigation"])

DEBT = Param(6, 3, 8, harder="up")
INTEREST = Param(10, 6, 18, harder="down")
REFILL = Param(0.02, 0.008, 0.04, harder="down")

class Tile(Enum):
    STREET = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    RENT = Look("r", "gold", item=True)
    PAID = Look("h", "brown")
    LOCKED = Look("L", "darkred", solid=True, door=True)
    RICH = Look("R", "yellow", item=True)
    BANK = Look("B", "green", goal=True)

class State:
    agent: Pos = Pos(3, 3)
    coins: Int(0, 9) = 0
    debt: Int(0, 10) = 6
    board: Grid(Tile, outside=Tile.WALL) = Tile.STREET

def reset(s):
    s.board = where(ROW % 2 == 1 and COL % 2 == 1 and chance_grid(0.3) and not at(s.agent), Tile.WALL, s.board)
    s.board[random_cell(s.board == Tile.STREET and not disk(s.agent, 2.0))] = Tile.BANK
    for k in range(3):
        s.board[random_cell(s.board == Tile.STREET and BORDER)] = Tile.RENT
    for k in range(2):
        s.board[random_cell(s.board == Tile.STREET and BORDER)] = Tile.LOCKED
    s.debt = DEBT

def step(s, act):
    ahead = s.agent + act.move
    if s.board[ahead] == Tile.LOCKED and s.coins > 0:
        s.coins -= 1
        s.board[ahead] = Tile.RICH
    s.agent = try_move(s.agent, act.move)
    here = s.board[s.agent]
    if here == Tile.RENT or here == Tile.RICH:
        s.coins += 1 if here == Tile.RENT else 3
        s.board[s.agent] = Tile.PAID
        reward(0.03)
    let = s.board == Tile.PAID and chance_grid(REFILL) and not at(s.agent)
    s.board = where(let, Tile.RENT, s.board)
    if here == Tile.BANK:
        reward(0.06 * s.coins)
        s.debt -= s.coins
        s.coins = 0
    if s.debt == 0:
        win()
    if (s.t + 1) % INTEREST == 0:
        s.debt += 1
    if s.debt >= 10:
        lose()
