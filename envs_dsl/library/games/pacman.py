"""Eat the dots and keep away from the ghosts; after a power dot they can be eaten for a while."""
game = Game(size=(11, 11), max_steps=250, skills=["avoidance", "navigation"])

NEED = Param(25, 5, 50, harder="up")
GHOSTS = Param(2, 1, 4, harder="up")
CUNNING = Param(0.4, 0.0, 0.9, harder="up")
POWER = Param(20, 5, 40, harder="down")

MAZE = Layout("""
    ###########
    #o...#...o#
    #.##.#.##.#
    #.........#
    #.#.#-#.#.#
    -...---...-
    #.#.###.#.#
    #.........#
    #.##.#.##.#
    #o...#...o#
    ###########
""")

class Tile(Enum):
    FLOOR = Look("-", "black")
    WALL = Look("#", "blue", solid=True)
    DOT = Look(".", "white", item=True)
    POWER = Look("o", "pink", item=True, tool=True)

class Ghost(Row):
    pos: Pos
    heading: Dir

class State:
    agent: Pos = Pos(7, 5)
    eaten: Int(0, 60) = 0
    power: Int(0, 40) = 0
    ghosts: Table(Ghost, 4)
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def tunnel(p):
    """What leaves on one side comes back on the other."""
    return Pos(p.row, p.col % 11)

def reset(s):
    s.board = paint(MAZE)
    for k in range(4):
        if k < GHOSTS:
            spawn(s.ghosts, pos=random_cell(s.board == Tile.FLOOR and not BORDER), heading=UP)

def step(s, act):
    target = tunnel(s.agent + act.move)
    if not solid(s.board[target]):
        s.agent = target
    if s.board[s.agent] == Tile.POWER:
        s.power = POWER
    if s.board[s.agent] != Tile.FLOOR:
        s.board[s.agent] = Tile.FLOOR
        s.eaten += 1
        reward(0.01)
    s.power -= 1
    for g in s.ghosts:
        met = g.pos == s.agent
        chase = toward(g.pos, s.agent)
        wish = random_dir()
        if chance(CUNNING):
            wish = opposite(chase) if s.power > 0 else chase
        if wish != opposite(g.heading) and not solid(s.board[g.pos + wish]):
            g.heading = wish
        if solid(s.board[tunnel(g.pos + g.heading)]):
            g.heading = turn_left(g.heading) if chance(0.5) else turn_right(g.heading)
        if solid(s.board[tunnel(g.pos + g.heading)]):
            g.heading = opposite(g.heading)
        if not solid(s.board[tunnel(g.pos + g.heading)]):
            g.pos = tunnel(g.pos + g.heading)
        if met or g.pos == s.agent:
            if s.power > 0:
                g.pos = Pos(5, 5)
                reward(0.05)
            else:
                lose()
    if s.eaten >= NEED:
        win()
