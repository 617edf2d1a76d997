"""Pull to drag the rivals into the puddle while they rest; when they heave, lean back (right) or you
slide left. Both cost breath, which comes back when you stand. Mud gives no hold: change lanes."""
game = Game(size=(5, 9), max_steps=80, verbs=["pull"], skills=["resource"])

FORCE = Param(0.6, 0.3, 0.9, harder="up")
MUD = Param(0.15, 0.0, 0.4, harder="up")
LUNGS = Param(7, 4, 10, harder="down")

class Tile(Enum):
    GRASS = Look(".", "darkgreen")
    MUD = Look("m", "brown")
    PUDDLE = Look("~", "blue", hazard=True)
    LINE = Look("|", "gold", goal=True)

class State:
    agent: Pos = Pos(2, 4)
    breath: Int(0, 10) = 4
    heaving: Bool = False
    beat: Int(0, 5) = 3
    best: Int(0, 8) = 4
    board: Grid(Tile, outside=Tile.GRASS) = Tile.GRASS

def reset(s):
    s.board = where(chance_grid(MUD) and not at(s.agent), Tile.MUD, s.board)
    s.board = where(COL < 2, Tile.PUDDLE, s.board)
    s.board = where(COL == 8, Tile.LINE, s.board)

def step(s, act):
    leaning = act.move == RIGHT and s.breath > 0
    pulling = act.pull and s.breath >= 2
    if leaning:
        s.breath -= 1
    elif pulling:
        s.breath -= 2
    elif s.breath < LUNGS and not act.pull:
        s.breath += 1
    if act.move == UP or act.move == DOWN:
        s.agent = try_move(s.agent, act.move)
    hold = s.board[s.agent] != Tile.MUD or chance(0.3)
    if s.heaving:
        if not (leaning and hold) and chance(FORCE):
            s.agent = s.agent + LEFT
    elif pulling and hold:
        s.agent = s.agent + RIGHT
        if s.agent.col > s.best:
            s.best = s.agent.col
            reward(0.1)
    s.beat -= 1
    if s.beat <= 0:
        s.heaving = not s.heaving
        s.beat = randint(2, 5)
    if s.board[s.agent] == Tile.PUDDLE:
        lose()
    elif s.board[s.agent] == Tile.LINE:
        win()
