"""Turn and walk to the goal in the corner of a large empty room."""
game = Game(size=(16, 16), max_steps=1024, skills=["navigation"])

# MiniGrid-Empty-16x16, in minigrid and xminigrid. LEFT and RIGHT turn, UP walks one cell the way
# one faces. Where there is nothing to pick up, drop or toggle, those actions are STAY.

class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    GOAL = Look("G", "green", goal=True)

class State:
    agent: Pos
    facing: Dir
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def reset(s):
    s.board = where(BORDER, Tile.WALL, Tile.FLOOR)
    s.board[Pos(14, 14)] = Tile.GOAL
    s.agent = Pos(1, 1)
    s.facing = RIGHT

def step(s, act):
    if act.move == LEFT:
        s.facing = turn_left(s.facing)
    elif act.move == RIGHT:
        s.facing = turn_right(s.facing)
    elif act.move == UP:
        s.agent = try_move(s.agent, s.facing)
    if s.board[s.agent] == Tile.GOAL:
        reward(-0.9 * (s.t + 1) / 1024.0)
        win()
