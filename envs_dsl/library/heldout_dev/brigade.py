"""Fill the bucket at the well and walk into every fire with water in it; without water you burn."""
game = Game(size=(7, 7), max_steps=60, skills=["resource", "avoidance"])

FIRES = Param(3, 1, 5, harder="up")
SPREAD = Param(0.005, 0.0, 0.03, harder="up")
BUCKET = Param(2, 1, 4, harder="down")

class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    WELL = Look("W", "blue", tool=True)
    FIRE = Look("f", "red", hazard=True)

class State:
    agent: Pos
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR
    water: Int(0, 4) = 0

def reset(s):
    s.board[Pos(randint(2, 4), randint(2, 4))] = Tile.WELL
    s.agent = random_cell(s.board == Tile.FLOOR)
    for k in range(5):
        if k < FIRES:
            s.board[random_cell(s.board == Tile.FLOOR and not disk(s.agent, 1.0))] = Tile.FIRE

def step(s, act):
    target = s.agent + act.move
    if s.board[target] != Tile.FIRE:
        s.agent = try_move(s.agent, act.move)
    elif s.water > 0:
        s.water -= 1
        s.board[target] = Tile.FLOOR
        reward(0.1)
    else:
        lose()
    if s.board[s.agent] == Tile.WELL and s.water < BUCKET:
        if s.water == 0:
            reward(0.05)
        s.water = BUCKET
    near = neighbors4(s.board == Tile.FIRE) > 0
    catch_fire = near and s.board == Tile.FLOOR and not at(s.agent) and chance_grid(SPREAD)
    s.board = where(catch_fire, Tile.FIRE, s.board)
    if not any(s.board == Tile.FIRE):
        win()
