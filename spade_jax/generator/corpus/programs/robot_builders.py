"""Build legs, then body, then head at your bench: take a part from the floor and build it there. New
parts appear at random; drop one that does not fit. The first whole robot wins."""
game = Game(size=(7, 7), players=2, max_steps=120, verbs=["take", "drop", "build"], skills=["contest", "manipulation"])

PARTS = Param(3, 1, 3, harder="up")
SUPPLY = Param(0.2, 0.05, 0.4, harder="down")

class Tile(Enum):
    FLOOR = Look(".", "black")
    LEGS = Look("l", "cyan", item=True)
    TRUNK = Look("b", "orange", item=True)
    HEAD = Look("h", "pink", item=True)
    BENCH = Look("B", "green", goal=True)

class State:
    pos: Players(Pos)
    hand: Players(Int(0, 3)) = 0
    built: Players(Int(0, 3)) = 0
    board: Grid(Tile, outside=Tile.BENCH) = Tile.FLOOR

def part(n):
    return Tile.LEGS if n == 1 else Tile.TRUNK if n == 2 else Tile.HEAD

def number(tile):
    return 1 if tile == Tile.LEGS else 2 if tile == Tile.TRUNK else 3 if tile == Tile.HEAD else 0

def reset(s):
    s.board[Pos(6, 3)] = Tile.BENCH
    s.board[Pos(0, 3)] = Tile.BENCH
    s.pos[0] = Pos(6, 2)
    s.pos[1] = Pos(0, 4)
    for k in range(6):
        s.board[random_cell(s.board == Tile.FLOOR and ROW > 0 and ROW < 6)] = part(k // 2 + 1)

def step(s, acts):
    for i in players():
        s.pos[i] = try_move(s.pos[i], acts[i].move)
        here = s.board[s.pos[i]]
        if acts[i].take and s.hand[i] == 0:
            s.hand[i] = number(here)
            if s.hand[i] > 0:
                s.board[s.pos[i]] = Tile.FLOOR
        if acts[i].drop and s.hand[i] > 0 and here == Tile.FLOOR:
            s.board[s.pos[i]] = part(s.hand[i])
            s.hand[i] = 0
        mine = s.pos[i] == Pos(6 - 6 * i, 3)
        if acts[i].build and mine and s.hand[i] == s.built[i] + 1:
            s.built[i] += 1
            s.hand[i] = 0
            reward(0.15, i)
    if chance(SUPPLY) and count(s.board != Tile.FLOOR) < 16:
        s.board[random_cell(s.board == Tile.FLOOR and ROW > 0 and ROW < 6)] = part(randint(1, 3))
    if s.built[0] >= PARTS and s.built[1] >= PARTS:
        draw()
    elif s.built[0] >= PARTS:
        win(0)
    elif s.built[1] >= PARTS:
        win(1)
