"""Open every cell that hides no mine: an open cell tells how many of its eight neighbours do."""
game = Game(size=(7, 7), max_steps=150, verbs=["open"], skills=["puzzle", "navigation"])

MINES = Param(5, 2, 10, harder="up")

class Tile(Enum):
    COVERED = Look("#", "gray", marker=True)
    OPEN = Look(".", "black")
    MINE = Look("*", "red", hazard=True)

class State:
    cursor: Pos = Pos(3, 3)
    mines: Hidden(Grid(Bool)) = False
    clues: Grid(Int(0, 8)) = 0
    board: Grid(Tile, outside=Tile.OPEN) = Tile.COVERED

def reset(s):
    s.cursor = random_cell(not BORDER)

def step(s, act):
    s.cursor = try_move(s.cursor, act.move)
    if act.open and all(s.board == Tile.COVERED):
        for k in range(10):
            if k < MINES:
                s.mines[random_cell(not s.mines and not disk(s.cursor, 1.5))] = True
    if act.open and s.board[s.cursor] == Tile.COVERED:
        opened = at(s.cursor)
        blank = not s.mines and neighbors8(s.mines) == 0
        for k in range(12):
            opened = opened or neighbors8(opened and blank) > 0
        fresh = opened and s.board == Tile.COVERED
        reward(0.02 * count(fresh))
        s.board = where(fresh, Tile.OPEN, s.board)
        s.clues = where(s.board == Tile.OPEN, neighbors8(s.mines), 0)
        if s.mines[s.cursor]:
            s.board[s.cursor] = Tile.MINE
            lose()
        elif all(s.board == Tile.OPEN or s.mines):
            win()
