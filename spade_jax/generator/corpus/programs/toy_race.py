"""Two children tidy one room: take a toy by walking onto it and bring it to the box of its colour.
Stepping on a brick gives the other a point. The first with enough points wins."""
game = Game(size=(7, 7), players=2, max_steps=120, skills=["contest", "manipulation"])

NEED = Param(3, 1, 5, harder="up")
BRICKS = Param(3, 0, 6, harder="up")

class Tile(Enum):
    CARPET = Look(".", "black")
    BRICK = Look("x", "orange", hazard=True)
    RED_TOY = Look("r", "red", item=True)
    BLUE_TOY = Look("b", "blue", item=True)
    RED_BOX = Look("R", "red", goal=True)
    BLUE_BOX = Look("B", "blue", goal=True)

class State:
    pos: Players(Pos)
    holds: Players(Int(0, 2)) = 0
    points: Players(Int(0, 9)) = 0
    board: Grid(Tile, outside=Tile.BRICK) = Tile.CARPET

def reset(s):
    s.pos[0] = Pos(6, 3)
    s.pos[1] = Pos(0, 3)
    s.board[Pos(3, 0)] = Tile.RED_BOX
    s.board[Pos(3, 6)] = Tile.BLUE_BOX
    inner = ROW > 0 and ROW < 6
    for k in range(6):
        if k < BRICKS:
            s.board[random_cell(inner and s.board == Tile.CARPET)] = Tile.BRICK
    for k in range(3):
        s.board[random_cell(inner and s.board == Tile.CARPET)] = Tile.RED_TOY
        s.board[random_cell(inner and s.board == Tile.CARPET)] = Tile.BLUE_TOY

def step(s, acts):
    for i in players():
        s.pos[i] = try_move(s.pos[i], acts[i].move)
        here = s.board[s.pos[i]]
        toy = here == Tile.RED_TOY or here == Tile.BLUE_TOY
        if toy and s.holds[i] == 0:
            s.holds[i] = 1 if here == Tile.RED_TOY else 2
            s.board[s.pos[i]] = Tile.CARPET
            reward(0.03, i)
        red = here == Tile.RED_BOX
        if s.holds[i] > 0 and (red or here == Tile.BLUE_BOX):
            if red == (s.holds[i] == 1):
                s.points[i] += 1
                reward(0.1, i)
            fresh = Tile.RED_TOY if s.holds[i] == 1 else Tile.BLUE_TOY
            s.board[random_cell(s.board == Tile.CARPET and not BORDER)] = fresh
            s.holds[i] = 0
        if here == Tile.BRICK:
            s.board[s.pos[i]] = Tile.CARPET
            s.points[opponent(i)] += 1
            reward(-0.1, i)
    if s.points[0] >= NEED and s.points[1] >= NEED:
        draw()
    elif s.points[0] >= NEED:
        win(0)
    elif s.points[1] >= NEED:
        win(1)
