"""Take a man, drop it one step on, or beyond a rival man, who is captured: capture them all."""
game = Game(size=(6, 6), players=2, turns="alternate", max_steps=900, verbs=["take", "drop"],
            skills=["contest", "puzzle"])

THINK = Param(18, 16, 24, harder="down")

class Tile(Enum):
    FREE = Look(".", "darkgray")
    DARK = Look("d", "red", marker=True)
    LIGHT = Look("l", "white", marker=True)
    DARK_KING = Look("D", "red", marker=True, item=True)
    LIGHT_KING = Look("L", "white", marker=True, item=True)

class State:
    cursor: Pos
    held: Pos = Pos(-1, -1)
    jumping: Bool = False
    clock: Int(0, 24) = 0
    board: Grid(Tile, outside=Tile.FREE) = Tile.FREE

def jumpers(men, kings, theirs, free, ahead):
    """Which pieces can capture: men forward (ahead is -1 or 1 row), kings in all directions."""
    found = men and kings
    for d in dirs8():
        way = Pos(0, 0) + d
        movers = kings or (men and way.row == ahead)
        landing = shift(shift(free, opposite(d)), opposite(d))
        over = movers and shift(theirs, opposite(d)) and landing
        found = found or (over and abs(way.row * way.col) == 1)
    return found

def reset(s):
    dark = (ROW + COL) % 2 == 1
    s.board = where(dark and ROW < 2, Tile.LIGHT, where(dark and ROW > 3, Tile.DARK, s.board))
    s.cursor = Pos(randint(2, 3), randint(0, 5))

def step(s, act):
    """A capture must be made where one can be, and goes on; who cannot move runs out of time."""
    man = Tile.DARK if s.turn == 0 else Tile.LIGHT
    king = Tile.DARK_KING if s.turn == 0 else Tile.LIGHT_KING
    ahead = -1 if s.turn == 0 else 1
    s.cursor = try_move(s.cursor, act.move)
    mine = s.board == man or s.board == king
    free = s.board == Tile.FREE
    must = jumpers(s.board == man, s.board == king, not mine and not free, free, ahead)
    if act.take and mine[s.cursor] and not s.jumping and (must[s.cursor] or not any(must)):
        s.held = s.cursor
    rows = s.cursor.row - s.held.row
    cols = s.cursor.col - s.held.col
    middle = Pos((s.cursor.row + s.held.row) // 2, (s.cursor.col + s.held.col) // 2)
    allowed = act.drop and mine[s.held] and free[s.cursor] and abs(rows) == abs(cols)
    allowed = allowed and (s.board[s.held] == king or rows * ahead > 0)
    jump = abs(rows) == 2 and not free[middle] and not mine[middle]
    single = abs(rows) == 1 and not any(must)
    if allowed and (jump or single):
        crowned = s.cursor.row == (0 if s.turn == 0 else 5)
        s.board[s.cursor] = king if crowned else s.board[s.held]
        s.board[s.held] = Tile.FREE
        if jump:
            s.board[middle] = Tile.FREE
            reward(0.05, s.turn)
        s.clock = 0
        theirs = s.board != man and s.board != king and s.board != Tile.FREE
        more = jumpers(s.board == man, s.board == king, theirs, s.board == Tile.FREE, ahead)
        s.jumping = jump and more[s.cursor]
        s.held = s.cursor if s.jumping else Pos(-1, -1)
        if not any(theirs):
            win(s.turn)
        elif s.jumping:
            again()
    else:
        again()
        s.clock += 1
        if s.clock >= THINK:
            win(opponent(s.turn))
