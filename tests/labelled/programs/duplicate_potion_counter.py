"""Gather a root, then a berry, boil them at the kettle, and drink."""
game = Game(size=(6, 6), max_steps=80, verbs=["gather", "craft", "eat"], skills=["puzzle", "manipulation"])

class Tile(Enum):
    FLOOR = Look(".", "black")
    ROOT = Look("r", "brown", resource=True)
    BERRY = Look("b", "red", resource=True)
    KETTLE = Look("K", "gray", tool=True)

class State:
    witch: Pos
    board: Grid(Tile, outside=Tile.FLOOR) = Tile.FLOOR
    stage: Int(0, 3) = 0
    steps: Int(0, 200) = 0

def reset(s):
    s.board[Pos(randint(2, 3), randint(2, 3))] = Tile.KETTLE
    s.board[random_cell(s.board == Tile.FLOOR)] = Tile.ROOT
    s.board[random_cell(s.board == Tile.FLOOR)] = Tile.BERRY
    s.witch = random_cell(s.board == Tile.FLOOR)

def step(s, act):
    to = s.witch + act.move
    if inside(to):
        s.witch = to
    here = s.board[s.witch]
    s.steps += 1
    if s.steps > 190:
        lose()
    if act.gather and here == Tile.ROOT and s.stage == 0:
        s.stage = 1
        s.board[s.witch] = Tile.FLOOR
        reward(0.1)
    elif act.gather and here == Tile.BERRY and s.stage == 1:
        s.stage = 2
        s.board[s.witch] = Tile.FLOOR
        reward(0.1)
    elif act.craft and here == Tile.KETTLE and s.stage == 2:
        s.stage = 3
        reward(0.1)
    elif act.eat and s.stage == 3:
        win()
