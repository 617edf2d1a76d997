"""Take a tent in the valley, carry it up and drop it where a camp will help: at camps and in the
valley strength comes back. Reach the summit; crevasses are deadly, and so is exhaustion."""
game = Game(size=(11, 6), max_steps=90, verbs=["drop"], skills=["manipulation", "resource"])

STRENGTH = Param(9, 7, 14, harder="down")
CREVASSES = Param(3, 0, 7, harder="up")
STEEP = Param(0.1, 0.0, 0.4, harder="up")

class Tile(Enum):
    SNOW = Look(".", "white")
    VALLEY = Look("v", "darkgreen", resource=True)
    CREVASSE = Look("x", "blue", hazard=True)
    TENT = Look("t", "orange", item=True)
    CAMP = Look("C", "red", marker=True)
    SUMMIT = Look("S", "gold", goal=True)

class State:
    agent: Pos = Pos(10, 2)
    strength: Int(0, 14) = 9
    tent: Bool = False
    top: Int(0, 10) = 10
    board: Grid(Tile, outside=Tile.CREVASSE) = Tile.SNOW

def reset(s):
    s.board = where(ROW == 10, Tile.VALLEY, s.board)
    for k in range(3):
        s.board[random_cell(s.board == Tile.VALLEY and not at(s.agent))] = Tile.TENT
    for k in range(7):
        if k < CREVASSES:
            s.board[random_cell(s.board == Tile.SNOW and ROW > 0 and ROW < 9)] = Tile.CREVASSE
    s.board[Pos(0, randint(1, 4))] = Tile.SUMMIT
    s.strength = STRENGTH

def step(s, act):
    """Where it is steep, a step may take two measures of strength."""
    before = s.agent
    s.agent = try_move(s.agent, act.move)
    here = s.board[s.agent]
    if s.agent != before:
        s.strength -= 2 if chance(STEEP) else 1
    if here == Tile.TENT and not s.tent:
        s.tent = True
        s.board[s.agent] = Tile.VALLEY
        reward(0.1)
    if act.drop and s.tent and here == Tile.SNOW:
        s.tent = False
        s.board[s.agent] = Tile.CAMP
        if s.agent.row < 8:
            reward(0.1)
    if here == Tile.VALLEY or here == Tile.CAMP:
        s.strength += STRENGTH
    reward(0.03 * max(s.top - s.agent.row, 0))
    s.top = min(s.top, s.agent.row)
    if here == Tile.SUMMIT:
        win()
    elif here == Tile.CREVASSE or s.strength <= 0:
        lose()
