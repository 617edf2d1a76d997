"""Swim to the ship; the sea is full of sharks."""
game = Game(size=(7, 9), max_steps=60)

class Tile(Enum):
    SAND = Look(".", "yellow")
    SEA = Look("~", "blue", hazard=True)
    SHIP = Look("S", "green", goal=True)

class State:
    castaway: Pos
    board: Grid(Tile, outside=Tile.SEA) = Tile.SEA
    digs: Int(0, 9) = 0

def reset(s):
    s.board = where(disk(Pos(3, 3), 2.0), Tile.SAND, Tile.SEA)
    s.board[Pos(randint(0, 6), 8)] = Tile.SHIP
    s.castaway = random_cell(s.board == Tile.SAND)

def step(s, act):
    before = s.castaway
    s.castaway = s.castaway + act.move
    if s.castaway != before and s.digs < 9:
        s.digs += 1
        reward(0.01)
    if s.board[s.castaway] == Tile.SEA:
        lose()
    if s.board[s.castaway] == Tile.SHIP:
        win()
