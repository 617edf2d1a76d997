"""Vacuum the dusty carpet by walking over it, but not over a sleeping cat. The cats show themselves
for a moment when they change places, then they look like dust: remember where they lie."""
game = Game(size=(6, 6), max_steps=70, skills=["memory", "avoidance"])

NEED = Param(16, 8, 24, harder="up")
CATS = Param(2, 1, 4, harder="up")
SHOW = Param(3, 1, 6, harder="down")
NAP = Param(16, 10, 30, harder="down")

class Tile(Enum):
    DUST = Look(":", "gray")
    CLEAN = Look(".", "black")
    CAT = Look("c", "orange", hazard=True)

class Cat(Row):
    pos: Hidden(Pos)

class State:
    agent: Pos
    board: Grid(Tile) = Tile.DUST
    cats: Table(Cat, 4)

def reset(s):
    s.agent = Pos(randint(0, 5), 0)
    s.board[s.agent] = Tile.CLEAN
    for k in range(4):
        if k < CATS:
            spot = random_cell(s.board == Tile.DUST and not disk(s.agent, 1.5))
            spawn(s.cats, pos=spot)
            s.board[spot] = Tile.CAT

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    s.board = where(s.board == Tile.CAT, Tile.DUST, s.board)
    fresh = s.board[s.agent] == Tile.DUST
    s.board[s.agent] = Tile.CLEAN
    if any_at(s.cats, s.agent):
        lose()
    elif fresh:
        reward(0.03)
    clock = (s.t + 1) % NAP
    for c in s.cats:
        free = s.board == Tile.DUST and not disk(s.agent, 1.5)
        if clock == 0 and any(free):
            c.pos = random_cell(free)
        if clock < SHOW:
            s.board[c.pos] = Tile.CAT
    if count(s.board == Tile.CLEAN) >= NEED:
        win()
