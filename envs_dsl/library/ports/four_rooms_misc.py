"""Walk through the gaps between four rooms to the goal on a floor that makes you slip."""
game = Game(size=(13, 13), max_steps=500, skills=["navigation"])

# gymnax FourRooms-misc. UP, RIGHT, DOWN and LEFT are its actions 0 to 3.

# The share of steps in which a random move is made instead, and of levels with random places.
SLIP = Param(0.4444444, 0.0, 1.0, harder="up")
ANYWHERE = Param(0.0, 0.0, 1.0, harder="up")

ROOMS = Layout("""
    #############
    #.....#.....#
    #.....#.....#
    #...........#
    #.....#.....#
    #.....#.....#
    ##.####.....#
    #.....###.###
    #.....#.....#
    #.....#.....#
    #...........#
    #.....#.....#
    #############
""")

class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    GOAL = Look("G", "green", goal=True)

class State:
    agent: Pos
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def reset(s):
    s.board = paint(ROOMS)
    s.agent = Pos(4, 1)
    goal = Pos(8, 9)
    if chance(ANYWHERE):
        goal = random_cell(s.board == Tile.FLOOR)
        s.agent = random_cell(s.board == Tile.FLOOR and not at(goal))
    s.board[goal] = Tile.GOAL

def step(s, act):
    move = act.move
    if chance(SLIP):
        move = random_dir()
    s.agent = try_move(s.agent, move)
    if s.board[s.agent] == Tile.GOAL:
        win()
