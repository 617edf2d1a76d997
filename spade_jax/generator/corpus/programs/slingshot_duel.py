"""Two ships fall towards a planet. Thrust round it to the buoy above, which gives you the key, then to
the dock below: the first to dock with the key wins. Who hits the planet starts anew without a key."""
game = Game(size=(11, 11), players=2, max_steps=120, skills=["contest", "continuous"])

PULL = Param(0.02, 0.01, 0.035, harder="up")
REACH = Param(1.2, 0.8, 1.8, harder="down")
DRAG = Param(0.96, 0.9, 0.99, harder="up")

class Tile(Enum):
    SPACE = Look(".", "black")
    PLANET = Look("O", "red", hazard=True)
    BUOY = Look("k", "gold", item=True)
    DOCK = Look("D", "green", door=True, goal=True)

class State:
    ship: Players(Vec2(-5.4, 5.4))
    vel: Players(Vec2(-0.9, 0.9))
    key: Players(Bool) = False
    board: Grid(Tile, outside=Tile.SPACE) = Tile.SPACE

def reset(s):
    flip = pick(-1.0, 1.0)
    s.ship[0] = Vec2(4.0 * flip, uniform(-0.5, 0.5))
    s.ship[1] = -1.0 * s.ship[0]
    s.board = where(disk(Pos(5, 5), 1.0), Tile.PLANET, s.board)
    s.board[Pos(1, 5)] = Tile.BUOY
    s.board[Pos(9, 5)] = Tile.DOCK

def step(s, acts):
    docked = 0
    last = 0
    for i in players():
        s.vel[i] = DRAG * s.vel[i] + 0.07 * vec(acts[i].move) - PULL * normalize(s.ship[i])
        s.ship[i] += s.vel[i]
        if not s.key[i] and length(s.ship[i] - Vec2(0.0, -4.0)) < REACH:
            s.key[i] = True
            reward(0.2, i)
        if s.board[cell(s.ship[i])] == Tile.PLANET:
            s.ship[i] = Vec2(4.0 if s.ship[i].x > 0.0 else -4.0, 0.0)
            s.vel[i] = Vec2(0.0, 0.0)
            s.key[i] = False
        elif s.key[i] and length(s.ship[i] - Vec2(0.0, 4.0)) < REACH:
            docked += 1
            last = i
    if docked == 2:
        draw()
    elif docked == 1:
        win(last)

def view(s):
    disc(Vec2(0.0, 0.0), 1.2, "red")
    for i in players():
        disc(s.ship[i], 0.4, i)
