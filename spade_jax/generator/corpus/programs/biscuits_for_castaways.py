"""Castaways starve. Find the knife, cut open the tin, and carry biscuits, one at a time, to those who
need them first. All must live until the ship comes."""
game = Game(size=(7, 7), max_steps=60, skills=["manipulation", "resource"])

PEOPLE = Param(2, 1, 3, harder="up")
SHIP = Param(46, 42, 54, harder="up")
BISCUITS = Param(5, 4, 8, harder="down")
PALMS = Param(0.06, 0.0, 0.15, harder="up")

class Tile(Enum):
    SAND = Look(".", "black")
    PALM = Look("#", "darkgreen", solid=True)
    KNIFE = Look("k", "white", item=True, tool=True)
    TIN = Look("T", "gray", solid=True, door=True)
    OPENED = Look("t", "gold", solid=True, resource=True)

class Castaway(Row):
    pos: Pos
    food: Int(0, 60)

class State:
    agent: Pos = Pos(3, 3)
    knife: Bool = False
    biscuit: Bool = False
    left: Int(0, 8) = 0
    people: Table(Castaway, 3)
    board: Grid(Tile, outside=Tile.PALM) = Tile.SAND

def reset(s):
    s.left = BISCUITS
    s.board = where(chance_grid(PALMS) and not BORDER and not at(s.agent), Tile.PALM, s.board)
    s.board = where(neighbors4(s.board == Tile.PALM) > 1, Tile.SAND, s.board)
    ground = s.board == Tile.SAND and not at(s.agent)
    s.board[random_cell(ground and not BORDER)] = Tile.TIN
    s.board[random_cell(ground and s.board == Tile.SAND)] = Tile.KNIFE
    for k in range(3):
        if k < PEOPLE:
            spot = random_cell(ground and s.board == Tile.SAND and not occupied(s.people))
            spawn(s.people, pos=spot, food=24 + 6 * k)

def step(s, act):
    target = s.agent + act.move
    ahead = s.board[target]
    if ahead == Tile.TIN and s.knife:
        s.board[target] = Tile.OPENED
        reward(0.15)
    elif ahead == Tile.OPENED and not s.biscuit and s.left > 0:
        s.biscuit = True
        s.left -= 1
    s.agent = try_move(s.agent, act.move)
    if s.board[s.agent] == Tile.KNIFE:
        s.board[s.agent] = Tile.SAND
        s.knife = True
        reward(0.15)
    for c in s.people:
        c.food -= 1
        if c.pos == s.agent and s.biscuit:
            s.biscuit = False
            c.food += 40
            reward(0.08)
        if c.food <= 0:
            lose()
    if s.t + 1 >= SHIP:
        win()
