"""Two raiders: fetch the flag from the court above and bring it to your camp below. The guard hunts
the nearer of you; whoever it catches is sent home, the flag with him. Dash to run twice as far."""
game = Game(size=(9, 7), players=2, max_steps=90, verbs=["dash"], skills=["cooperation", "avoidance"])

CATCHES = Param(3, 1, 6, harder="down")
FAST = Param(0.5, 0.2, 0.85, harder="up")
BREATH = Param(4, 1, 8, harder="down")

class Tile(Enum):
    GRASS = Look(".", "darkgreen")
    TREE = Look("#", "green", solid=True)
    FLAG = Look("f", "red", item=True)
    CAMP = Look("C", "gold", goal=True)

class Guard(Row):
    pos: Pos

class State:
    pos: Players(Pos)
    heading: Players(Dir) = UP
    breath: Players(Int(0, 8)) = 4
    bearer: Int(-1, 1) = -1
    catches: Int(0, 6) = 0
    board: Grid(Tile, outside=Tile.TREE) = Tile.GRASS
    guards: Table(Guard, 1)

def reset(s):
    s.board = where(chance_grid(0.1) and ROW > 1 and ROW < 7, Tile.TREE, s.board)
    s.board = where(ROW == 8, Tile.CAMP, s.board)
    s.board[Pos(0, randint(1, 5))] = Tile.FLAG
    s.pos[0] = Pos(8, 1)
    s.pos[1] = Pos(8, 5)
    for i in players():
        s.breath[i] = BREATH
    spawn(s.guards, pos=Pos(2, 3))

def step(s, acts):
    for i in players():
        if acts[i].move != STAY:
            s.heading[i] = acts[i].move
        s.pos[i] = try_move(s.pos[i], acts[i].move)
        if acts[i].dash and s.breath[i] > 0:
            s.breath[i] -= 1
            s.pos[i] = try_move(try_move(s.pos[i], s.heading[i]), s.heading[i])
        if s.board[s.pos[i]] == Tile.FLAG:
            s.board[s.pos[i]] = Tile.GRASS
            s.bearer = i
            reward(0.2)
        if s.bearer == i and s.board[s.pos[i]] == Tile.CAMP:
            win()
    for g in s.guards:
        near = 0 if manhattan(g.pos, s.pos[0]) <= manhattan(g.pos, s.pos[1]) else 1
        if chance(FAST) and s.pos[near].row < 7:
            g.pos = try_move(g.pos, toward(g.pos, s.pos[near]))
        for i in players():
            if g.pos == s.pos[i]:
                s.catches += 1
                s.pos[i] = Pos(8, 1 + 4 * i)
                if s.bearer == i:
                    s.bearer = -1
                    s.board[Pos(0, randint(1, 5))] = Tile.FLAG
                    reward(-0.2)
    if s.catches >= CATCHES:
        lose()
