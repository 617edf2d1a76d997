"""Drive the sheep into the green pen: it runs straight from you whenever you stand beside it."""
game = Game(size=(6, 6), max_steps=40, skills=["manipulation"])

SHEEP = Param(1, 1, 2, harder="up")
STRAY = Param(0.02, 0.0, 0.3, harder="up")

class Tile(Enum):
    GRASS = Look(".", "darkgreen")
    FENCE = Look("#", "gray", solid=True)
    PEN = Look("P", "green", goal=True)

class Sheep(Row):
    pos: Pos

class State:
    agent: Pos
    pen: Pos
    board: Grid(Tile, outside=Tile.FENCE) = Tile.GRASS
    flock: Table(Sheep, 2)

def reset(s):
    s.pen = Pos(0, 0) if chance(0.5) else Pos(0, 5)
    s.board = where(disk(s.pen, 1.0), Tile.PEN, s.board)
    s.agent = random_cell(ROW > 3)
    far = rect(Pos(2, 1), Pos(4, 4)) and not disk(s.pen, 4.0) and not at(s.agent)
    for k in range(2):
        if k < SHEEP:
            spawn(s.flock, pos=random_cell(far and not occupied(s.flock)))

def step(s, act):
    target = try_move(s.agent, act.move)
    if not any_at(s.flock, target):
        s.agent = target
    for h in s.flock:
        before = manhattan(h.pos, s.pen)
        dest = h.pos
        if manhattan(h.pos, s.agent) <= 1:
            dest = try_move(h.pos, away(h.pos, s.agent))
            if dest == h.pos:
                dest = try_move(h.pos, random_dir())
        elif chance(STRAY):
            dest = try_move(h.pos, random_dir())
        if dest != s.agent and not any_at(s.flock, dest):
            h.pos = dest
        reward(0.05 * (before - manhattan(h.pos, s.pen)))
        if s.board[h.pos] == Tile.PEN:
            kill(h)
            reward(0.1)
    if not any(occupied(s.flock)):
        win()
