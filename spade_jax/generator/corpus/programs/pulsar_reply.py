"""Waves run outwards from the pulsar in the middle. Use the antenna just when one passes over you to
gain energy; moving spends some. Carry enough to the dish and use it there to reply."""
game = Game(size=(9, 9), max_steps=100, verbs=["use"], skills=["resource", "navigation"])

REPLY = Param(12, 6, 18, harder="up")
GAIN = Param(3, 2, 5, harder="down")
PERIOD = Param(6, 5, 9, harder="up")

class Tile(Enum):
    SPACE = Look(".", "black")
    PULSAR = Look("P", "white", solid=True)
    DISH = Look("D", "green", goal=True)

class State:
    agent: Pos
    energy: Int(0, 20) = 6
    board: Grid(Tile, outside=Tile.PULSAR) = Tile.SPACE
    wave: Grid(Bool) = False

def reset(s):
    s.board[Pos(4, 4)] = Tile.PULSAR
    s.board[random_cell(BORDER)] = Tile.DISH
    s.agent = random_cell(disk(Pos(4, 4), 3.0) and s.board == Tile.SPACE)

def step(s, act):
    if act.use:
        if s.board[s.agent] == Tile.DISH and s.energy >= REPLY:
            win()
        elif s.wave[s.agent]:
            s.energy += GAIN
            reward(0.05)
        else:
            s.energy -= 2
    if act.move != STAY:
        s.agent = try_move(s.agent, act.move)
        if chance(0.5):
            s.energy -= 1
    reach = (s.t + 1) % PERIOD
    s.wave = disk(Pos(4, 4), 0.5 + reach) and not disk(Pos(4, 4), reach - 0.5)
    if s.energy == 0:
        lose()
