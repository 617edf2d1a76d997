"""Push every box onto a storage square; boxes cannot be pulled, nor pushed two at a time."""
game = Game(size=(8, 8), max_steps=150, skills=["puzzle", "manipulation"])

NEED = Param(3, 1, 3, harder="up")

ALCOVE = Layout("""
    ########
    ###--###
    #.--$--#
    #.$-#--#
    #.$-@--#
    ####--##
    ########
    ########
""")
STORE = Layout("""
    ########
    #.-##-.#
    #$---$-#
    #--##$-#
    ##-----#
    ##-@##.#
    ########
    ########
""")
CORNER = Layout("""
    ########
    ##-@--##
    ##-$--##
    #-$##.##
    #--$-..#
    #--#---#
    ##---###
    ########
""")

class Tile(Enum):
    FLOOR = Look("-", "black")
    WALL = Look("#", "gray", solid=True)
    BOX = Look("$", "orange", solid=True, item=True)
    STORAGE = Look(".", "green", goal=True)
    STORED = Look("*", "gold", solid=True, item=True, goal=True)
    START = Look("@", "white", marker=True)

class State:
    agent: Pos
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def is_box(tile):
    return tile == Tile.BOX or tile == Tile.STORED

def reset(s):
    s.board = pick(paint(ALCOVE), paint(STORE), paint(CORNER))
    s.agent = random_cell(s.board == Tile.START)
    s.board[s.agent] = Tile.FLOOR

def step(s, act):
    target = s.agent + act.move
    beyond = target + act.move
    if is_box(s.board[target]) and not solid(s.board[beyond]):
        before = count(s.board == Tile.STORED)
        s.board[target] = Tile.STORAGE if s.board[target] == Tile.STORED else Tile.FLOOR
        s.board[beyond] = Tile.STORED if s.board[beyond] == Tile.STORAGE else Tile.BOX
        reward(0.1 * (count(s.board == Tile.STORED) - before))
    s.agent = try_move(s.agent, act.move)
    if count(s.board == Tile.STORED) >= NEED:
        win()
