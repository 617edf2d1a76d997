"""The plan shows for a moment which channel in the wall is free. Lay the pipe along it to the other
tap; a step beside it strikes a cable. Water comes after you through the pipe."""
game = Game(size=(7, 7), max_steps=50, skills=["memory", "navigation"])

SHOW = Param(6, 2, 10, harder="down")
FLOW = Param(0.3, 0.1, 0.7, harder="up")
STRIKES = Param(2, 1, 4, harder="down")

class Tile(Enum):
    WALL = Look(".", "gray")
    PLAN = Look("+", "cyan", marker=True)
    PIPE = Look("=", "white")
    WATER = Look("~", "blue", hazard=True)
    SPARK = Look("x", "orange")
    TAP = Look("T", "green", goal=True)

class State:
    agent: Pos
    strikes: Int(0, 4) = 0
    channel: Hidden(Grid(Bool)) = False
    laid: Hidden(Grid(Bool)) = False
    board: Grid(Tile, outside=Tile.WALL) = Tile.WALL

def reset(s):
    s.agent = Pos(randint(1, 5), 0)
    goal = Pos(randint(1, 5), 6)
    s.channel = carve(s.agent, goal)
    s.board = where(s.channel, Tile.PLAN, s.board)
    s.board[goal] = Tile.TAP

def step(s, act):
    if s.t + 1 >= SHOW:
        s.board = where(s.board == Tile.PLAN, Tile.WALL, s.board)
        target = try_move(s.agent, act.move)
        if not s.channel[target]:
            s.board[target] = Tile.SPARK
            s.strikes += 1
            reward(-0.1)
        elif s.board[target] != Tile.WATER:
            s.laid = s.laid or at(s.agent) or at(target)
            s.agent = target
        pipe = s.laid and s.board != Tile.WATER and s.board != Tile.TAP
        wet = pipe and (neighbors4(s.board == Tile.WATER) > 0 or COL == 0) and chance_grid(FLOW)
        s.board = where(pipe, Tile.PIPE, s.board)
        s.board = where(wet and s.t > SHOW + 4, Tile.WATER, s.board)
    if s.board[s.agent] == Tile.TAP:
        win()
    elif s.board[s.agent] == Tile.WATER or s.strikes >= STRIKES:
        lose()
