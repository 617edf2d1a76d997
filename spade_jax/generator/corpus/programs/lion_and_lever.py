"""Two tamers and a lion: drop meat to lead the lion into the cage on the right, and pull the lever
(use) on the left while it is in there. Keep away from it: only while it eats it is harmless."""
game = Game(size=(6, 8), players=2, max_steps=80, verbs=["drop", "use"], skills=["cooperation", "avoidance"])

MEAT = Param(5, 3, 8, harder="down")
MEAL = Param(5, 3, 8, harder="down")
WILD = Param(0.3, 0.0, 0.7, harder="up")

class Tile(Enum):
    SAND = Look(".", "yellow")
    CAGE = Look("=", "gray", goal=True)
    LEVER = Look("L", "cyan", tool=True)
    MEAT = Look("m", "red", item=True)

class Lion(Row):
    pos: Pos
    eating: Int(0, 8)

class State:
    pos: Players(Pos)
    meat: Int(0, 8) = 5
    lions: Table(Lion, 1)
    board: Grid(Tile, outside=Tile.SAND) = Tile.SAND

def in_cage(p):
    return p.col == 7 and p.row > 1 and p.row < 4

def reset(s):
    s.board = where(COL == 7 and ROW > 1 and ROW < 4, Tile.CAGE, s.board)
    s.board[Pos(randint(0, 5), 0)] = Tile.LEVER
    s.pos[0] = Pos(1, 2)
    s.pos[1] = Pos(4, 2)
    spawn(s.lions, pos=Pos(randint(1, 4), 5), eating=2)
    s.meat = MEAT

def step(s, acts):
    for i in players():
        s.pos[i] = try_move(s.pos[i], acts[i].move)
        here = s.board[s.pos[i]]
        if acts[i].drop and s.meat > 0 and (here == Tile.SAND or here == Tile.CAGE):
            s.board[s.pos[i]] = Tile.MEAT
            s.meat -= 1
    for n in s.lions:
        bait = nearest(s.board == Tile.MEAT, n.pos)
        if n.eating > 0:
            n.eating -= 1
        elif inside(bait):
            n.pos = n.pos + toward(n.pos, bait)
        elif chance(WILD):
            n.pos = try_move(n.pos, random_dir())
        if s.board[n.pos] == Tile.MEAT:
            s.board[n.pos] = Tile.CAGE if in_cage(n.pos) else Tile.SAND
            n.eating = MEAL
            if in_cage(n.pos):
                reward(0.2)
        for i in players():
            if n.eating == 0 and manhattan(n.pos, s.pos[i]) <= 1:
                lose()
            if acts[i].use and s.board[s.pos[i]] == Tile.LEVER and in_cage(n.pos):
                win()
