"""Step onto each speaker to switch it off, then go to the mixing desk. Their sound swells and
shrinks: every step inside it costs hearing, and the deaf lose."""
game = Game(size=(9, 9), max_steps=70, skills=["navigation", "avoidance"])

SPEAKERS = Param(4, 1, 5, harder="up")
HEARING = Param(9, 5, 16, harder="down")
LOUD = Param(0.75, 0.5, 1.1, harder="up")

class Tile(Enum):
    HALL = Look(".", "black")
    PILLAR = Look("#", "gray", solid=True)
    DESK = Look("D", "green", goal=True)

class Speaker(Row):
    pos: Pos
    phase: Int(0, 7)

class State:
    agent: Pos = Pos(8, 4)
    hearing: Int(0, 16) = 9
    board: Grid(Tile, outside=Tile.PILLAR) = Tile.HALL
    boom: Grid(Bool) = False
    speakers: Table(Speaker, 5)

def reset(s):
    s.board = where(chance_grid(0.08) and not disk(s.agent, 1.5), Tile.PILLAR, s.board)
    s.board[Pos(0, randint(0, 8))] = Tile.DESK
    for k in range(5):
        if k < SPEAKERS:
            free = s.board == Tile.HALL and ROW > 0 and ROW < 7 and not occupied(s.speakers)
            spawn(s.speakers, pos=random_cell(free), phase=randint(0, 7))
    s.hearing = HEARING

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    s.boom = False
    for p in s.speakers:
        if p.pos == s.agent:
            kill(p)
            reward(0.1)
        else:
            swell = abs((s.t + p.phase) % 8 - 4)
            s.boom = s.boom or disk(p.pos, LOUD * swell)
    if s.boom[s.agent]:
        s.hearing -= 1
    if s.hearing == 0:
        lose()
    if s.board[s.agent] == Tile.DESK and count_alive(s.speakers) == 0:
        win()
