"""Count the shelves while goods are being sold: gather adds one to the tally of the shelf you stand
at, drop takes one off, use closes its book. A book closed with a wrong tally, or a shelf sold out
before it is closed, ends the stocktaking. Every few of your acts something is sold."""
game = Game(size=(3, 6), max_steps=70, verbs=["gather", "drop", "use"], skills=["puzzle", "resource"])

SHELVES = Param(2, 1, 3, harder="up")
FULL = Param(3, 2, 5, harder="up")
SALE = Param(4, 2, 7, harder="down")

class Tile(Enum):
    FLOOR = Look(".", "black")
    GOOD = Look("g", "orange", solid=True, item=True)
    SOLD = Look("_", "gray", solid=True)
    CLOSED = Look("c", "green", solid=True, goal=True)

class State:
    agent: Pos = Pos(1, 0)
    tally: Array(Int(0, 6), 3) = 0
    acts_done: Int(0, 7) = 0
    board: Grid(Tile, outside=Tile.SOLD) = Tile.FLOOR

def reset(s):
    s.board = where(COL > 0, Tile.SOLD, s.board)
    for r in range(3):
        stock = randint(2, FULL)
        if r < SHELVES:
            s.board = where(ROW == r and COL > 0 and COL <= stock, Tile.GOOD, s.board)
    s.agent = Pos(randint(0, 2), 0)

def step(s, act):
    """Staying counts as no act."""
    s.agent = try_move(s.agent, act.move)
    r = s.agent.row
    goods = s.board == Tile.GOOD and ROW == r
    before = abs(s.tally[r] - count(goods))
    if act.gather:
        s.tally[r] += 1
    if act.drop:
        s.tally[r] -= 1
    if any(goods):
        reward(0.02 * (before - abs(s.tally[r] - count(goods))))
    if act.use and any(goods):
        if s.tally[r] == count(goods):
            s.board = where(goods, Tile.CLOSED, s.board)
            reward(0.2)
        else:
            lose()
    if act.move != STAY or act.gather or act.drop or act.use:
        s.acts_done += 1
    on_sale = s.board == Tile.GOOD
    if s.acts_done >= SALE and any(on_sale):
        s.acts_done = 0
        sold = random_cell(on_sale)
        last = count(on_sale and ROW == sold.row)
        s.board[Pos(sold.row, last)] = Tile.SOLD
        if last == 1:
            lose()
    if not any(s.board == Tile.GOOD):
        win()
