"""A lamp shows a colour for a moment: enter the gate of that colour; any other earns nothing."""
game = Game(size=(7, 7), max_steps=40, skills=["memory", "navigation"])

SHOW = Param(6, 1, 12, harder="down")
CROSSED = Param(0.0, 0.0, 0.5, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    DARK = Look("o", "white", solid=True, marker=True)
    RED_LAMP = Look("r", "red", solid=True, marker=True)
    BLUE_LAMP = Look("b", "blue", solid=True, marker=True)
    GREEN_LAMP = Look("g", "green", solid=True, marker=True)
    RED_GATE = Look("R", "red", goal=True)
    BLUE_GATE = Look("B", "blue", goal=True)
    GREEN_GATE = Look("G", "green", goal=True)

class State:
    agent: Pos
    board: Grid(Tile, outside=Tile.WALL) = Tile.WALL
    hue: Hidden(Int(0, 2)) = 0

def reset(s):
    s.board = where(rect(Pos(2, 1), Pos(4, 5)), Tile.FLOOR, s.board)
    s.board[Pos(1, 3)] = Tile.GREEN_GATE
    s.board[Pos(3, 0)] = Tile.RED_GATE
    s.board[Pos(3, 6)] = Tile.BLUE_GATE
    if chance(CROSSED):
        swap(s.board, Pos(3, 0), Pos(3, 6))
    s.agent = Pos(4, 3)
    s.hue = randint(0, 2)
    lamp = Tile.RED_LAMP
    if s.hue == 1:
        lamp = Tile.BLUE_LAMP
    elif s.hue == 2:
        lamp = Tile.GREEN_LAMP
    s.board[Pos(5, 3)] = lamp

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if s.t + 1 >= SHOW:
        s.board[Pos(5, 3)] = Tile.DARK
    gate = s.board[s.agent]
    red = gate == Tile.RED_GATE and s.hue == 0
    blue = gate == Tile.BLUE_GATE and s.hue == 1
    green = gate == Tile.GREEN_GATE and s.hue == 2
    if red or blue or green:
        win()
    elif gate != Tile.FLOOR:
        draw()
