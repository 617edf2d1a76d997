"""On ice you slide until a rock stops you: come to rest exactly on the way out."""
game = Game(size=(9, 9), max_steps=40, skills=["puzzle", "navigation"])

THAW = Param(0.0, 0.0, 0.2, harder="up")

LONG = Layout("""
    #########
    #......##
    #.#.#...#
    #@.#....#
    #.#.....#
    #..#.E..#
    #....#..#
    ##......#
    #########
""")
WIDE = Layout("""
    #########
    ##...#..#
    #...#...#
    #.......#
    ###.....#
    #@..#..E#
    #..#..#.#
    #.....#.#
    #########
""")
DEEP = Layout("""
    #########
    #..@....#
    ##.#....#
    #......##
    #.....###
    #.....#.#
    #...#.#.#
    #.#E....#
    #########
""")

class Tile(Enum):
    ICE = Look(".", "cyan")
    ROCK = Look("#", "gray", solid=True)
    ENTRY = Look("@", "white", marker=True)
    EXIT = Look("E", "green", goal=True)

class State:
    agent: Pos
    board: Grid(Tile, outside=Tile.ROCK) = Tile.ICE

def reset(s):
    s.board = pick(paint(LONG), paint(WIDE), paint(DEEP))
    s.agent = random_cell(s.board == Tile.ENTRY)

def step(s, act):
    """Where the ice has thawed for a moment, you stop after a single cell."""
    if chance(THAW):
        s.agent = try_move(s.agent, act.move)
    else:
        s.agent = slide(s.agent, act.move, not solid(s.board))
    if s.board[s.agent] == Tile.EXIT:
        win()
