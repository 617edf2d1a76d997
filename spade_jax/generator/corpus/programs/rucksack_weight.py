"""Push things with weights into the rucksack: at least the wanted weight, never more than the limit.
Mud holds you fast for good. What stands at the edge cannot be pushed back."""
game = Game(size=(8, 8), max_steps=90, skills=["manipulation", "puzzle"])

WANTED = Param(7, 2, 11, harder="up")
SPARE = Param(2, 1, 5, harder="down")
MUD = Param(3, 0, 7, harder="up")

class Tile(Enum):
    GRASS = Look(".", "darkgreen")
    THING = Look("t", "orange", solid=True, item=True)
    BAG = Look("R", "green", solid=True, goal=True)
    MUD = Look("~", "brown", hazard=True)

class State:
    agent: Pos = Pos(4, 4)
    packed: Int(0, 30) = 0
    wanted: Int(0, 12) = 7
    board: Grid(Tile, outside=Tile.BAG) = Tile.GRASS
    weights: Grid(Int(0, 9)) = 0

def reset(s):
    s.board[Pos(randint(2, 5), randint(2, 5))] = Tile.BAG
    s.agent = random_cell(BORDER)
    for k in range(6):
        spot = random_cell(s.board == Tile.GRASS and rect(Pos(2, 2), Pos(5, 5)))
        s.board[spot] = Tile.THING
        s.weights[spot] = 1 + k
    for k in range(7):
        if k < MUD:
            s.board[random_cell(s.board == Tile.GRASS and not disk(s.agent, 1.0))] = Tile.MUD
    s.wanted = WANTED

def step(s, act):
    target = s.agent + act.move
    beyond = target + act.move
    if s.board[target] == Tile.THING and inside(beyond):
        if s.board[beyond] == Tile.BAG:
            s.packed += s.weights[target]
            reward(0.03 * s.weights[target])
            s.board[target] = Tile.GRASS
            s.weights[target] = 0
        elif s.board[beyond] == Tile.GRASS:
            s.board[beyond] = Tile.THING
            s.board[target] = Tile.GRASS
            swap(s.weights, target, beyond)
    s.agent = try_move(s.agent, act.move)
    if s.board[s.agent] == Tile.MUD or s.packed > s.wanted + SPARE:
        lose()
    elif s.packed >= s.wanted:
        win()
