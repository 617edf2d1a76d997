"""Owls sit in some of the trees and call now and then. Carry one pebble for each owl to the tally
stone, then use the bell there: the right number wins, a wrong one loses. Thorns hurt."""
game = Game(size=(7, 7), max_steps=90, verbs=["use"], skills=["manipulation", "memory"])

MOST = Param(2, 1, 4, harder="up")
CALLS = Param(0.5, 0.15, 0.9, harder="down")
THORNS = Param(2, 0, 5, harder="up")

class Tile(Enum):
    MOSS = Look(".", "darkgreen")
    TREE = Look("T", "green", solid=True)
    CALLING = Look("O", "white", solid=True, marker=True)
    THORN = Look("x", "red", hazard=True)
    PEBBLE = Look("o", "gray", item=True)
    TALLY = Look("=", "gold", goal=True)

class State:
    agent: Pos = Pos(6, 3)
    carrying: Bool = False
    laid: Int(0, 6) = 0
    owls: Hidden(Grid(Bool)) = False
    board: Grid(Tile, outside=Tile.TREE) = Tile.MOSS

def reset(s):
    s.board = where(ROW == 0, Tile.TREE, s.board)
    owls = randint(1, MOST)
    for k in range(4):
        if k < owls:
            s.owls[random_cell(ROW == 0 and not s.owls)] = True
    s.board[Pos(3, 3)] = Tile.TALLY
    for k in range(5):
        s.board[random_cell(s.board == Tile.MOSS and ROW > 2 and not at(s.agent))] = Tile.PEBBLE
    for k in range(5):
        if k < THORNS:
            s.board[random_cell(s.board == Tile.MOSS and ROW > 1 and not disk(s.agent, 1.0))] = Tile.THORN

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    here = s.board[s.agent]
    if here == Tile.THORN:
        lose()
    if here == Tile.PEBBLE and not s.carrying:
        s.carrying = True
        s.board[s.agent] = Tile.MOSS
    if here == Tile.TALLY and s.carrying:
        s.carrying = False
        s.laid += 1
        if s.laid <= count(s.owls):
            reward(0.15)
    if here == Tile.TALLY and act.use:
        if s.laid == count(s.owls):
            win()
        else:
            lose()
    heard = s.owls and chance_grid(CALLS / 4.0)
    s.board = where(ROW == 0, Tile.TREE, s.board)
    s.board = where(heard, Tile.CALLING, s.board)
