"""In turn train your vine one cell on: be the first with enough blossoms. Thorns kill; a vine that
does not grow wilts and dies at the third time, so leave yourself room and take the rival's."""
game = Game(size=(7, 7), players=2, turns="alternate", max_steps=100, skills=["contest", "avoidance"])

BLOSSOMS = Param(3, 1, 5, harder="up")
THORNS = Param(0.08, 0.0, 0.2, harder="up")

class Tile(Enum):
    TRELLIS = Look(".", "black")
    GREEN = Look("g", "green", solid=True)
    PURPLE = Look("p", "purple", solid=True)
    THORN = Look("x", "red", hazard=True)
    BLOSSOM = Look("*", "pink", goal=True)

class State:
    tip: Players(Pos)
    wilted: Players(Int(0, 3)) = 0
    blossoms: Players(Int(0, 5)) = 0
    board: Grid(Tile, outside=Tile.GREEN) = Tile.TRELLIS

def reset(s):
    s.tip[0] = Pos(6, randint(0, 2))
    s.tip[1] = Pos(6, randint(4, 6))
    s.board = where(chance_grid(THORNS) and ROW < 5, Tile.THORN, s.board)
    s.board[s.tip[0]] = Tile.GREEN
    s.board[s.tip[1]] = Tile.PURPLE
    for k in range(9):
        s.board[random_cell(s.board == Tile.TRELLIS and ROW < 6)] = Tile.BLOSSOM

def step(s, act):
    i = s.turn
    target = s.tip[i] + act.move
    ahead = s.board[target]
    if act.move == STAY or solid(ahead):
        s.wilted[i] += 1
    else:
        s.tip[i] = target
        s.board[target] = Tile.GREEN if i == 0 else Tile.PURPLE
        if ahead == Tile.BLOSSOM:
            s.blossoms[i] += 1
            reward(0.1, i)
    if ahead == Tile.THORN or s.wilted[i] >= 3:
        win(opponent(i))
    elif s.blossoms[i] >= BLOSSOMS:
        win(i)
