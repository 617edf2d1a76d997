"""Earn ten ducats; the purse holds only eight."""
game = Game(size=(6, 6), max_steps=90)

class Tile(Enum):
    FLOOR = Look(".", "black")
    DUCAT = Look("d", "gold", item=True)

class State:
    trader: Pos
    board: Grid(Tile, outside=Tile.FLOOR) = Tile.FLOOR
    purse: Int(0, 8) = 0

def reset(s):
    s.trader = Pos(0, 0)
    s.board[Pos(0, 3)] = Tile.DUCAT
    s.board[Pos(3, 0)] = Tile.DUCAT
    s.board[random_cell(s.board == Tile.FLOOR and ROW > 3)] = Tile.DUCAT

def step(s, act):
    to = s.trader + act.move
    if inside(to):
        s.trader = to
    if s.board[s.trader] == Tile.DUCAT:
        s.purse += 4
        s.board[s.trader] = Tile.FLOOR
        reward(0.05)
    if s.purse >= 10:
        win()
