"""A bad cable puts out the cables around it, and the outage spreads. It hums when you are beside or
on it: use a repair kit on the very cable before the kits are gone or the server goes dark."""
game = Game(size=(7, 7), max_steps=60, verbs=["use"], skills=["navigation", "memory"])

KITS = Param(3, 1, 6, harder="down")
SPREAD = Param(0.03, 0.01, 0.06, harder="up")
STUMBLE = Param(0.3, 0.0, 0.6, harder="up")

class Tile(Enum):
    WALL = Look("#", "gray", solid=True)
    CABLE = Look(".", "yellow")
    DARK = Look("x", "purple", marker=True)
    SERVER = Look("S", "green", solid=True, goal=True)

class State:
    agent: Pos
    fault: Hidden(Pos)
    hum: Bool = False
    kits: Int(0, 6) = 3
    board: Grid(Tile, outside=Tile.WALL) = Tile.WALL

def reset(s):
    s.board = where(ROW % 2 == 0 or COL % 2 == 0, Tile.CABLE, s.board)
    s.board[Pos(pick(0, 6), pick(0, 6))] = Tile.SERVER
    server = nearest(s.board == Tile.SERVER, Pos(3, 3))
    s.agent = Pos(3, 2)
    s.fault = random_cell(s.board == Tile.CABLE and not disk(server, 3.5) and not disk(s.agent, 1.5))
    reached = flood(at(s.fault), s.board == Tile.CABLE and chance_grid(0.7), 3)
    s.board = where(reached, Tile.DARK, s.board)
    s.kits = KITS

def step(s, act):
    if s.board[s.agent] != Tile.DARK or not chance(STUMBLE):
        s.agent = try_move(s.agent, act.move)
    heard = s.hum
    s.hum = chebyshev(s.agent, s.fault) <= 1
    if s.hum and not heard:
        reward(0.03)
    if act.use and s.kits > 0:
        s.kits -= 1
        if s.agent == s.fault:
            win()
        elif s.kits == 0:
            lose()
    live = s.board == Tile.CABLE or s.board == Tile.SERVER
    near = neighbors4(s.board == Tile.DARK)
    s.board = where(live and chance_grid(SPREAD * near), Tile.DARK, s.board)
    if not any(s.board == Tile.SERVER):
        lose()
