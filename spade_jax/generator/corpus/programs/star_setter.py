"""Push the stars onto the marks of the constellation. Clouds drift over the sky and grow: a star
under a cloud does not move. Set enough stars."""
game = Game(size=(8, 8), max_steps=100, skills=["manipulation", "puzzle"])

STARS = Param(2, 1, 4, harder="up")
CLOUDS = Param(0.12, 0.0, 0.3, harder="up")
GROW = Param(0.01, 0.0, 0.04, harder="up")

class Tile(Enum):
    SKY = Look(".", "black")
    STAR = Look("*", "yellow", solid=True, item=True)
    MARK = Look("_", "green", goal=True)
    SET = Look("+", "gold", solid=True, marker=True)

class State:
    agent: Pos = Pos(7, 4)
    put: Int(0, 4) = 0
    board: Grid(Tile, outside=Tile.SET) = Tile.SKY
    cloud: Grid(Bool) = False

def reset(s):
    for k in range(4):
        if k < STARS:
            s.board[random_cell(s.board == Tile.SKY and rect(Pos(2, 2), Pos(5, 5)))] = Tile.STAR
            s.board[random_cell(s.board == Tile.SKY and not BORDER)] = Tile.MARK
    s.cloud = chance_grid(CLOUDS)

def step(s, act):
    target = s.agent + act.move
    beyond = target + act.move
    if s.board[target] == Tile.STAR and not s.cloud[target]:
        if s.board[beyond] == Tile.MARK:
            s.board[target] = Tile.SKY
            s.board[beyond] = Tile.SET
            s.put += 1
            reward(0.2)
        elif s.board[beyond] == Tile.SKY:
            s.board[target] = Tile.SKY
            s.board[beyond] = Tile.STAR
    s.agent = try_move(s.agent, act.move)
    if s.t % 3 == 2:
        s.cloud = roll(s.cloud, RIGHT)
        s.cloud = s.cloud or (neighbors4(s.cloud) > 0 and chance_grid(GROW))
        s.cloud = s.cloud and not chance_grid(0.02)
    if s.put >= STARS:
        win()
