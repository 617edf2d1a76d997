"""Glide over the glacier to the green camp in the east. Thin ice cracks under you at once: whoever
is still there a moment later, or comes back, falls in. Crevasses swallow sleds at any speed."""
game = Game(size=(7, 12), max_steps=60, skills=["avoidance", "continuous"])

THIN = Param(0.35, 0.1, 0.6, harder="up")
CREVASSES = Param(0.09, 0.03, 0.16, harder="up")
MELT = Param(0.01, 0.0, 0.03, harder="up")

class Tile(Enum):
    SNOW = Look(".", "white")
    THIN = Look("t", "cyan", marker=True)
    CRACKED = Look("c", "blue", hazard=True)
    CREVASSE = Look("O", "black", hazard=True)
    CAMP = Look("C", "green", goal=True)

class State:
    pos: Vec2(-5.9, 5.9)
    vel: Vec2(-1.3, 1.3)
    board: Grid(Tile, outside=Tile.CREVASSE) = Tile.SNOW

def reset(s):
    middle = COL > 1 and COL < 11
    s.board = where(middle and chance_grid(THIN), Tile.THIN, s.board)
    s.board = where(middle and chance_grid(CREVASSES), Tile.CREVASSE, s.board)
    s.board = where(COL == 11, Tile.CAMP, s.board)
    s.pos = Vec2(-5.5, uniform(-2.0, 2.0))
    s.pos.y = clip(s.pos.y, -3.4, 3.4)

def step(s, act):
    before = s.pos.x
    s.vel = 0.75 * s.vel + 0.35 * vec(act.move)
    s.pos += s.vel
    s.pos.y = clip(s.pos.y, -3.4, 3.4)
    reward(0.02 * (s.pos.x - before))
    here = s.board[cell(s.pos)]
    if here == Tile.CREVASSE or here == Tile.CRACKED:
        lose()
    if here == Tile.CAMP:
        win()
    if here == Tile.THIN:
        s.board[cell(s.pos)] = Tile.CRACKED
    s.board = where(s.board == Tile.THIN and chance_grid(MELT), Tile.CRACKED, s.board)

def view(s):
    disc(s.pos, 0.4, 0)
