"""Climb to the top before the water rises over you."""
game = Game(size=(9, 5), max_steps=40)
class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    EXIT = Look("E", "green", goal=True)

class State:
    agent: Pos
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR
    water: Int(0, 9) = 9

def reset(s):
    s.agent = Pos(8, randint(0, 4))
    s.board = where(ROW == 0, Tile.EXIT, s.board)

def step(s, act):
    if act.move == UP and s.t % 2 == 0:
        s.agent = try_move(s.agent, UP)
        reward(0.02)
    elif act.move != UP:
        s.agent = try_move(s.agent, act.move)
    s.water -= 1
    if s.board[s.agent] == Tile.EXIT:
        win()
    elif s.agent.row > s.water:
        lose()
