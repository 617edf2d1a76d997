"""Glide your lemonade cart along the beach: fill the jug at the well in the middle, then come almost
to rest beside a customer to sell a cup. Customers who wait for too long go home cross."""
game = Game(size=(7, 9), max_steps=120, skills=["continuous", "resource"])

SALES = Param(3, 1, 6, harder="up")
GENTLE = Param(0.4, 0.2, 0.8, harder="down")
PATIENCE = Param(35, 22, 50, harder="down")

class Tile(Enum):
    BEACH = Look(".", "black")
    WELL = Look("W", "blue", resource=True)
    SEA = Look("~", "cyan")

class Customer(Row):
    pos: Vec2(-4.5, 4.5)
    patience: Int(0, 50)

class State:
    cart: Vec2(-4.4, 4.4)
    vel: Vec2(-0.7, 0.7)
    cups: Int(0, 2) = 0
    sold: Int(0, 6) = 0
    cross: Int(0, 3) = 0
    customers: Table(Customer, 3)
    board: Grid(Tile, outside=Tile.SEA) = Tile.BEACH

def reset(s):
    s.board = where(ROW == 0, Tile.SEA, s.board)
    s.board = where(disk(Pos(3, 4), 1.0), Tile.WELL, s.board)
    s.cart = Vec2(uniform(-2.0, 2.0), 2.0)
    for k in range(2):
        spawn(s.customers, pos=Vec2(uniform(2.0, 4.0) * pick(-1.0, 1.0), uniform(-2.0, 3.0)), patience=PATIENCE)

def step(s, act):
    s.vel = 0.8 * s.vel + 0.15 * vec(act.move)
    s.cart = Vec2(s.cart.x + s.vel.x, clip(s.cart.y + s.vel.y, -2.4, 3.4))
    if s.board[cell(s.cart)] == Tile.WELL and s.cups < 2:
        s.cups += 1
    for c in s.customers:
        near = length(c.pos - s.cart) < 1.1
        c.patience -= 1
        if near and length(s.vel) < GENTLE and s.cups > 0:
            s.cups -= 1
            s.sold += 1
            reward(0.15)
            kill(c)
        elif c.patience <= 0:
            s.cross += 1
            kill(c)
    if chance(0.12):
        spawn(s.customers, pos=Vec2(uniform(2.0, 4.0) * pick(-1.0, 1.0), uniform(-2.0, 3.0)), patience=PATIENCE)
    if s.sold >= SALES:
        win()
    elif s.cross >= 3:
        lose()

def view(s):
    for c in s.customers:
        disc(c.pos, 0.4, "gold")
    disc(s.cart, 0.4, 0)
