"""Foam rises in three pots. Stand under a pot and use a ladle of cold water (fetched from the tap on the
left) to sink it: a pot that runs over ruins all. Pots cook only while they foam; get all three done."""
game = Game(size=(6, 7), max_steps=110, verbs=["use"], skills=["resource"])

DONE = Param(25, 22, 40, harder="up")
HEAT = Param(0.22, 0.16, 0.35, harder="up")
LADLES = Param(4, 2, 6, harder="down")

class Tile(Enum):
    FLOOR = Look(".", "black")
    STOVE = Look("#", "gray", solid=True)
    POT = Look("u", "darkgray", solid=True)
    FOAM = Look("*", "red", solid=True, hazard=True)
    TAP = Look("T", "blue", resource=True)

class State:
    cook: Pos = Pos(5, 3)
    water: Int(0, 6) = 2
    foam: Array(Float(0.0, 4.0), 3) = 1.0
    cooked: Array(Int(0, 40), 3) = 0
    board: Grid(Tile, outside=Tile.STOVE) = Tile.STOVE

def reset(s):
    s.board = where(ROW == 5, Tile.FLOOR, s.board)
    s.board[Pos(5, 0)] = Tile.TAP
    for k in range(3):
        s.foam[k] = uniform(0.6, 1.6)

def step(s, act):
    s.cook = try_move(s.cook, act.move)
    if s.board[s.cook] == Tile.TAP and s.water < LADLES:
        s.water += 1
    done = True
    for k in range(3):
        if act.use and s.water > 0 and s.cook.col == 2 * k + 1:
            s.water -= 1
            s.foam[k] -= 1.6
        s.foam[k] += HEAT * uniform(0.3, 1.0)
        if s.foam[k] >= 1.5 and s.cooked[k] < DONE:
            s.cooked[k] += 1
            reward(0.005)
        if s.foam[k] >= 4.0:
            lose()
        done = done and s.cooked[k] >= DONE
        level = where(ROW >= 4 - round(s.foam[k]), Tile.FOAM, Tile.POT)
        s.board = where(COL == 2 * k + 1 and ROW < 4, level, s.board)
    if done:
        win()
