"""Drop bombs to blow up every slime, and stand clear: the blast runs along rows and columns."""
game = Game(size=(9, 9), max_steps=150, verbs=["drop"], skills=["avoidance", "manipulation"])

SLIMES = Param(2, 1, 4, harder="up")
CRATES = Param(0.25, 0.0, 0.5, harder="up")
RESTLESS = Param(0.3, 0.0, 0.8, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    CRATE = Look("c", "brown", solid=True, resource=True)
    FLAME = Look("*", "orange", hazard=True)

class Slime(Row):
    pos: Pos

class Bomb(Row):
    pos: Pos
    fuse: Int(0, 5)

class State:
    agent: Pos = Pos(0, 0)
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR
    slimes: Table(Slime, 4)
    bombs: Table(Bomb, 2)

def reset(s):
    s.board = where(chance_grid(CRATES) and not disk(s.agent, 2.0), Tile.CRATE, s.board)
    s.board = where(ROW % 2 == 1 and COL % 2 == 1, Tile.WALL, s.board)
    for k in range(4):
        if k < SLIMES:
            spawn(s.slimes, pos=random_cell(s.board == Tile.FLOOR and not disk(s.agent, 5.0)))

def step(s, act):
    s.board = where(s.board == Tile.FLAME, Tile.FLOOR, s.board)
    target = try_move(s.agent, act.move)
    if not any_at(s.bombs, target):
        s.agent = target
    if act.drop and not any_at(s.bombs, s.agent):
        spawn(s.bombs, pos=s.agent, fuse=5)
    for b in s.bombs:
        b.fuse -= 1
        if b.fuse == 0:
            s.board[b.pos] = Tile.FLAME
            for d in dirs4():
                spot = b.pos
                burning = True
                for k in range(2):
                    spot = spot + d
                    tile = s.board[spot]
                    if burning and tile != Tile.WALL:
                        s.board[spot] = Tile.FLAME
                    burning = burning and not solid(tile)
            kill(b)
    for m in s.slimes:
        dest = try_move(m.pos, random_dir())
        if chance(RESTLESS) and not any_at(s.bombs, dest):
            m.pos = dest
        if m.pos == s.agent:
            lose()
        if s.board[m.pos] == Tile.FLAME:
            kill(m)
            reward(0.2)
    if s.board[s.agent] == Tile.FLAME:
        lose()
    if not any(occupied(s.slimes)):
        win()
