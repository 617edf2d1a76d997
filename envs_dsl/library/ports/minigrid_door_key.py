"""Fetch the key, open the door and reach the goal behind it."""
game = Game(
    size=(8, 8),
    max_steps=640,
    verbs=["take", "drop", "open"],
    skills=["navigation", "manipulation"],
)

# MiniGrid-DoorKey-8x8, in minigrid and xminigrid. LEFT and RIGHT turn, UP walks one cell the
# way one faces; take, drop and open are pick up, drop and toggle of the cell in front.

class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    GOAL = Look("G", "green", goal=True)
    KEY = Look("k", "yellow", solid=True, item=True)
    LOCKED = Look("D", "yellow", solid=True, door=True)
    CLOSED = Look("d", "gold", solid=True, door=True)
    OPEN = Look("/", "gold", door=True)

class State:
    agent: Pos
    facing: Dir
    has_key: Bool = False
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def reset(s):
    wall = randint(2, 5)
    s.board = where(BORDER or COL == wall, Tile.WALL, Tile.FLOOR)
    s.board[Pos(randint(1, 5), wall)] = Tile.LOCKED
    s.board[Pos(6, 6)] = Tile.GOAL
    left = s.board == Tile.FLOOR and COL < wall
    s.agent = random_cell(left)
    s.facing = random_dir()
    s.board[random_cell(left and not at(s.agent))] = Tile.KEY

def step(s, act):
    front = s.agent + s.facing
    tile = s.board[front]
    after = tile
    if act.move == LEFT:
        s.facing = turn_left(s.facing)
    elif act.move == RIGHT:
        s.facing = turn_right(s.facing)
    elif act.move == UP and not solid(tile):
        s.agent = front
        if tile == Tile.GOAL:
            reward(-0.9 * (s.t + 1) / 640.0)
            win()
    elif act.take and tile == Tile.KEY and not s.has_key:
        s.has_key = True
        after = Tile.FLOOR
    elif act.drop and tile == Tile.FLOOR and s.has_key:
        s.has_key = False
        after = Tile.KEY
    elif act.open and tile == Tile.OPEN:
        after = Tile.CLOSED
    elif act.open and (tile == Tile.CLOSED or tile == Tile.LOCKED and s.has_key):
        after = Tile.OPEN
    s.board[front] = after
