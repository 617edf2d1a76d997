"""Walk through the gaps between four rooms to the green flag; mud often holds you back a step."""
game = Game(size=(9, 9), max_steps=100, skills=["navigation"])

BOG = Param(0.1, 0.0, 0.5, harder="up")
SHUT = Param(0.5, 0.0, 1.0, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    MUD = Look("~", "brown")
    FLAG = Look("F", "green", goal=True)

class State:
    agent: Pos
    flag: Pos
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def reset(s):
    s.board = where(chance_grid(BOG), Tile.MUD, s.board)
    s.board = where(ROW == 4 or COL == 4, Tile.WALL, s.board)
    s.board[Pos(4, randint(0, 3))] = Tile.FLOOR
    s.board[Pos(4, randint(5, 8))] = Tile.FLOOR
    s.board[Pos(randint(0, 3), 4)] = Tile.FLOOR
    if not chance(SHUT):
        s.board[Pos(randint(5, 8), 4)] = Tile.FLOOR
    s.agent = random_cell(s.board == Tile.FLOOR)
    s.flag = random_cell(s.board == Tile.FLOOR and not at(s.agent))
    s.board[s.flag] = Tile.FLAG

def step(s, act):
    before = manhattan(s.agent, s.flag)
    stuck = s.board[s.agent] == Tile.MUD and chance(0.5)
    if not stuck:
        s.agent = try_move(s.agent, act.move)
    reward(0.03 * (before - manhattan(s.agent, s.flag)))
    if s.agent == s.flag:
        win()
