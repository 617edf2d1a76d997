"""Glide over the tile to pick it up and slow down over the frame to set it in: that opens the door to
the next chamber, where the next one waits. Bump into a wall and the tile flies back to its place."""
game = Game(size=(7, 11), max_steps=130, skills=["continuous", "navigation"])

SLOW = Param(0.45, 0.3, 0.9, harder="down")
THRUST = Param(0.2, 0.14, 0.28, harder="up")
PICTURE = Param(2, 1, 3, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    DOOR = Look("D", "brown", solid=True, door=True)
    PIECE = Look("p", "gold", item=True)
    FRAME = Look("F", "green", goal=True)
    DONE = Look("x", "cyan")

class State:
    pos: Vec2(-5.4, 5.4)
    vel: Vec2(-0.8, 0.8)
    carrying: Bool = False
    placed: Int(0, 3) = 0
    home: Pos
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def room(k, board):
    return board == Tile.FLOOR and COL > 4 * k - 1 and COL < 4 * k + 3

def reset(s):
    s.board = where(COL == 3 or COL == 7, Tile.WALL, s.board)
    for k in range(2):
        gap = Pos(randint(1, 4), 3 + 4 * k)
        s.board = where(rect(gap, gap + DOWN), Tile.DOOR, s.board)
    s.pos = Vec2(-4.0, 0.0)
    s.home = random_cell(room(0, s.board) and (ROW < 3 or ROW > 3))
    s.board[s.home] = Tile.PIECE
    s.board[random_cell(room(0, s.board) and not disk(s.home, 2.0))] = Tile.FRAME

def step(s, act):
    s.vel = 0.8 * s.vel + THRUST * vec(act.move)
    if solid(s.board[cell(s.pos + s.vel)]):
        s.vel = -0.4 * s.vel
        if s.carrying:
            s.carrying = False
            s.board[s.home] = Tile.PIECE
            reward(-0.08)
    else:
        s.pos += s.vel
    spot = cell(s.pos)
    here = s.board[spot]
    if here == Tile.PIECE:
        s.carrying = True
        s.board[spot] = Tile.FLOOR
        reward(0.08)
    if here == Tile.FRAME and s.carrying and length(s.vel) <= SLOW:
        s.carrying = False
        s.placed += 1
        reward(0.15)
        s.board[spot] = Tile.DONE
        s.board = where(s.board == Tile.DOOR and COL == 4 * s.placed - 1, Tile.FLOOR, s.board)
        if s.placed >= PICTURE:
            win()
        else:
            s.home = random_cell(room(s.placed, s.board))
            s.board[s.home] = Tile.PIECE
            s.board[random_cell(room(s.placed, s.board) and not disk(s.home, 1.5))] = Tile.FRAME

def view(s):
    disc(s.pos, 0.4, 0)
