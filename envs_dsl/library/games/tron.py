"""Two light cycles leave walls behind them and cannot stop: be the last who has not crashed."""
game = Game(size=(10, 10), players=2, max_steps=60, skills=["contest", "avoidance"])

WALLS = Param(0.03, 0.0, 0.15, harder="up")

class Tile(Enum):
    FREE = Look(".", "black")
    WALL = Look("#", "gray", solid=True, hazard=True)
    BLUE = Look("b", "blue", solid=True, hazard=True)
    ORANGE = Look("o", "orange", solid=True, hazard=True)

class State:
    pos: Players(Pos)
    facing: Players(Dir) = RIGHT
    board: Grid(Tile, outside=Tile.WALL) = Tile.FREE

def reset(s):
    s.board = where(chance_grid(WALLS) and COL > 2 and COL < 7, Tile.WALL, s.board)
    s.pos[0] = Pos(randint(2, 7), 1)
    s.pos[1] = Pos(randint(2, 7), 8)
    s.facing[1] = LEFT
    s.board[s.pos[0]] = Tile.BLUE
    s.board[s.pos[1]] = Tile.ORANGE

def step(s, acts):
    for i in players():
        if acts[i].move != STAY and acts[i].move != opposite(s.facing[i]):
            s.facing[i] = acts[i].move
        s.pos[i] = s.pos[i] + s.facing[i]
    met = s.pos[0] == s.pos[1]
    first_out = met or solid(s.board[s.pos[0]])
    second_out = met or solid(s.board[s.pos[1]])
    s.board[s.pos[0]] = Tile.BLUE
    s.board[s.pos[1]] = Tile.ORANGE
    if first_out and second_out:
        draw()
    elif first_out:
        win(1)
    elif second_out:
        win(0)
