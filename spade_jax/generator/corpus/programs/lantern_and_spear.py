"""In murky water the first of you carries a lantern, in whose light fish can be seen; the second
spears a lit fish on or beside the own cell (attack). Catch enough; never step into a deep hole."""
game = Game(size=(6, 6), players=2, max_steps=70, verbs=["attack"], skills=["cooperation", "avoidance"])

NEED = Param(3, 1, 5, harder="up")
HOLES = Param(3, 1, 6, harder="up")
SWIM = Param(0.3, 0.05, 0.6, harder="up")

class Tile(Enum):
    SHALLOW = Look(".", "blue")
    DEEP = Look("O", "black", hazard=True)
    FISH = Look("f", "cyan", item=True)

class Fish(Row):
    pos: Hidden(Pos)

class State:
    pos: Players(Pos)
    caught: Int(0, 5) = 0
    board: Grid(Tile, outside=Tile.DEEP) = Tile.SHALLOW
    shoal: Table(Fish, 3)

def reset(s):
    s.pos[0] = Pos(0, randint(0, 5))
    s.pos[1] = Pos(5, randint(0, 5))
    for k in range(6):
        if k < HOLES:
            s.board[random_cell(ROW > 0 and ROW < 5 and s.board == Tile.SHALLOW)] = Tile.DEEP
    for k in range(3):
        spawn(s.shoal, pos=random_cell(s.board == Tile.SHALLOW))

def step(s, acts):
    """A thrust that hits nothing frightens every fish away from where it was."""
    for i in players():
        target = try_move(s.pos[i], acts[i].move)
        if target != s.pos[opponent(i)]:
            s.pos[i] = target
    water = s.board != Tile.DEEP
    hit = False
    if acts[1].attack:
        for fish in s.shoal:
            if not hit and manhattan(fish.pos, s.pos[1]) <= 1 and chebyshev(fish.pos, s.pos[0]) <= 1:
                hit = True
                s.caught += 1
                reward(0.15)
                fish.pos = random_cell(water and not disk(s.pos[1], 2.0))
    s.board = where(s.board == Tile.FISH, Tile.SHALLOW, s.board)
    for fish in s.shoal:
        if chance(SWIM) or (acts[1].attack and not hit):
            ahead = fish.pos + random_dir()
            if inside(ahead) and s.board[ahead] != Tile.DEEP:
                fish.pos = ahead
        if chebyshev(fish.pos, s.pos[0]) <= 1:
            s.board[fish.pos] = Tile.FISH
    if s.board[s.pos[0]] == Tile.DEEP or s.board[s.pos[1]] == Tile.DEEP:
        lose()
    elif s.caught >= NEED:
        win()
