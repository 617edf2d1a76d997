"""Steer and turn the falling pieces to fill whole rows, which vanish; never stack up to the top."""
game = Game(size=(9, 6), max_steps=300, verbs=["flip"], skills=["puzzle", "manipulation"])

NEED = Param(3, 1, 10, harder="up")
BENT = Param(0.5, 0.0, 1.0, harder="up")

class Tile(Enum):
    EMPTY = Look(".", "black")
    BLOCK = Look("#", "gray", solid=True)

class State:
    pivot: Hidden(Pos) = Pos(1, 2)
    facing: Dir = RIGHT
    bent: Bool = False
    rows: Int(0, 10) = 0
    board: Grid(Tile, outside=Tile.BLOCK) = Tile.EMPTY
    piece: Grid(Bool) = False

def shape(pivot, facing, bent):
    """A straight piece of three cells, or a corner."""
    tail = turn_right(facing) if bent else opposite(facing)
    return at(pivot) or at(pivot + facing) or at(pivot + tail)

def fits(piece, board):
    return count(piece and board == Tile.EMPTY) == 3

def reset(s):
    s.bent = chance(BENT)
    s.piece = shape(s.pivot, s.facing, s.bent)

def step(s, act):
    aside = s.pivot + act.move if act.move != UP else s.pivot
    if fits(shape(aside, s.facing, s.bent), s.board):
        s.pivot = aside
    if act.flip and fits(shape(s.pivot, turn_right(s.facing), s.bent), s.board):
        s.facing = turn_right(s.facing)
    if fits(shape(s.pivot + DOWN, s.facing, s.bent), s.board):
        s.pivot = s.pivot + DOWN
        s.piece = shape(s.pivot, s.facing, s.bent)
    else:
        s.board = where(shape(s.pivot, s.facing, s.bent), Tile.BLOCK, s.board)
        for r in range(9):
            if all(s.board == Tile.BLOCK or ROW != r):
                s.board = where(ROW <= r, shift(s.board, DOWN), s.board)
                s.rows += 1
                reward(0.1)
        s.pivot = Pos(1, 2)
        s.facing = RIGHT
        s.bent = chance(BENT)
        s.piece = shape(s.pivot, s.facing, s.bent)
        if not fits(s.piece, s.board):
            lose()
    if s.rows >= NEED:
        win()
