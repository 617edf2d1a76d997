"""Whistle in a direction and the dog runs until a fence or its own track stops it. It must pass all
hoops. Feed it to let it forget the track; treats are few."""
game = Game(size=(7, 7), max_steps=50, verbs=["feed"], skills=["puzzle"])

HOOPS = Param(2, 1, 4, harder="up")
TREATS = Param(2, 0, 4, harder="down")
FENCES = Param(0.08, 0.0, 0.2, harder="up")

class Tile(Enum):
    LAWN = Look(".", "darkgreen")
    FENCE = Look("#", "brown", solid=True)
    HOOP = Look("o", "gold", goal=True)

class State:
    dog: Pos
    treats: Int(0, 4) = 0
    track: Grid(Bool) = False
    board: Grid(Tile, outside=Tile.FENCE) = Tile.LAWN

def reset(s):
    s.board = where(chance_grid(FENCES), Tile.FENCE, s.board)
    s.dog = Pos(3, 3)
    s.board = where(disk(s.dog, 1.0), Tile.LAWN, s.board)
    for k in range(4):
        if k < HOOPS:
            line = ROW == 3 or COL == 3 or BORDER
            s.board[random_cell(line and s.board == Tile.LAWN and not at(s.dog))] = Tile.HOOP
    s.treats = TREATS

def step(s, act):
    before = s.dog
    s.dog = slide(s.dog, act.move, s.board != Tile.FENCE and not s.track)
    if s.dog != before:
        run = rect(before, s.dog)
        passed = run and s.board == Tile.HOOP
        reward(0.2 * count(passed))
        s.board = where(passed, Tile.LAWN, s.board)
        s.track = s.track or (run and not at(s.dog))
    if act.feed and s.treats > 0:
        s.treats -= 1
        s.track = False
    if not any(s.board == Tile.HOOP):
        win()
