"""Walk while the music plays, find a chair when it stops: who stands is out, the last one wins."""
game = Game(size=(7, 7), players=4, max_steps=120, skills=["contest", "navigation"])

TUNE = Param(8, 3, 15, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    CHAIR = Look("h", "brown", solid=True)
    FREE = Look("f", "green", goal=True)
    TAKEN = Look("t", "red", solid=True)

class State:
    pos: Players(Pos)
    out: Players(Bool) = False
    tune: Hidden(Int(-9, 15)) = 0
    board: Grid(Tile, outside=Tile.TAKEN) = Tile.FLOOR

def reset(s):
    for i in players():
        s.pos[i] = random_cell(BORDER)
    for k in range(3):
        s.board[random_cell(s.board == Tile.FLOOR and not BORDER)] = Tile.CHAIR
    s.tune = randint(2, TUNE)

def step(s, acts):
    for i in players():
        if not s.out[i] and s.board[s.pos[i]] != Tile.TAKEN:
            s.pos[i] = try_move(s.pos[i], acts[i].move)
            if s.board[s.pos[i]] == Tile.FREE:
                s.board[s.pos[i]] = Tile.TAKEN
    s.tune -= 1
    if s.tune == 0:
        s.board = where(s.board == Tile.CHAIR, Tile.FREE, s.board)
    if s.tune == -9 or (s.tune < 0 and not any(s.board == Tile.FREE)):
        left = 0
        room = not BORDER
        for i in players():
            s.out[i] = s.out[i] or s.board[s.pos[i]] != Tile.TAKEN
            left += 0 if s.out[i] else 1
            room = room and not at(s.pos[i])
        s.board = Tile.FLOOR
        for k in range(3):
            if k < left - 1:
                s.board[random_cell(room and s.board == Tile.FLOOR)] = Tile.CHAIR
        s.tune = randint(2, TUNE)
        for i in players():
            if left == 1 and not s.out[i]:
                win(i)
        if left == 0:
            draw()
