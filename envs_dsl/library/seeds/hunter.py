"""Collect coins to buy your freedom while a slow hunter follows you; its touch ends the game."""
game = Game(size=(9, 9), max_steps=80, skills=["avoidance", "navigation"])

NEED = Param(2, 1, 6, harder="up")
HUNTERS = Param(1, 1, 2, harder="up")
SPEED = Param(0.3, 0.1, 0.8, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    PILLAR = Look("#", "gray", solid=True)
    COIN = Look("c", "gold", item=True)

class Hunter(Row):
    pos: Pos

class State:
    agent: Pos
    board: Grid(Tile, outside=Tile.PILLAR) = Tile.FLOOR
    coins: Int(0, 9) = 0
    hunters: Table(Hunter, 2)

def reset(s):
    s.board = where(chance_grid(0.06), Tile.PILLAR, s.board)
    s.agent = random_cell(s.board == Tile.FLOOR)
    for k in range(5):
        s.board[random_cell(s.board == Tile.FLOOR and not at(s.agent))] = Tile.COIN
    for k in range(2):
        if k < HUNTERS:
            spawn(s.hunters, pos=random_cell(s.board == Tile.FLOOR and not disk(s.agent, 4.0)))

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if s.board[s.agent] == Tile.COIN:
        s.board[s.agent] = Tile.FLOOR
        s.coins += 1
        reward(0.1)
        s.board[random_cell(s.board == Tile.FLOOR and not disk(s.agent, 2.0))] = Tile.COIN
    for h in s.hunters:
        if chance(SPEED):
            h.pos = try_move(h.pos, toward(h.pos, s.agent))
        if h.pos == s.agent:
            lose()
    if s.coins >= NEED:
        win()
