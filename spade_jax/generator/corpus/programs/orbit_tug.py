"""Fetch the satellites one by one, fly each past the dish to learn its orbit (1, 2 or 3) and bring
it to the red, green or blue orbit that was told. A satellite in a wrong orbit ends the mission."""
game = Game(size=(7, 7), max_steps=80, skills=["navigation", "memory"])

SATELLITES = Param(2, 1, 4, harder="up")
DEBRIS = Param(0.5, 0.0, 1.0, harder="up")
FADE = Param(20, 6, 40, harder="down")

class Tile(Enum):
    SPACE = Look(".", "black")
    ROCK = Look("#", "gray", solid=True)
    SATELLITE = Look("s", "gold", item=True)
    DISH = Look("D", "white", tool=True)
    FIRST = Look("1", "red", goal=True)
    SECOND = Look("2", "green", goal=True)
    THIRD = Look("3", "blue", goal=True)

class State:
    agent: Pos = Pos(3, 2)
    cargo: Bool = False
    orbit: Hidden(Int(1, 3)) = 1
    told: Int(0, 3) = 0
    fading: Int(0, 40) = 0
    board: Grid(Tile, outside=Tile.ROCK) = Tile.SPACE

def reset(s):
    s.board = where(ROW % 2 == 1 and COL % 2 == 1 and chance_grid(DEBRIS), Tile.ROCK, s.board)
    for k in range(4):
        if k < SATELLITES:
            s.board[random_cell(s.board == Tile.SPACE and COL < 2)] = Tile.SATELLITE
    s.board[Pos(randint(1, 5), 4)] = Tile.DISH
    s.board[Pos(0, 6)] = Tile.FIRST
    s.board[Pos(3, 6)] = Tile.SECOND
    s.board[Pos(6, 6)] = Tile.THIRD

def step(s, act):
    """What the dish tells fades from the display after a while."""
    s.agent = try_move(s.agent, act.move)
    here = s.board[s.agent]
    s.fading -= 1
    if s.fading == 0:
        s.told = 0
    if here == Tile.SATELLITE and not s.cargo:
        s.cargo = True
        s.orbit = randint(1, 3)
        s.told = 0
        s.board[s.agent] = Tile.SPACE
        reward(0.1)
    if here == Tile.DISH and s.cargo:
        if s.told == 0:
            reward(0.05)
        s.told = s.orbit
        s.fading = FADE
    if tagged(here, "goal") and s.cargo:
        right = Tile.FIRST if s.orbit == 1 else Tile.SECOND if s.orbit == 2 else Tile.THIRD
        s.cargo = False
        s.told = 0
        if here == right:
            reward(0.15)
        else:
            lose()
    if not s.cargo and not any(s.board == Tile.SATELLITE):
        win()
