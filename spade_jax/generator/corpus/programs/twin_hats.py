"""Take a child by the hand by walking to it and bring it to its twin, who wears the same hat. Led to
another child it runs off; after too many upsets the outing is over."""
game = Game(size=(7, 7), max_steps=90, skills=["navigation", "avoidance"])

PAIRS = Param(2, 1, 3, harder="up")
UPSETS = Param(3, 1, 5, harder="down")
RESTLESS = Param(0.1, 0.0, 0.4, harder="up")

class Tile(Enum):
    YARD = Look(".", "black")
    BENCH = Look("#", "brown", solid=True)

class Child(Row):
    pos: Pos
    hat: Int(1, 3)

class State:
    agent: Pos = Pos(3, 3)
    hand: Int(0, 3) = 0
    pairs: Int(0, 3) = 0
    upsets: Int(0, 5) = 0
    board: Grid(Tile, outside=Tile.BENCH) = Tile.YARD
    children: Table(Child, 7)

def spot(board, taken, agent):
    return random_cell(board == Tile.YARD and not taken and not disk(agent, 1.5))

def reset(s):
    s.board = where(chance_grid(0.1) and not BORDER and not at(s.agent), Tile.BENCH, s.board)
    for k in range(6):
        if k < 2 * PAIRS:
            spawn(s.children, pos=spot(s.board, occupied(s.children), s.agent), hat=1 + k // 2)

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    for c in s.children:
        if c.pos == s.agent:
            if s.hand == 0:
                s.hand = c.hat
                reward(0.05)
                kill(c)
            elif s.hand == c.hat:
                s.pairs += 1
                s.hand = 0
                reward(0.2)
                kill(c)
            else:
                s.upsets += 1
                reward(-0.05)
                spawn(s.children, pos=spot(s.board, occupied(s.children), s.agent), hat=s.hand)
                s.hand = 0
        elif chance(RESTLESS):
            to = try_move(c.pos, random_dir())
            if to != s.agent and not any_at(s.children, to):
                c.pos = to
    if s.pairs >= PAIRS:
        win()
    elif s.upsets >= UPSETS:
        lose()
