"""Cross the river on the raft that drifts from bank to bank; the water carries you off."""
game = Game(size=(7, 7), max_steps=60, skills=["avoidance", "navigation"])

class Tile(Enum):
    BANK = Look(".", "brown")
    WATER = Look("~", "blue", hazard=True)
    CAMP = Look("C", "green", goal=True)

class State:
    scout: Pos
    raft: Pos
    heading: Dir = RIGHT
    board: Grid(Tile, outside=Tile.WATER) = Tile.BANK

def reset(s):
    s.board = where(COL > 1 and COL < 5, Tile.WATER, Tile.BANK)
    s.board[Pos(randint(0, 6), 6)] = Tile.CAMP
    s.raft = Pos(3, randint(2, 4))
    s.scout = Pos(randint(0, 6), 0)

def step(s, act):
    riding = s.scout == s.raft
    if s.t % 2 == 1:
        if s.raft.col + (1 if s.heading == RIGHT else -1) == 5 or s.raft.col == 2 and s.heading == LEFT:
            s.heading = opposite(s.heading)
        else:
            s.raft = s.raft + s.heading
            if riding and act.move == STAY:
                s.scout = s.raft
    to = s.scout + act.move
    if inside(to) and act.move != STAY:
        s.scout = to
    if s.board[s.scout] == Tile.WATER and s.scout != s.raft:
        lose()
    if riding and s.scout.col == 5:
        reward(0.2)
    if s.board[s.scout] == Tile.CAMP:
        win()
