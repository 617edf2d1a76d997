"""In turn put a disc that encloses rival discs in a line, which become yours; more discs win."""
game = Game(size=(6, 6), players=2, turns="alternate", max_steps=400, verbs=["use"],
            skills=["contest", "puzzle"])

THINK = Param(12, 10, 16, harder="down")

class Tile(Enum):
    FREE = Look(".", "darkgreen")
    BLACK = Look("x", "black", marker=True)
    WHITE = Look("o", "white", marker=True)

class State:
    cursor: Pos = Pos(2, 2)
    clock: Int(0, 16) = 0
    board: Grid(Tile, outside=Tile.FREE) = Tile.FREE

def enclosed(p, mine, theirs):
    """The discs that turn over when a disc of mine is put at p."""
    won = mine and theirs
    for d in dirs8():
        front = at(p)
        line = mine and theirs
        closed = False
        for k in range(5):
            front = shift(front, d)
            closed = closed or any(front and mine)
            front = front and theirs
            line = line or front
        won = won or (line and closed)
    return won

def open_cells(mine, theirs, free):
    """Where a disc of mine would enclose something."""
    found = mine and theirs
    for d in dirs8():
        line = theirs and shift(mine, d)
        for k in range(3):
            line = line or (theirs and shift(line, d))
        found = found or (free and shift(line, d))
    return found

def reset(s):
    crossed = where((ROW + COL) % 2 == 0, Tile.WHITE, Tile.BLACK)
    s.board = where(rect(Pos(2, 2), Pos(3, 3)), crossed, s.board)
    s.cursor = Pos(randint(0, 5), randint(0, 5))

def step(s, act):
    """The cursor can be moved before the disc is put down, but who thinks for too long loses."""
    own = Tile.BLACK if s.turn == 0 else Tile.WHITE
    other = Tile.WHITE if s.turn == 0 else Tile.BLACK
    s.cursor = try_move(s.cursor, act.move)
    turned = enclosed(s.cursor, s.board == own, s.board == other)
    if act.use and s.board[s.cursor] == Tile.FREE and any(turned):
        s.board = where(turned or at(s.cursor), own, s.board)
        s.clock = 0
        free = s.board == Tile.FREE
        if not any(open_cells(s.board == other, s.board == own, free)):
            again()
            if not any(open_cells(s.board == own, s.board == other, free)):
                black = count(s.board == Tile.BLACK)
                white = count(s.board == Tile.WHITE)
                if black == white:
                    draw()
                else:
                    win(0 if black > white else 1)
    else:
        again()
        s.clock += 1
        if s.clock >= THINK:
            win(opponent(s.turn))
