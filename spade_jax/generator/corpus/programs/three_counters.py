"""Two customers push parcels up against the three counters. A counter that takes a parcel is busy
for its own time, the fast one briefly. Be the first to have enough parcels served."""
game = Game(size=(7, 7), players=2, max_steps=90, skills=["manipulation", "contest"])

NEED = Param(3, 2, 5, harder="up")
SLOWEST = Param(12, 6, 20, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    PARCEL = Look("p", "orange", solid=True, item=True)
    FREE = Look("F", "green", solid=True, goal=True)
    BUSY = Look("B", "darkred", solid=True)

class State:
    pos: Players(Pos)
    served: Players(Int(0, 5)) = 0
    pace: Array(Int(1, 20), 3) = 1
    wait: Array(Int(0, 20), 3) = 0
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def reset(s):
    s.board = where(ROW == 0, Tile.WALL, s.board)
    for k in range(3):
        s.pace[k] = randint(2, SLOWEST)
        s.board[Pos(0, 1 + 2 * k)] = Tile.FREE
    for k in range(4):
        s.board[random_cell(rect(Pos(2, 1), Pos(4, 5)) and s.board == Tile.FLOOR)] = Tile.PARCEL
    s.pos[0] = Pos(6, 1)
    s.pos[1] = Pos(6, 5)

def step(s, acts):
    """A parcel that is pushed to the edge of the hall goes back to the middle."""
    for i in players():
        d = acts[i].move
        ahead = s.pos[i] + d
        beyond = ahead + d
        free = s.pos[opponent(i)] != ahead
        if s.board[ahead] == Tile.PARCEL:
            if s.board[beyond] == Tile.FREE:
                s.board[ahead] = Tile.FLOOR
                s.wait[beyond.col // 2] = s.pace[beyond.col // 2]
                s.board[beyond] = Tile.BUSY
                s.served[i] += 1
                reward(0.15, i)
            elif s.board[beyond] == Tile.FLOOR and beyond != s.pos[opponent(i)]:
                s.board[ahead] = Tile.FLOOR
                s.board[beyond] = Tile.PARCEL
        if free:
            s.pos[i] = try_move(s.pos[i], d)
    for k in range(3):
        s.wait[k] -= 1
        if s.wait[k] == 0:
            s.board[Pos(0, 1 + 2 * k)] = Tile.FREE
    s.board = where(BORDER and s.board == Tile.PARCEL, Tile.FLOOR, s.board)
    middle = rect(Pos(2, 1), Pos(4, 5)) and s.board == Tile.FLOOR
    if count(s.board == Tile.PARCEL) < 4:
        s.board[random_cell(middle and not at(s.pos[0]) and not at(s.pos[1]))] = Tile.PARCEL
    first = s.served[0] >= NEED
    second = s.served[1] >= NEED
    if first and second:
        draw()
    elif first:
        win(0)
    elif second:
        win(1)
