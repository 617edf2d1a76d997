"""Take a sack at one stall where it is cheap and drop it at a stall where it is dear, until you have
the money you need. A fire spreads through the market: do not touch it."""
game = Game(size=(7, 9), max_steps=120, verbs=["take", "drop"], skills=["avoidance", "resource"])

GOAL = Param(10, 6, 20, harder="up")
SPREAD = Param(0.02, 0.0, 0.06, harder="up")
SWING = Param(0.3, 0.1, 0.6, harder="up")

class Tile(Enum):
    SQUARE = Look(".", "black")
    STALL = Look("S", "gold", goal=True)
    FIRE = Look("f", "red", hazard=True)
    ASH = Look("a", "darkgray")

class State:
    agent: Pos = Pos(3, 4)
    coins: Int(0, 30) = 4
    sacks: Int(0, 3) = 0
    west: Int(1, 7) = 2
    east: Int(1, 7) = 5
    board: Grid(Tile, outside=Tile.SQUARE) = Tile.SQUARE

def reset(s):
    s.board[Pos(randint(1, 5), 0)] = Tile.STALL
    s.board[Pos(randint(1, 5), 8)] = Tile.STALL
    s.board[random_cell(s.board == Tile.SQUARE and (ROW == 0 or ROW == 6))] = Tile.FIRE
    s.west = randint(1, 3)
    s.east = randint(4, 6)

def step(s, act):
    """Left stall: price west; right stall: price east."""
    s.agent = try_move(s.agent, act.move)
    price = s.west if s.agent.col == 0 else s.east
    if s.board[s.agent] == Tile.STALL:
        if act.take and s.coins >= price and s.sacks < 3:
            s.coins -= price
            s.sacks += 1
        if act.drop and s.sacks > 0:
            s.coins += price
            s.sacks -= 1
            reward(0.02 * price)
    s.west += randint(-1, 1) if chance(SWING) else 0
    s.east += randint(-1, 1) if chance(SWING) else 0
    burning = s.board == Tile.FIRE
    caught = s.board == Tile.SQUARE and chance_grid(SPREAD * neighbors4(burning))
    s.board = where(burning and chance_grid(0.04) and count(burning) > 1, Tile.ASH, s.board)
    s.board = where(caught, Tile.FIRE, s.board)
    if s.board[s.agent] == Tile.FIRE:
        lose()
    if s.coins >= GOAL:
        win()
