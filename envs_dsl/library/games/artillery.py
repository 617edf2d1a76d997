"""Set angle and power of the gun, mind wind and hill, and hit the target before shells run out."""
game = Game(size=(12, 20), max_steps=200, verbs=["throw"], skills=["continuous"])

SHELLS = Param(4, 2, 8, harder="down")
WIND = Param(0.005, 0.0, 0.02, harder="up")
BLAST = Param(1.0, 0.5, 2.0, harder="down")

class Tile(Enum):
    SKY = Look(".", "black")
    EARTH = Look("#", "brown", solid=True)

class State:
    gun: Vec2(-9.9, 9.9)
    target: Vec2(-9.9, 9.9)
    hilltop: Pos
    angle: Float(0.2, 1.4) = 0.8
    power: Float(0.3, 1.2) = 0.8
    wind: Float(-0.02, 0.02) = 0.0
    shells: Int(0, 8) = 0
    flying: Bool = False
    shell: Vec2(-12.0, 12.0)
    speed: Vec2(-1.5, 1.5)
    board: Grid(Tile, outside=Tile.SKY) = Tile.SKY

def reset(s):
    s.hilltop = Pos(randint(6, 10), 8)
    hill = COL == 8 and ROW >= s.hilltop.row
    s.board = where(ROW == 11 or hill, Tile.EARTH, s.board)
    s.gun = Vec2(uniform(-9.5, -6.0), 4.5)
    s.target = Vec2(uniform(1.0, 9.0), 4.5)
    s.wind = uniform(-WIND, WIND)
    s.shells = SHELLS

def step(s, act):
    """Up and down turn the barrel, left and right change the charge, throw fires."""
    if act.move == UP or act.move == DOWN:
        s.angle += 0.05 if act.move == UP else -0.05
    if act.move == LEFT or act.move == RIGHT:
        s.power += 0.05 if act.move == RIGHT else -0.05
    if act.throw and not s.flying and s.shells > 0:
        s.shells -= 1
        s.flying = True
        s.shell = s.gun
        s.speed = s.power * Vec2(cos(s.angle), -sin(s.angle))
    for k in range(2):
        if s.flying:
            s.speed += 0.5 * Vec2(s.wind, 0.05)
            s.shell += 0.5 * s.speed
            if length(s.shell - s.target) <= BLAST:
                win()
            if solid(s.board[cell(s.shell)]) or abs(s.shell.x) > 10.0:
                s.flying = False
    if s.shells == 0 and not s.flying:
        lose()

def view(s):
    bar(s.gun, s.gun + s.power * Vec2(cos(s.angle), -sin(s.angle)), "white")
    disc(s.target, 0.5, "red")
    if s.flying:
        disc(s.shell, 0.2, "yellow")
