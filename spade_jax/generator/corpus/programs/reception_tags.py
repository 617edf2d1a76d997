"""Guests stroll about the reception. Fetch a tag, red or blue, from its corner and walk up to a
guest of that face (dark: red, bright: blue): a tag on the wrong guest is a scandal. Name them all."""
game = Game(size=(7, 7), max_steps=70, skills=["manipulation"])

GUESTS = Param(2, 1, 4, harder="up")
STROLL = Param(0.15, 0.0, 0.5, harder="up")
TABLES = Param(0.05, 0.0, 0.12, harder="up")

class Tile(Enum):
    FLOOR = Look(".", "black")
    TABLE = Look("#", "brown", solid=True)
    RED_TAG = Look("r", "red", item=True)
    BLUE_TAG = Look("b", "blue", item=True)
    NAMED = Look("*", "gold", marker=True)

class Guest(Row):
    pos: Pos
    face: Int(1, 2)

class State:
    agent: Pos = Pos(3, 3)
    tag: Int(0, 2) = 0
    guests: Table(Guest, 4)
    board: Grid(Tile, outside=Tile.TABLE) = Tile.FLOOR

def reset(s):
    s.board = where(chance_grid(TABLES) and not BORDER and not at(s.agent), Tile.TABLE, s.board)
    s.board[Pos(0, 0)] = Tile.RED_TAG
    s.board[Pos(6, 6)] = Tile.BLUE_TAG
    for k in range(4):
        if k < GUESTS:
            spot = random_cell(s.board == Tile.FLOOR and not at(s.agent) and not occupied(s.guests))
            spawn(s.guests, pos=spot, face=randint(1, 2))

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if s.board[s.agent] == Tile.RED_TAG:
        s.tag = 1
    elif s.board[s.agent] == Tile.BLUE_TAG:
        s.tag = 2
    for g in s.guests:
        if g.pos == s.agent and s.tag > 0:
            if g.face == s.tag:
                s.board[g.pos] = Tile.NAMED
                s.tag = 0
                kill(g)
                reward(0.2)
            else:
                lose()
        elif chance(STROLL):
            dest = try_move(g.pos, random_dir())
            if dest != s.agent:
                g.pos = dest
    if count_alive(s.guests) == 0:
        win()
