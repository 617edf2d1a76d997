"""Fish come to the reef to be cleaned and hold their jaws open for a while. Swim to them between the
corals and clean enough of them; but a fish that is about to leave (dim) snaps and swallows you."""
game = Game(size=(7, 7), max_steps=70, skills=["navigation"])

NEED = Param(3, 1, 6, harder="up")
PATIENCE = Param(14, 9, 20, harder="down")
SNAP = Param(2, 0, 4, harder="up")
CORALS = Param(0.1, 0.0, 0.25, harder="up")

class Tile(Enum):
    WATER = Look(".", "black")
    CORAL = Look("#", "pink", solid=True)

class Fish(Row):
    pos: Pos
    jaws: Int(0, 20)

class State:
    agent: Pos = Pos(3, 3)
    cleaned: Int(0, 6) = 0
    fish: Table(Fish, 3)
    board: Grid(Tile, outside=Tile.CORAL) = Tile.WATER

def reset(s):
    s.board = where(chance_grid(CORALS) and not BORDER and not at(s.agent), Tile.CORAL, s.board)
    s.board = where(neighbors4(s.board == Tile.CORAL) > 1, Tile.WATER, s.board)
    spawn(s.fish, pos=random_cell(BORDER), jaws=PATIENCE)

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    for f in s.fish:
        f.jaws -= 1
        if f.pos == s.agent:
            if f.jaws <= SNAP:
                lose()
            else:
                s.cleaned += 1
                kill(f)
                reward(0.15)
        elif f.jaws <= 0:
            kill(f)
    if chance(0.3):
        place = random_cell(s.board == Tile.WATER and not disk(s.agent, 1.5))
        if not any_at(s.fish, place):
            spawn(s.fish, pos=place, jaws=PATIENCE)
    if s.cleaned >= NEED:
        win()
