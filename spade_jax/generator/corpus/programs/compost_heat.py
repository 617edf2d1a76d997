"""Each heap cools unseen; turn it (use) before it is cold, but not while it is still hot: steam shows
heat only for a moment after turning. Keep all heaps alive until the compost is ripe."""
game = Game(size=(6, 6), max_steps=80, verbs=["use"], skills=["memory", "navigation"])

HEAPS = Param(3, 2, 5, harder="up")
RIPE = Param(55, 35, 75, harder="up")
WARM = Param(26, 20, 34, harder="down")

class Tile(Enum):
    SOIL = Look(".", "brown")
    HEAP = Look("h", "darkgreen", goal=True)
    STEAM = Look("s", "white", hazard=True)

class State:
    agent: Pos = Pos(3, 3)
    burnt: Int(0, 2) = 0
    heat: Hidden(Grid(Int(0, 40))) = 0
    board: Grid(Tile, outside=Tile.SOIL) = Tile.SOIL

def reset(s):
    for k in range(5):
        if k < HEAPS:
            spot = random_cell(s.board == Tile.SOIL and not at(s.agent))
            s.board[spot] = Tile.HEAP
            s.heat[spot] = randint(10, WARM)

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    heaps = s.board == Tile.HEAP or s.board == Tile.STEAM
    s.heat = where(heaps, s.heat - 1, s.heat)
    if act.use and heaps[s.agent]:
        if s.heat[s.agent] > WARM - 8:
            s.burnt += 1
        else:
            reward(0.05)
        s.heat[s.agent] = WARM
    s.board = where(heaps, where(s.heat > WARM - 4, Tile.STEAM, Tile.HEAP), s.board)
    if any(heaps and s.heat == 0) or s.burnt == 2:
        lose()
    elif s.t + 1 >= RIPE:
        win()
