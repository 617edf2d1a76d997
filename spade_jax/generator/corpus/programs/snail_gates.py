"""Snails crawl along the lane between two gardens and in at an open gate. Use your gate to shut it
for a while, step on snails to pick them up, and keep lettuce when your neighbour has none left."""
game = Game(size=(7, 9), players=2, max_steps=110, verbs=["use"], skills=["contest", "avoidance"])

PACE = Param(2, 1, 4, harder="down")
SHUT = Param(9, 4, 14, harder="down")
SPAWN = Param(5, 3, 8, harder="down")

class Tile(Enum):
    SOIL = Look(".", "black")
    HEDGE = Look("#", "green", solid=True)
    LETTUCE = Look("L", "darkgreen", item=True)
    OPEN = Look("o", "orange", door=True)
    CLOSED = Look("X", "brown", solid=True, door=True)

class Snail(Row):
    pos: Pos

class State:
    pos: Players(Pos)
    shut: Players(Int(0, 14)) = 0
    rest: Players(Int(0, 30)) = 0
    heads: Players(Int(0, 4)) = 4
    board: Grid(Tile, outside=Tile.HEDGE) = Tile.SOIL
    snails: Table(Snail, 4)

def reset(s):
    s.board = where(COL == 3 or COL == 5, Tile.HEDGE, s.board)
    for k in range(4):
        spot = random_cell(COL < 2 and s.board == Tile.SOIL)
        s.board[spot] = Tile.LETTUCE
        s.board[Pos(spot.row, 8 - spot.col)] = Tile.LETTUCE
    for i in players():
        s.board[Pos(3, 3 + 2 * i)] = Tile.OPEN
        s.pos[i] = Pos(randint(2, 4), 2 + 4 * i)
    spawn(s.snails, pos=Pos(0, 4))

def step(s, acts):
    for i in players():
        gate = Pos(3, 3 + 2 * i)
        s.pos[i] = try_move(s.pos[i], acts[i].move)
        s.shut[i] -= 1
        s.rest[i] -= 1
        if acts[i].use and manhattan(s.pos[i], gate) <= 1 and s.rest[i] == 0:
            s.shut[i] = SHUT
            s.rest[i] = SHUT + 6
        s.board[gate] = Tile.CLOSED if s.shut[i] > 0 else Tile.OPEN
    for snail in s.snails:
        if s.t % PACE == 0:
            d = STAY
            mine = (COL < 4) == (snail.pos.col < 4)
            if snail.pos.col == 4 and snail.pos.row != 3:
                d = DOWN if snail.pos.row < 3 else UP
            elif snail.pos.col == 4:
                d = LEFT if chance(0.5) else RIGHT
                if solid(s.board[snail.pos + d]):
                    d = opposite(d)
            elif snail.pos.col == 3 or snail.pos.col == 5:
                d = LEFT if snail.pos.col == 3 else RIGHT
            else:
                d = toward(snail.pos, nearest(mine and s.board == Tile.LETTUCE, snail.pos))
            snail.pos = try_move(snail.pos, d)
            if s.board[snail.pos] == Tile.LETTUCE:
                s.board[snail.pos] = Tile.SOIL
                kill(snail)
        for i in players():
            if alive(snail) and snail.pos == s.pos[i]:
                reward(0.05, i)
                kill(snail)
    if s.t % SPAWN == 0:
        spawn(s.snails, pos=Pos(pick(0, 6), 4))
    s.heads[0] = count(s.board == Tile.LETTUCE and COL < 4)
    s.heads[1] = count(s.board == Tile.LETTUCE and COL > 4)
    late = s.t >= 100
    if s.heads[0] > s.heads[1] and (late or s.heads[1] == 0):
        win(0)
    elif s.heads[1] > s.heads[0] and (late or s.heads[0] == 0):
        win(1)
    elif late or s.heads[0] == 0:
        draw()
