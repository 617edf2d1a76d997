"""Walk into a marble and it rolls away until it leaves the ring or meets another. Knock enough of
them out; then a hole opens in the middle: go there."""
game = Game(size=(9, 9), max_steps=80, skills=["navigation", "manipulation"])

OUT = Param(2, 1, 5, harder="up")
MARBLES = Param(6, 5, 9, harder="down")
POSTS = Param(3, 0, 8, harder="up")

class Tile(Enum):
    DUST = Look(".", "brown")
    EDGE = Look(",", "darkgray")
    MARBLE = Look("o", "cyan", solid=True, item=True)
    POST = Look("#", "gray", solid=True)
    HOLE = Look("H", "green", goal=True)

class State:
    agent: Pos = Pos(4, 4)
    out: Int(0, 9) = 0
    board: Grid(Tile, outside=Tile.POST) = Tile.DUST

def reset(s):
    s.board = where(BORDER, Tile.EDGE, s.board)
    for k in range(8):
        if k < POSTS:
            s.board[random_cell(s.board == Tile.DUST and not disk(s.agent, 3.0))] = Tile.POST
    for k in range(9):
        if k < MARBLES:
            s.board[random_cell(s.board == Tile.DUST and not disk(s.agent, 1.0) and not BORDER)] = Tile.MARBLE

def step(s, act):
    target = s.agent + act.move
    if s.board[target] == Tile.MARBLE:
        stop = slide(target, act.move, s.board == Tile.DUST or s.board == Tile.EDGE)
        s.board[target] = Tile.DUST
        if s.board[stop] == Tile.EDGE:
            s.out += 1
            reward(0.12)
        else:
            s.board[stop] = Tile.MARBLE
    s.agent = try_move(s.agent, act.move)
    if s.out >= OUT and s.board[Pos(4, 4)] == Tile.DUST:
        s.board[Pos(4, 4)] = Tile.HOLE
    if s.board[s.agent] == Tile.HOLE:
        win()
