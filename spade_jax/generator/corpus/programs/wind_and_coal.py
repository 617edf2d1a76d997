"""Two stations: up and down set your coal valve, and your boiler follows a step later. Each step on
which wind plus your heat equals the load scores; surplus spills over to the rival. Coal is short."""
game = Game(size=(8, 5), players=2, max_steps=90, skills=["contest", "resource"], camera="board")

NEED = Param(14, 6, 24, harder="up")
COAL = Param(150, 90, 240, harder="down")
GUST = Param(0.2, 0.05, 0.4, harder="up")

class Tile(Enum):
    SKY = Look(".", "black")
    LOAD = Look("l", "gold", goal=True)
    FIRST = Look("1", "red")
    SECOND = Look("2", "orange")
    WIND = Look("w", "cyan", resource=True)

class State:
    valve: Players(Int(0, 6)) = 2
    heat: Players(Int(0, 6)) = 2
    coal: Players(Int(0, 240)) = 150
    score: Players(Int(0, 30)) = 0
    spill: Players(Int(0, 3)) = 0
    wind: Int(0, 3) = 1
    load: Int(2, 7) = 4
    board: Grid(Tile) = Tile.SKY

def reset(s):
    s.wind = randint(0, 3)
    s.load = randint(3, 6)
    for i in players():
        s.coal[i] = COAL
        s.valve[i] = randint(0, 4)

def step(s, acts):
    """Columns: first station, load, second station, wind."""
    for i in players():
        s.heat[i] += sign(s.valve[i] - s.heat[i])
        if s.coal[i] == 0:
            s.heat[i] = 0
        s.coal[i] -= s.heat[i]
        if acts[i].move == UP:
            s.valve[i] += 1
        elif acts[i].move == DOWN:
            s.valve[i] -= 1
    for i in players():
        made = s.heat[i] + s.wind + s.spill[opponent(i)]
        if made == s.load:
            s.score[i] += 1
            reward(0.02, i)
    for i in players():
        s.spill[i] = max(s.heat[i] + s.wind - s.load, 0)
    if chance(GUST):
        s.wind += pick(-1, 1)
    if chance(0.08):
        s.load = randint(3, 6)
    s.board = where(COL == 0 and ROW >= 8 - s.heat[0] - s.wind, Tile.FIRST, Tile.SKY)
    s.board = where(COL == 1 and ROW >= 8 - s.load, Tile.LOAD, s.board)
    s.board = where(COL == 2 and ROW >= 8 - s.heat[1] - s.wind, Tile.SECOND, s.board)
    s.board = where(COL == 4 and ROW >= 8 - s.wind, Tile.WIND, s.board)
    ahead = s.score[0] - s.score[1]
    done = s.score[0] >= NEED or s.score[1] >= NEED or s.t >= 85
    if done and ahead > 0:
        win(0)
    elif done and ahead < 0:
        win(1)
    elif done:
        draw()
