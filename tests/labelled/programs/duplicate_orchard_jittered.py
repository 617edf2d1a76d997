"""Stand on ripe fruit and gather it to fill the basket; each one restores your waning strength."""
game = Game(size=(8, 8), max_steps=83, verbs=["gather"], skills=["resource"])

BUSHES = Param(0.3, 0.1, 0.5, harder="down")
RIPEN = Param(0.02, 0.0, 0.2, harder="down")
TIRE = Param(0.5, 0.2, 1.0, harder="up")
NEED = Param(3, 1, 8, harder="up")

class Tile(Enum):
    GRASS = Look(".", "darkgreen")
    RIPE = Look("f", "red", resource=True)
    BARE = Look("b", "brown")

class State:
    agent: Pos
    board: Grid(Tile, outside=Tile.GRASS) = Tile.GRASS
    strength: Float(0.0, 20.0) = 16.0
    basket: Int(0, 9) = 0

def reset(s):
    s.board = where(chance_grid(BUSHES), Tile.RIPE, s.board)
    s.agent = random_cell(s.board == Tile.GRASS)
    s.board[random_cell(s.board == Tile.GRASS and not at(s.agent))] = Tile.RIPE

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if act.gather and s.board[s.agent] == Tile.RIPE:
        s.board[s.agent] = Tile.BARE
        s.basket += 1
        s.strength += 4.0
        reward(0.104)
    s.board = where(s.board == Tile.BARE and chance_grid(RIPEN), Tile.RIPE, s.board)
    s.strength -= TIRE
    if s.basket >= NEED:
        win()
    if s.strength <= 0.0:
        lose()
