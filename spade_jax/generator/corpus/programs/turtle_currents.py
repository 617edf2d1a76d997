"""Two turtles race to the lagoon on the right: up swims ahead, left and right turn you. Currents
carry you along each step; nobody can swim through the other."""
game = Game(size=(9, 11), players=2, max_steps=80, skills=["contest", "navigation"])

STRONG = Param(0.35, 0.1, 0.7, harder="up")
CORAL = Param(0.06, 0.0, 0.15, harder="up")

class Tile(Enum):
    CALM = Look(".", "blue")
    EAST = Look(">", "cyan")
    WEST = Look("<", "purple")
    CORAL = Look("#", "pink", solid=True)
    LAGOON = Look("L", "green", goal=True)

class State:
    pos: Players(Pos)
    facing: Players(Dir) = RIGHT
    board: Grid(Tile, outside=Tile.CORAL) = Tile.CALM

def reset(s):
    for k in range(3):
        band = pick(Tile.CALM, Tile.EAST, Tile.WEST)
        s.board = where(ROW == 1 + k or ROW == 7 - k, band, s.board)
    s.board = where(chance_grid(CORAL) and COL > 1 and COL < 9, Tile.CORAL, s.board)
    s.board = where(COL == 10 and ROW > 2 and ROW < 6, Tile.LAGOON, s.board)
    s.pos[0] = Pos(7, 0)
    s.pos[1] = Pos(1, 0)

def step(s, acts):
    for i in players():
        if acts[i].move == LEFT:
            s.facing[i] = turn_left(s.facing[i])
        elif acts[i].move == RIGHT:
            s.facing[i] = turn_right(s.facing[i])
        elif acts[i].move == UP:
            ahead = try_move(s.pos[i], s.facing[i])
            if ahead != s.pos[opponent(i)]:
                s.pos[i] = ahead
        water = s.board[s.pos[i]]
        carried = s.pos[i]
        if water == Tile.EAST and chance(STRONG):
            carried = try_move(s.pos[i], RIGHT)
        elif water == Tile.WEST and chance(STRONG):
            carried = try_move(s.pos[i], LEFT)
        if carried != s.pos[opponent(i)]:
            s.pos[i] = carried
    first = s.board[s.pos[0]] == Tile.LAGOON
    second = s.board[s.pos[1]] == Tile.LAGOON
    if first and second:
        draw()
    elif first:
        win(0)
    elif second:
        win(1)
