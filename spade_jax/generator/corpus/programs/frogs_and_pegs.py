"""Two frogs: who hops over a peg of the own colour onto the free cell behind it takes it out. Leave
exactly one peg in all, and never land in the brambles."""
game = Game(size=(6, 6), players=2, max_steps=60, skills=["cooperation", "puzzle"])

PEGS = Param(2, 1, 4, harder="up")
BRAMBLES = Param(4, 1, 8, harder="up")

class Tile(Enum):
    GRASS = Look(".", "black")
    RED_PEG = Look("r", "red", solid=True)
    BLUE_PEG = Look("b", "blue", solid=True)
    BRAMBLE = Look("x", "purple", hazard=True)

class State:
    pos: Players(Pos)
    board: Grid(Tile, outside=Tile.BRAMBLE) = Tile.GRASS

def reset(s):
    s.pos[0] = Pos(0, randint(0, 5))
    s.pos[1] = Pos(5, randint(0, 5))
    for k in range(4):
        if k < PEGS:
            s.board[random_cell(s.board == Tile.GRASS and not BORDER)] = Tile.RED_PEG
            s.board[random_cell(s.board == Tile.GRASS and not BORDER)] = Tile.BLUE_PEG
    for k in range(8):
        clear = s.board == Tile.GRASS and not at(s.pos[0]) and not at(s.pos[1])
        if k < BRAMBLES:
            s.board[random_cell(clear)] = Tile.BRAMBLE

def step(s, acts):
    for i in players():
        d = acts[i].move
        ahead = s.pos[i] + d
        beyond = ahead + d
        own = Tile.RED_PEG if i == 0 else Tile.BLUE_PEG
        other = s.pos[opponent(i)]
        if s.board[ahead] == own:
            if inside(beyond) and not solid(s.board[beyond]) and beyond != other:
                s.board[ahead] = Tile.GRASS
                s.pos[i] = beyond
                reward(0.1)
        elif ahead != other:
            s.pos[i] = try_move(s.pos[i], d)
        if s.board[s.pos[i]] == Tile.BRAMBLE:
            lose()
    left = count(s.board == Tile.RED_PEG or s.board == Tile.BLUE_PEG)
    if left == 0:
        lose()
    elif left == 1:
        win()
