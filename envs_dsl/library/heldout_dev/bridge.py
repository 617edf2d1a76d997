"""Collect planks, walk them into the river, one a water cell, and cross over to the green flag."""
game = Game(size=(7, 7), max_steps=50, skills=["manipulation", "resource"])

WIDTH = Param(2, 1, 2, harder="up")
RAPIDS = Param(0.0, 0.0, 0.3, harder="up")

class Tile(Enum):
    SAND = Look(".", "black")
    ROCK = Look("#", "gray", solid=True)
    WATER = Look("~", "blue", solid=True, door=True)
    PLANK = Look("p", "gold", item=True)
    FLAG = Look("F", "green", goal=True)

class State:
    agent: Pos
    flag: Pos
    planks: Int(0, 4) = 0
    board: Grid(Tile, outside=Tile.ROCK) = Tile.SAND

def reset(s):
    s.board = where(COL >= 3 and COL < 3 + WIDTH, Tile.WATER, s.board)
    for k in range(3):
        s.board[random_cell(s.board == Tile.SAND and COL < 3)] = Tile.PLANK
    s.agent = random_cell(s.board == Tile.SAND and COL < 3)
    s.flag = random_cell(COL > 4)
    s.board[s.flag] = Tile.FLAG

def step(s, act):
    target = s.agent + act.move
    if s.board[target] == Tile.WATER and s.planks > 0:
        s.planks -= 1
        if not chance(RAPIDS):
            s.board[target] = Tile.SAND
            reward(0.1 if target.col == 3 else 0.2)
    elif not solid(s.board[target]):
        s.agent = target
    if s.board[s.agent] == Tile.PLANK:
        s.board[s.agent] = Tile.SAND
        s.planks += 1
        reward(0.05)
    if s.agent == s.flag:
        win()
