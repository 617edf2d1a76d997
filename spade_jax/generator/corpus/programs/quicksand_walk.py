"""Two hikers cross shifting quicksand to the camp on the right. Who stands in it sinks and cannot
walk; the other, from dry ground beside, must pull. Nobody may go under."""
game = Game(size=(6, 9), players=2, max_steps=80, verbs=["pull"], skills=["cooperation", "navigation"])

SAND = Param(0.12, 0.0, 0.3, harder="up")
DEPTH = Param(8, 4, 14, harder="down")
SHIFT = Param(0.01, 0.0, 0.05, harder="up")

class Tile(Enum):
    GROUND = Look(".", "yellow")
    MIRE = Look("~", "brown", hazard=True)
    CAMP = Look("C", "green", goal=True)

class State:
    pos: Players(Pos)
    depth: Players(Int(0, 14)) = 0
    far: Int(0, 16) = 0
    board: Grid(Tile, outside=Tile.GROUND) = Tile.GROUND

def reset(s):
    s.board = where(chance_grid(SAND) and COL > 1, Tile.MIRE, s.board)
    s.board = where(COL == 8, Tile.CAMP, s.board)
    s.pos[0] = Pos(1, 0)
    s.pos[1] = Pos(4, 0)

def step(s, acts):
    for i in players():
        j = opponent(i)
        if s.board[s.pos[i]] == Tile.MIRE:
            s.depth[i] += 1
            freed = acts[j].pull and chebyshev(s.pos[i], s.pos[j]) <= 1 and s.board[s.pos[j]] != Tile.MIRE
            if freed:
                s.pos[i] = s.pos[j]
                s.depth[i] = 0
                reward(0.1)
        else:
            s.pos[i] = try_move(s.pos[i], acts[i].move)
            s.depth[i] = 0
        if s.depth[i] >= DEPTH:
            lose()
    taken = at(s.pos[0]) or at(s.pos[1])
    fresh = s.board == Tile.GROUND and COL > 1 and not taken and chance_grid(SHIFT)
    firm = s.board == Tile.MIRE and not taken and chance_grid(4.0 * SHIFT)
    s.board = where(fresh, Tile.MIRE, where(firm, Tile.GROUND, s.board))
    reached = s.pos[0].col + s.pos[1].col
    reward(0.02 * max(reached - s.far, 0))
    s.far = max(s.far, reached)
    if s.board[s.pos[0]] == Tile.CAMP and s.board[s.pos[1]] == Tile.CAMP:
        win()
