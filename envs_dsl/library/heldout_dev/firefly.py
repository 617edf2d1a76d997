"""Catch the firefly again and again; it sits still but shows its light only now and then."""
game = Game(size=(6, 6), max_steps=60, skills=["memory", "navigation"])

BLINK = Param(3, 1, 6, harder="up")
NEED = Param(3, 1, 5, harder="up")
REEDS = Param(0.06, 0.0, 0.15, harder="up")

class Tile(Enum):
    NIGHT = Look(".", "black")
    REED = Look("#", "gray", solid=True)
    LIGHT = Look("*", "green", goal=True)

class State:
    agent: Pos
    fly: Hidden(Pos)
    caught: Int(0, 9) = 0
    board: Grid(Tile, outside=Tile.REED) = Tile.NIGHT

def reset(s):
    s.board = where(chance_grid(REEDS) and not BORDER, Tile.REED, s.board)
    s.agent = random_cell(BORDER)
    s.fly = random_cell(s.board == Tile.NIGHT and not disk(s.agent, 2.0))
    s.board[s.fly] = Tile.LIGHT

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    s.board = where(s.board == Tile.LIGHT, Tile.NIGHT, s.board)
    if s.agent == s.fly:
        s.caught += 1
        reward(0.15)
        s.fly = random_cell(s.board == Tile.NIGHT and not disk(s.agent, 2.0))
    if (s.t + 1) % BLINK == 0:
        s.board[s.fly] = Tile.LIGHT
    if s.caught >= NEED:
        win()
