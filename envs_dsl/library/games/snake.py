"""Steer the snake to the food: each bite makes it longer; its own body or the edge kills it."""
game = Game(size=(8, 8), max_steps=150, skills=["avoidance", "navigation"])

NEED = Param(5, 1, 16, harder="up")

class Tile(Enum):
    GROUND = Look(".", "black")
    BODY = Look("o", "darkgreen", hazard=True)
    FOOD = Look("f", "red", item=True)

class State:
    head: Pos
    facing: Dir = RIGHT
    length: Int(1, 20) = 3
    eaten: Int(0, 16) = 0
    ages: Grid(Int(0, 20)) = 0
    board: Grid(Tile, outside=Tile.BODY) = Tile.GROUND

def reset(s):
    s.head = Pos(randint(2, 5), 3)
    s.ages = where(ROW == s.head.row and COL < 4, COL, 0)
    s.board = where(s.ages > 0, Tile.BODY, s.board)
    s.board[random_cell(s.board == Tile.GROUND and COL > 3)] = Tile.FOOD

def step(s, act):
    if act.move != STAY and act.move != opposite(s.facing):
        s.facing = act.move
    s.head = s.head + s.facing
    ate = s.board[s.head] == Tile.FOOD
    if ate:
        s.length += 1
        s.eaten += 1
        reward(0.1)
    else:
        s.ages -= 1
    if s.ages[s.head] > 0 or not inside(s.head):
        lose()
    s.ages[s.head] = s.length
    s.board = where(s.board == Tile.BODY, Tile.GROUND, s.board)
    s.board = where(s.ages > 0, Tile.BODY, s.board)
    if ate:
        s.board[random_cell(s.board == Tile.GROUND)] = Tile.FOOD
    if s.eaten >= NEED:
        win()
