"""Each lamp tells for a moment how much its lock wants: red 2, blue 4, gold 5. Up fills the jug of
five, right pours it into the jug of three, left pours back, down empties the small one; open tries
the next lock with what is in the big jug. A wrong amount floods the vault."""
game = Game(size=(3, 5), max_steps=60, verbs=["open"], skills=["memory", "puzzle"], camera="board")

LOCKS = Param(2, 1, 3, harder="up")
SHOW = Param(6, 2, 30, harder="down")

class Tile(Enum):
    STONE = Look("#", "gray", solid=True)
    DARK = Look("o", "black", door=True)
    TWO = Look("2", "red", marker=True)
    FOUR = Look("4", "blue", marker=True)
    FIVE = Look("5", "gold", marker=True)
    OPENED = Look("_", "green")

class State:
    big: Int(0, 5) = 0
    small: Int(0, 3) = 0
    opened: Int(0, 3) = 0
    codes: Hidden(Array(Int(0, 5), 3)) = 0
    board: Grid(Tile) = Tile.STONE

def reset(s):
    for k in range(3):
        s.codes[k] = pick(2, 4, 5)
        if k < LOCKS:
            lamp = Tile.TWO if s.codes[k] == 2 else Tile.FOUR if s.codes[k] == 4 else Tile.FIVE
            s.board[Pos(1, 2 * k)] = lamp
    s.big = randint(0, 5)

def step(s, act):
    if act.move == UP:
        s.big = 5
    elif act.move == DOWN:
        s.small = 0
    elif act.move == RIGHT:
        poured = min(s.big, 3 - s.small)
        s.big -= poured
        s.small += poured
    elif act.move == LEFT:
        poured = min(s.small, 5 - s.big)
        s.big += poured
        s.small -= poured
    if s.t + 1 >= SHOW:
        s.board = where(tagged(s.board, "marker"), Tile.DARK, s.board)
    if act.open:
        if s.big == s.codes[s.opened]:
            s.board[Pos(1, 2 * s.opened)] = Tile.OPENED
            s.opened += 1
            reward(0.2)
        else:
            lose()
    if s.opened >= LOCKS:
        win()
