"""Left and right turn you, up walks on, down steps back. Face the heap to take coal, the firebox to
feed it, the valve to open it. The engine turns while pressure is between 0.4 and 0.75; let it turn
enough, and never let the boiler burst or go cold."""
game = Game(size=(6, 6), max_steps=130, verbs=["take", "feed", "open"], skills=["navigation", "resource"])

TURNS = Param(35, 12, 60, harder="up")
LEAK = Param(0.012, 0.008, 0.016, harder="up")
SHOVEL = Param(0.6, 0.45, 0.75, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    PIPE = Look("#", "gray", solid=True)
    HEAP = Look("c", "brown", solid=True, resource=True)
    FIREBOX = Look("F", "orange", solid=True, goal=True)
    VALVE = Look("V", "cyan", solid=True, tool=True)

class State:
    agent: Pos
    facing: Dir = UP
    coal: Bool = False
    fire: Float(0.0, 1.0) = 0.35
    pressure: Float(0.0, 1.0) = 0.3
    turns: Int(0, 60) = 0
    board: Grid(Tile, outside=Tile.PIPE) = Tile.FLOOR

def reset(s):
    s.board = where(BORDER, Tile.PIPE, s.board)
    s.board[Pos(0, randint(1, 4))] = Tile.FIREBOX
    s.board[Pos(5, randint(1, 4))] = Tile.HEAP
    s.board[Pos(randint(1, 4), pick(0, 5))] = Tile.VALVE
    s.agent = Pos(randint(2, 3), randint(1, 4))
    s.facing = pick(UP, DOWN, LEFT, RIGHT)

def step(s, act):
    if act.move == LEFT:
        s.facing = turn_left(s.facing)
    elif act.move == RIGHT:
        s.facing = turn_right(s.facing)
    elif act.move == UP:
        s.agent = try_move(s.agent, s.facing)
    elif act.move == DOWN:
        s.agent = try_move(s.agent, opposite(s.facing))
    front = s.board[s.agent + s.facing]
    if act.take and front == Tile.HEAP and not s.coal:
        s.coal = True
        if s.pressure < 0.6:
            reward(0.03)
    if act.feed and front == Tile.FIREBOX and s.coal:
        s.coal = False
        s.fire += SHOVEL
        if s.pressure < 0.6:
            reward(0.05)
    if act.open and front == Tile.VALVE:
        s.pressure -= 0.2
    s.pressure += 0.06 * s.fire - LEAK
    s.fire = 0.93 * s.fire
    if s.pressure >= 0.4 and s.pressure <= 0.75:
        s.turns += 1
        reward(0.01)
    if s.pressure >= 1.0 or s.pressure <= 0.0:
        lose()
    elif s.turns >= TURNS:
        win()
