"""Customers wait at one crate after another: sell there (drop). A monkey steals from any crate that
is not locked. Lock a crate (use) while you are away; unlock it (take) to get the padlock back."""
game = Game(size=(7, 7), max_steps=110, verbs=["drop", "use", "take"], skills=["resource", "navigation"])

SALES = Param(4, 2, 8, harder="up")
LOCKS = Param(2, 1, 3, harder="down")
GREED = Param(0.35, 0.1, 0.8, harder="up")

class Tile(Enum):
    SQUARE = Look(".", "black")
    CRATE = Look("c", "orange", resource=True)
    ASKED = Look("C", "gold", goal=True, resource=True)
    LOCKED = Look("l", "gray", door=True)
    EMPTY = Look("e", "brown")

class Monkey(Row):
    pos: Pos

class State:
    agent: Pos = Pos(3, 3)
    locks: Int(0, 3) = 2
    sales: Int(0, 8) = 0
    board: Grid(Tile, outside=Tile.EMPTY) = Tile.SQUARE
    monkeys: Table(Monkey, 1)

def reset(s):
    for k in range(6):
        s.board[random_cell(s.board == Tile.SQUARE and not disk(s.agent, 1.0))] = Tile.CRATE
    s.board[random_cell(s.board == Tile.CRATE)] = Tile.ASKED
    spawn(s.monkeys, pos=Pos(0, randint(0, 6)))
    s.locks = LOCKS

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    here = s.board[s.agent]
    if act.drop and here == Tile.ASKED:
        s.sales += 1
        reward(0.12)
        s.board[s.agent] = Tile.CRATE
        s.board[random_cell(s.board == Tile.CRATE)] = Tile.ASKED
    if act.use and here == Tile.CRATE and s.locks > 0:
        s.locks -= 1
        s.board[s.agent] = Tile.LOCKED
    if act.take and here == Tile.LOCKED:
        s.locks += 1
        s.board[s.agent] = Tile.CRATE
    for m in s.monkeys:
        prey = nearest((s.board == Tile.CRATE or s.board == Tile.ASKED) and not disk(s.agent, 1.5), m.pos)
        if inside(prey) and chance(GREED):
            m.pos = try_move(m.pos, toward(m.pos, prey))
        if m.pos == prey:
            s.board[prey] = Tile.EMPTY
            m.pos = Pos(0, randint(0, 6))
    if not any(s.board == Tile.ASKED) and any(s.board == Tile.CRATE):
        s.board[random_cell(s.board == Tile.CRATE)] = Tile.ASKED
    if s.sales >= SALES:
        win()
    elif not any(s.board == Tile.ASKED or s.board == Tile.LOCKED):
        lose()
