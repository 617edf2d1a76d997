"""Walk through the gap in the lava to the goal."""
game = Game(size=(7, 7), max_steps=196, skills=["navigation", "avoidance"])

# MiniGrid-LavaGapS7, in minigrid. LEFT and RIGHT turn, UP walks one cell the way one faces; the
# other actions are STAY. As in the original lava pays nothing, so it ends without a verdict.

class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    LAVA = Look("~", "orange", hazard=True)
    GOAL = Look("G", "green", goal=True)

class State:
    agent: Pos
    facing: Dir
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def reset(s):
    lava = randint(2, 4)
    s.board = where(BORDER, Tile.WALL, where(COL == lava, Tile.LAVA, Tile.FLOOR))
    s.board[Pos(randint(1, 5), lava)] = Tile.FLOOR
    s.board[Pos(5, 5)] = Tile.GOAL
    s.agent = Pos(1, 1)
    s.facing = RIGHT

def step(s, act):
    if act.move == LEFT:
        s.facing = turn_left(s.facing)
    elif act.move == RIGHT:
        s.facing = turn_right(s.facing)
    elif act.move == UP:
        s.agent = try_move(s.agent, s.facing)
    here = s.board[s.agent]
    if here == Tile.LAVA:
        draw()
    elif here == Tile.GOAL:
        reward(-0.9 * (s.t + 1) / 196.0)
        win()
