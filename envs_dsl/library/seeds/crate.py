"""Push the crate onto the green plate; a crate against a wall is hard to bring back."""
game = Game(size=(7, 7), max_steps=60, skills=["manipulation", "puzzle"])

REACH = Param(2.0, 1.0, 4.0, harder="up")
SLICK = Param(0.0, 0.0, 0.5, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    CRATE = Look("c", "orange", solid=True, item=True)
    PLATE = Look("P", "green", goal=True)

class State:
    agent: Pos
    crate: Pos
    plate: Pos
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def reset(s):
    inner = rect(Pos(1, 1), Pos(5, 5))
    s.crate = random_cell(inner)
    s.plate = random_cell(inner and disk(s.crate, REACH) and not at(s.crate))
    s.board[s.crate] = Tile.CRATE
    s.board[s.plate] = Tile.PLATE
    s.agent = random_cell(s.board == Tile.FLOOR and disk(s.crate, 3.0))

def step(s, act):
    before = manhattan(s.crate, s.plate)
    target = s.agent + act.move
    if target == s.crate:
        beyond = s.crate + act.move
        if chance(SLICK) and s.board[beyond] == Tile.FLOOR:
            beyond = beyond + act.move
        if not solid(s.board[beyond]):
            s.board[s.crate] = Tile.FLOOR
            s.crate = beyond
            s.board[beyond] = Tile.CRATE
    s.agent = try_move(s.agent, act.move)
    reward(0.1 * (before - manhattan(s.crate, s.plate)))
    if s.crate == s.plate:
        win()
