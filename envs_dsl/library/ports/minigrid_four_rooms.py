"""Find the goal in one of four rooms."""
game = Game(size=(19, 19), max_steps=100, skills=["navigation"])

# MiniGrid-FourRooms, in minigrid and xminigrid. LEFT and RIGHT turn, UP walks one cell the way
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
    s.board = where(BORDER or ROW == 9 or COL == 9, Tile.WALL, Tile.FLOOR)
    s.board[Pos(randint(1, 8), 9)] = Tile.FLOOR
    s.board[Pos(randint(10, 17), 9)] = Tile.FLOOR
    s.board[Pos(9, randint(1, 8))] = Tile.FLOOR
    s.board[Pos(9, randint(10, 17))] = Tile.FLOOR
    s.agent = random_cell(s.board == Tile.FLOOR)
    s.facing = random_dir()
    s.board[random_cell(s.board == Tile.FLOOR and not at(s.agent))] = Tile.GOAL

def step(s, act):
    if act.move == LEFT:
        s.facing = turn_left(s.facing)
    elif act.move == RIGHT:
        s.facing = turn_right(s.facing)
    elif act.move == UP:
        s.agent = try_move(s.agent, s.facing)
    if s.board[s.agent] == Tile.GOAL:
        reward(-0.9 * (s.t + 1) / 100.0)
        win()
