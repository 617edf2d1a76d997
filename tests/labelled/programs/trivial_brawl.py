"""Bring the rival down first; every blow lands."""
game = Game(size=(5, 5), max_steps=60, players=2, verbs=["attack"])
class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    EXIT = Look("E", "green", goal=True)

class State:
    fighter: Players(Pos)
    health: Players(Int(0, 6)) = 6
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def reset(s):
    s.fighter[0] = Pos(2, 1)
    s.fighter[1] = Pos(2, 3)
    s.board[random_cell(BORDER)] = Tile.WALL

def step(s, acts):
    for i in players():
        s.fighter[i] = try_move(s.fighter[i], acts[i].move)
        if acts[i].attack:
            s.health[opponent(i)] -= 1
    if s.health[0] == 0 and s.health[1] == 0:
        draw()
    elif s.health[1] == 0:
        win(0)
    elif s.health[0] == 0:
        win(1)
