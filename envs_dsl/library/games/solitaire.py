"""Take a peg and jump it over another into a hole, which removes that one; leave a single peg."""
game = Game(size=(7, 7), max_steps=120, verbs=["take"], skills=["puzzle"])

JUMPS = Param(4, 1, 12, harder="up")

class Tile(Enum):
    TABLE = Look("#", "brown", solid=True)
    HOLE = Look(".", "black")
    PEG = Look("o", "gold", item=True)

class State:
    cursor: Pos = Pos(3, 3)
    taken: Bool = False
    board: Grid(Tile, outside=Tile.TABLE) = Tile.TABLE

def reset(s):
    """Jumps made backwards from the last peg: the puzzle can be solved."""
    s.board = where(abs(ROW - 3) <= 1 or abs(COL - 3) <= 1, Tile.HOLE, s.board)
    s.board[s.cursor] = Tile.PEG
    jumps = 0
    for k in range(40):
        peg = random_cell(s.board == Tile.PEG)
        d = random_dir()
        free = s.board[peg + d] == Tile.HOLE and s.board[peg + d + d] == Tile.HOLE
        if free and jumps < JUMPS:
            s.board[peg] = Tile.HOLE
            s.board[peg + d] = Tile.PEG
            s.board[peg + d + d] = Tile.PEG
            jumps += 1

def step(s, act):
    """Take the peg under the cursor, then move in the direction of its jump."""
    over = s.cursor + act.move
    land = over + act.move
    if s.taken and act.move != STAY:
        s.taken = False
        if s.board[over] == Tile.PEG and s.board[land] == Tile.HOLE:
            s.board[s.cursor] = Tile.HOLE
            s.board[over] = Tile.HOLE
            s.board[land] = Tile.PEG
            s.cursor = land
            reward(0.05)
            if count(s.board == Tile.PEG) == 1:
                win()
    else:
        s.cursor = try_move(s.cursor, act.move)
    if act.take:
        s.taken = s.board[s.cursor] == Tile.PEG
