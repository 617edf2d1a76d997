"""One crate is mislabelled. Stand on a crate and use the scanner: right ones turn gray, the wrong
one red, for both to see. Take the red one first; a claim of any other freezes you for a while."""
game = Game(size=(7, 7), players=2, max_steps=90, verbs=["use", "take"], skills=["contest", "navigation"])

CRATES = Param(6, 3, 10, harder="up")
FREEZE = Param(5, 2, 9, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    RACK = Look("#", "gray", solid=True)
    CRATE = Look("c", "brown", item=True)
    RIGHT_ONE = Look("r", "darkgray")
    WRONG_ONE = Look("w", "red", goal=True)

class State:
    pos: Players(Pos)
    frozen: Players(Int(0, 9)) = 0
    odd: Hidden(Pos)
    board: Grid(Tile, outside=Tile.RACK) = Tile.FLOOR

def reset(s):
    s.board = where(ROW % 2 == 1 and COL % 3 == 1, Tile.RACK, s.board)
    s.pos[0] = Pos(6, 3)
    s.pos[1] = Pos(0, 3)
    inner = ROW > 1 and ROW < 5
    for k in range(10):
        if k < CRATES:
            s.board[random_cell(inner and s.board == Tile.FLOOR)] = Tile.CRATE
    s.odd = random_cell(s.board == Tile.CRATE)

def step(s, acts):
    for i in players():
        if s.frozen[i] > 0:
            s.frozen[i] -= 1
        else:
            s.pos[i] = try_move(s.pos[i], acts[i].move)
            here = s.board[s.pos[i]]
            if acts[i].use and here == Tile.CRATE:
                s.board[s.pos[i]] = Tile.WRONG_ONE if s.pos[i] == s.odd else Tile.RIGHT_ONE
                reward(0.04, i)
    first = acts[0].take and s.frozen[0] == 0
    second = acts[1].take and s.frozen[1] == 0
    hit_first = first and s.pos[0] == s.odd
    hit_second = second and s.pos[1] == s.odd
    if hit_first and hit_second:
        draw()
    elif hit_first:
        win(0)
    elif hit_second:
        win(1)
    if first:
        s.frozen[0] = FREEZE
    if second:
        s.frozen[1] = FREEZE
