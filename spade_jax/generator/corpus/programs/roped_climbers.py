"""Two roped climbers: step from hold to hold until both are on the top ledge. Whoever steps onto
bare rock falls, and is caught only if the partner stays put in that moment. The rope is short."""
game = Game(size=(6, 6), players=2, max_steps=70, skills=["cooperation", "avoidance"])

HOLDS = Param(0.35, 0.15, 0.8, harder="down")
ROPE = Param(3, 2, 5, harder="down")
CATCHES = Param(4, 1, 8, harder="down")

class Tile(Enum):
    ROCK = Look(".", "darkgray", hazard=True)
    HOLD = Look("o", "orange")
    GROUND = Look("_", "darkgreen")
    TOP = Look("T", "white", goal=True)

class State:
    pos: Players(Pos)
    best: Players(Int(0, 5)) = 5
    catches: Int(0, 8) = 4
    board: Grid(Tile) = Tile.ROCK

def reset(s):
    s.pos[0] = Pos(5, randint(1, 2))
    s.pos[1] = Pos(5, randint(3, 4))
    ways = carve(s.pos[0], Pos(0, randint(1, 4))) or carve(s.pos[1], Pos(0, randint(1, 4)))
    s.board = where(ways or chance_grid(HOLDS), Tile.HOLD, s.board)
    s.board = where(ROW == 5, Tile.GROUND, s.board)
    s.board = where(ROW == 0, Tile.TOP, s.board)
    s.catches = CATCHES

def step(s, acts):
    for i in players():
        partner = s.pos[opponent(i)]
        target = try_move(s.pos[i], acts[i].move)
        if chebyshev(target, partner) <= ROPE and target != partner:
            if s.board[target] != Tile.ROCK:
                s.pos[i] = target
            elif acts[opponent(i)].move == STAY and s.catches > 0:
                s.catches -= 1
            else:
                lose()
        if s.pos[i].row < s.best[i]:
            reward(0.04)
            s.best[i] = s.pos[i].row
    if s.pos[0].row == 0 and s.pos[1].row == 0:
        win()
