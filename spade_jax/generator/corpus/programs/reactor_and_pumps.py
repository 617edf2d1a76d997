"""The core heats up. Fetch coolant at the tap and use it at a pump; but one pump leaks and only makes
steam, which shows for a while. Later another one may leak. Last until the shift ends."""
game = Game(size=(5, 7), max_steps=80, verbs=["use"], skills=["resource", "memory"])

SHIFT = Param(50, 45, 70, harder="up")
RATE = Param(0.025, 0.02, 0.04, harder="up")
WANDERS = Param(0.04, 0.0, 0.12, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    PUMP = Look("P", "white", goal=True)
    STEAM = Look("s", "orange", hazard=True)
    TAP = Look("T", "blue", resource=True)

class State:
    agent: Pos = Pos(3, 3)
    heat: Float(0.0, 1.0) = 0.3
    coolant: Int(0, 3) = 0
    leaky: Hidden(Int(0, 2)) = 0
    board: Grid(Tile, outside=Tile.FLOOR) = Tile.FLOOR

def reset(s):
    for k in range(3):
        s.board[Pos(1, 1 + 2 * k)] = Tile.PUMP
    s.board[Pos(4, randint(2, 4))] = Tile.TAP
    s.leaky = randint(0, 2)

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    here = s.board[s.agent]
    if here == Tile.TAP:
        s.coolant = 3
    elif act.use and s.coolant > 0 and (here == Tile.PUMP or here == Tile.STEAM):
        s.coolant -= 1
        if s.agent.col == 1 + 2 * s.leaky:
            s.board[s.agent] = Tile.STEAM
        else:
            s.board[s.agent] = Tile.PUMP
            s.heat -= 0.2
    if chance(WANDERS):
        s.leaky = randint(0, 2)
    s.board = where(s.board == Tile.STEAM and chance_grid(WANDERS), Tile.PUMP, s.board)
    s.heat += RATE
    if s.heat < 0.6:
        reward(0.01)
    if s.heat >= 1.0:
        lose()
    elif s.t + 1 >= SHIFT:
        win()
