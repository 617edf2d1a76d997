"""A sign shows for a moment which arm holds the prize: walk down the corridor and turn that way."""
game = Game(size=(7, 13), max_steps=60, skills=["memory", "navigation"])

SHOW = Param(3, 1, 8, harder="down")
WIND = Param(0.0, 0.0, 0.4, harder="up")

HALL = Layout("""
    #############
    ###########G#
    ###########.#
    #@..........#
    ###########.#
    ###########G#
    #############
""")

class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    START = Look("@", "white", marker=True)
    ARM = Look("G", "green", goal=True)
    UPWARD = Look("^", "yellow", solid=True, marker=True)
    DOWNWARD = Look("v", "blue", solid=True, marker=True)

class State:
    agent: Pos = Pos(3, 1)
    prize: Hidden(Pos)
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def reset(s):
    s.board = paint(HALL)
    s.prize = Pos(1, 11) if chance(0.5) else Pos(5, 11)
    s.board[Pos(2, 1)] = Tile.UPWARD if s.prize.row == 1 else Tile.DOWNWARD

def step(s, act):
    if not chance(WIND):
        s.agent = try_move(s.agent, act.move)
    if s.t + 1 >= SHOW:
        s.board[Pos(2, 1)] = Tile.WALL
    if s.agent == s.prize:
        win()
    elif s.board[s.agent] == Tile.ARM:
        lose()
