"""Push gears onto the three axles. A small gear turns the motion over, a double one keeps it: the last
wheel must turn as the lamp wants (blue: kept, red: turned over). The belts carry you left."""
game = Game(size=(8, 8), max_steps=110, skills=["manipulation", "puzzle"])

AXLES = Param(2, 1, 3, harder="up")
BELT = Param(0.3, 0.0, 0.8, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    BELT = Look("-", "darkgray")
    SMALL = Look("s", "orange", solid=True, item=True)
    DOUBLE = Look("d", "cyan", solid=True, item=True)
    AXLE = Look("_", "green", goal=True)
    TURNED = Look("r", "red", solid=True, marker=True)
    KEPT = Look("k", "blue", solid=True, marker=True)
    FILLED = Look("f", "gold", solid=True, marker=True)

class State:
    agent: Pos = Pos(6, 4)
    turns: Int(0, 3) = 0
    wanted: Int(0, 1) = 0
    board: Grid(Tile, outside=Tile.FILLED) = Tile.FLOOR

def reset(s):
    s.board = where(ROW == 6 or ROW == 2, Tile.BELT, s.board)
    s.wanted = randint(0, 1)
    s.board[Pos(0, 0)] = Tile.TURNED if s.wanted == 1 else Tile.KEPT
    for k in range(3):
        if k < AXLES:
            s.board[random_cell(s.board == Tile.FLOOR and ROW == 1 and COL > 0 and COL < 7)] = Tile.AXLE
        s.board[random_cell(s.board == Tile.FLOOR and rect(Pos(3, 1), Pos(4, 6)))] = Tile.SMALL
        s.board[random_cell(s.board == Tile.FLOOR and rect(Pos(3, 1), Pos(4, 6)))] = Tile.DOUBLE

def step(s, act):
    target = s.agent + act.move
    beyond = target + act.move
    gear = s.board[target]
    if gear == Tile.SMALL or gear == Tile.DOUBLE:
        if s.board[beyond] == Tile.AXLE:
            s.board[target] = Tile.BELT if target.row == 2 else Tile.FLOOR
            s.board[beyond] = Tile.FILLED
            s.turns = s.turns + (1 if gear == Tile.SMALL else 0)
            reward(0.15)
        elif s.board[beyond] == Tile.FLOOR or s.board[beyond] == Tile.BELT:
            s.board[target] = Tile.BELT if target.row == 2 or target.row == 6 else Tile.FLOOR
            s.board[beyond] = gear
    s.agent = try_move(s.agent, act.move)
    if s.board[s.agent] == Tile.BELT and chance(BELT):
        s.agent = try_move(s.agent, LEFT)
    if not any(s.board == Tile.AXLE):
        if s.turns % 2 == s.wanted:
            win()
        else:
            lose()
