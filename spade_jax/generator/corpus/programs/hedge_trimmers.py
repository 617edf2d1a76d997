"""Two gardeners roll by themselves, one along the top (right), one along the left side (down); pressing
against the roll holds the cart. Use cuts the outermost leaf of the line: cut all wild shoots,
but few cuts may go into the green hedge itself."""
game = Game(size=(7, 7), players=2, max_steps=70, verbs=["use"], skills=["cooperation"])

WILD = Param(2, 1, 4, harder="up")
WOUNDS = Param(4, 2, 8, harder="down")

class Tile(Enum):
    AIR = Look(".", "black")
    HEDGE = Look("h", "darkgreen", hazard=True)
    SHOOT = Look("s", "yellow", goal=True)

class State:
    cart: Players(Pos)
    wounds: Int(0, 8) = 0
    board: Grid(Tile, outside=Tile.AIR) = Tile.AIR

def reset(s):
    s.cart[0] = Pos(0, randint(1, 5))
    s.cart[1] = Pos(randint(1, 5), 0)
    s.board = where(not BORDER, Tile.HEDGE, s.board)
    for k in range(4):
        if k < WILD:
            top = COL == randint(1, 5) and ROW <= randint(1, 2)
            side = ROW == randint(1, 5) and COL <= randint(1, 2)
            s.board = where((top or side) and not BORDER, Tile.SHOOT, s.board)

def step(s, acts):
    for i in players():
        roll_on = RIGHT if i == 0 else DOWN
        inward = DOWN if i == 0 else RIGHT
        if acts[i].use:
            leaf = slide(s.cart[i], inward, s.board == Tile.AIR) + inward
            if s.board[leaf] == Tile.SHOOT:
                s.board[leaf] = Tile.AIR
                reward(0.06)
            elif s.board[leaf] == Tile.HEDGE:
                s.board[leaf] = Tile.AIR
                s.wounds += 1
        if acts[i].move != opposite(roll_on):
            s.cart[i] = s.cart[i] + roll_on
        if s.cart[i].col > 5:
            s.cart[i] = Pos(0, 1)
        elif s.cart[i].row > 5:
            s.cart[i] = Pos(1, 0)
    if s.wounds >= WOUNDS:
        lose()
    elif not any(s.board == Tile.SHOOT):
        win()
