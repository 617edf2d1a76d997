"""Fetch the gems that appear one after another; hailstones fall straight down and a hit ends it."""
game = Game(size=(7, 7), max_steps=60, skills=["avoidance"])

RATE = Param(0.025, 0.0, 0.2, harder="up")
NEED = Param(2, 1, 5, harder="up")

class Tile(Enum):
    AIR = Look(".", "black")
    STONE = Look("*", "red", hazard=True)
    GEM = Look("g", "gold", item=True)

class State:
    agent: Pos
    gem: Pos
    gems: Int(0, 9) = 0
    board: Grid(Tile, outside=Tile.AIR) = Tile.AIR

def reset(s):
    s.agent = Pos(6, 3)
    s.gem = random_cell(disk(s.agent, 3.0) and not at(s.agent))
    s.board[s.gem] = Tile.GEM

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if s.agent == s.gem:
        s.gems += 1
        reward(0.15)
        s.gem = random_cell(disk(s.agent, 3.0) and not disk(s.agent, 1.5))
    hail = shift(s.board == Tile.STONE, DOWN) or (ROW == 0 and chance_grid(RATE))
    s.board = where(hail, Tile.STONE, where(at(s.gem), Tile.GEM, Tile.AIR))
    if s.board[s.agent] == Tile.STONE:
        lose()
    if s.gems >= NEED:
        win()
