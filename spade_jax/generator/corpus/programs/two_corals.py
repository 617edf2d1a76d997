"""Swim over the reef and build a polyp on free ground beside your own coral. On a hidden rich spot it
spreads to all free neighbours; built cells tell how many rich spots surround them. Be first."""
game = Game(size=(7, 7), players=2, max_steps=80, verbs=["build"], skills=["contest", "memory"])

REEF = Param(8, 3, 14, harder="up")
RICH = Param(0.25, 0.05, 0.5, harder="down")

class Tile(Enum):
    SEA = Look(".", "black")
    RED = Look("r", "red", marker=True)
    BLUE = Look("b", "blue", marker=True)

class State:
    pos: Players(Pos)
    rich: Hidden(Grid(Bool)) = False
    hints: Grid(Int(0, 8)) = 0
    board: Grid(Tile, outside=Tile.SEA) = Tile.SEA

def reset(s):
    s.pos[0] = Pos(5, 1)
    s.pos[1] = Pos(1, 5)
    s.board[s.pos[0]] = Tile.RED
    s.board[s.pos[1]] = Tile.BLUE
    s.rich = chance_grid(RICH) and s.board == Tile.SEA

def step(s, acts):
    for i in players():
        own = Tile.RED if i == 0 else Tile.BLUE
        target = try_move(s.pos[i], acts[i].move)
        if target != s.pos[opponent(i)]:
            s.pos[i] = target
        here = at(s.pos[i])
        beside = any(neighbors4(s.board == own) > 0 and here)
        if acts[i].build and beside and s.board[s.pos[i]] == Tile.SEA:
            s.board[s.pos[i]] = own
            reward(0.03, i)
            if s.rich[s.pos[i]]:
                s.board = where(neighbors4(here) > 0 and s.board == Tile.SEA, own, s.board)
                reward(0.05, i)
    s.hints = where(s.board != Tile.SEA, neighbors8(s.rich), 0)
    first = count(s.board == Tile.RED) >= REEF
    second = count(s.board == Tile.BLUE) >= REEF
    if first and second:
        draw()
    elif first:
        win(0)
    elif second:
        win(1)
