"""Run from clue to clue: each shows where the next lies, the last one the chest. A pirate is after
you; a torch (use) drives him away for a while, but you have few."""
game = Game(size=(9, 9), max_steps=90, verbs=["use"], skills=["avoidance", "navigation"])

CLUES = Param(4, 1, 7, harder="up")
TORCHES = Param(2, 0, 4, harder="down")
CHASE = Param(0.6, 0.3, 0.9, harder="up")

class Tile(Enum):
    SAND = Look(".", "yellow")
    PALM = Look("#", "green", solid=True)
    CLUE = Look("c", "white", goal=True)
    CHEST = Look("T", "gold", goal=True)

class Pirate(Row):
    pos: Pos
    afraid: Int(0, 9)

class State:
    agent: Pos = Pos(4, 4)
    clues: Int(0, 7) = 0
    torches: Int(0, 4) = 2
    board: Grid(Tile, outside=Tile.PALM) = Tile.SAND
    pirates: Table(Pirate, 1)

def reset(s):
    s.board = where(chance_grid(0.14) and not disk(s.agent, 1.5), Tile.PALM, s.board)
    s.board[random_cell(s.board == Tile.SAND and not disk(s.agent, 2.0))] = Tile.CLUE
    spawn(s.pirates, pos=random_cell(BORDER and s.board == Tile.SAND), afraid=3)
    s.torches = TORCHES

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    here = s.board[s.agent]
    if here == Tile.CHEST:
        win()
    elif here == Tile.CLUE:
        s.clues += 1
        reward(0.1)
        s.board[s.agent] = Tile.SAND
        following = random_cell(s.board == Tile.SAND and not disk(s.agent, 3.0))
        s.board[following] = Tile.CHEST if s.clues >= CLUES else Tile.CLUE
    lit = act.use and s.torches > 0
    if lit:
        s.torches -= 1
    for p in s.pirates:
        if lit and manhattan(p.pos, s.agent) <= 4:
            p.afraid = 9
        if p.afraid > 0:
            p.afraid -= 1
            p.pos = try_move(p.pos, away(p.pos, s.agent))
        elif chance(CHASE):
            way = toward(p.pos, s.agent)
            to = try_move(p.pos, way)
            p.pos = to if to != p.pos else try_move(p.pos, random_dir())
        if p.pos == s.agent:
            lose()
