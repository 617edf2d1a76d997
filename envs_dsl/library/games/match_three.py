"""Swap two neighbouring gems to line up three or more of a colour; what is matched is replaced."""
game = Game(size=(6, 6), max_steps=150, verbs=["take"], skills=["puzzle"])

NEED = Param(12, 3, 40, harder="up")

class Gem(Enum):
    EMPTY = Look(".", "black")
    RUBY = Look("r", "red", item=True)
    TOPAZ = Look("y", "yellow", item=True)
    EMERALD = Look("g", "green", item=True)
    SAPPHIRE = Look("b", "blue", item=True)
    PEARL = Look("w", "white", item=True)

class State:
    cursor: Pos = Pos(3, 3)
    taken: Bool = False
    matched: Int(0, 100) = 0
    board: Grid(Gem, outside=Gem.EMPTY) = Gem.EMPTY

def any_gem():
    return pick_grid(Gem.RUBY, Gem.TOPAZ, Gem.EMERALD, Gem.SAPPHIRE, Gem.PEARL)

def lines(board):
    """Cells that lie in a row of three or more of one colour, across or down."""
    found = board != board
    for gem in Gem:
        same = board == gem and board != Gem.EMPTY
        across = same and shift(same, LEFT) and shift(same, RIGHT)
        down = same and shift(same, UP) and shift(same, DOWN)
        found = found or across or shift(across, LEFT) or shift(across, RIGHT)
        found = found or down or shift(down, UP) or shift(down, DOWN)
    return found

def fallen(board):
    """Gems drop into the holes below them and new ones enter from above."""
    for k in range(6):
        hole = board == Gem.EMPTY
        above = where(ROW == 0, any_gem(), shift(board, DOWN))
        moved = shift(hole, UP) and not hole
        board = where(hole, above, where(moved, Gem.EMPTY, board))
    return board

def reset(s):
    s.board = any_gem()
    for k in range(4):
        s.board = where(lines(s.board), any_gem(), s.board)

def step(s, act):
    """Take the gem under the cursor, then move: they change places if that lines up three."""
    if s.taken and act.move != STAY:
        s.taken = False
        other = s.cursor + act.move
        if inside(other):
            swap(s.board, s.cursor, other)
            if not any(lines(s.board)):
                swap(s.board, s.cursor, other)
    else:
        s.cursor = try_move(s.cursor, act.move)
    if act.take:
        s.taken = not s.taken
    gone = lines(s.board)
    s.matched += count(gone)
    reward(0.02 * count(gone))
    s.board = fallen(where(gone, Gem.EMPTY, s.board))
    if s.matched >= NEED:
        win()
