"""Two knights: a move jumps two squares that way and one to your right hand, or to the left after a
flip. Use plants a flag on the free square you stand on. Be first to plant enough, or have more."""
game = Game(size=(6, 6), players=2, max_steps=70, verbs=["use", "flip"], skills=["contest", "puzzle"])

FLAGS = Param(8, 4, 14, harder="up")
BOGS = Param(3, 0, 6, harder="up")

class Tile(Enum):
    FREE = Look(".", "black")
    BOG = Look("~", "brown", hazard=True)
    WHITE = Look("w", "white", resource=True)
    RED = Look("r", "red", resource=True)

class State:
    knight: Players(Pos)
    left: Players(Bool) = False
    flags: Players(Int(0, 36)) = 0
    board: Grid(Tile, outside=Tile.BOG) = Tile.FREE

def reset(s):
    s.knight[0] = Pos(5, randint(0, 5))
    s.knight[1] = Pos(0, randint(0, 5))
    for k in range(6):
        if k < BOGS:
            s.board[random_cell(s.board == Tile.FREE and ROW > 0 and ROW < 5)] = Tile.BOG

def step(s, acts):
    """Nobody jumps into a bog or onto the other knight."""
    for i in players():
        d = acts[i].move
        aside = turn_left(d) if s.left[i] else turn_right(d)
        target = s.knight[i] + d + d + aside
        if s.board[target] != Tile.BOG and target != s.knight[opponent(i)]:
            s.knight[i] = target
        if acts[i].flip:
            s.left[i] = not s.left[i]
        if acts[i].use and s.board[s.knight[i]] == Tile.FREE:
            s.board[s.knight[i]] = Tile.WHITE if i == 0 else Tile.RED
            s.flags[i] += 1
    lead = s.flags[0] - s.flags[1]
    done = s.flags[0] >= FLAGS or s.flags[1] >= FLAGS or s.t >= 65
    if done and lead > 0:
        win(0)
    elif done and lead < 0:
        win(1)
    elif done:
        draw()
