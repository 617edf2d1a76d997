"""Take the pole and walk the rope to the far platform. The rope sways more and more: lean up or
down against it, which takes breath; you breathe only on a platform. Sway too far and you fall."""
game = Game(size=(5, 14), max_steps=90, verbs=["take"], skills=["resource", "avoidance"])

GUST = Param(0.3, 0.1, 0.7, harder="up")
BREATH = Param(6, 4, 9, harder="down")
REACH = Param(5, 3, 6, harder="down")

class Tile(Enum):
    AIR = Look(".", "blue", solid=True)
    ROPE = Look("-", "brown")
    PLATFORM = Look("=", "gray", resource=True)
    POLE = Look("p", "gold", item=True, tool=True)
    FLAG = Look("F", "green", goal=True)

class State:
    agent: Pos = Pos(2, 0)
    sway: Int(-7, 7) = 0
    breath: Int(0, 9) = 6
    pole: Bool = False
    board: Grid(Tile, outside=Tile.AIR) = Tile.AIR

def reset(s):
    s.board = where(ROW == 2, Tile.ROPE, s.board)
    s.board = where(COL < 2 and ROW > 0 and ROW < 4, Tile.PLATFORM, s.board)
    s.board[Pos(2, 7)] = Tile.PLATFORM
    s.board[random_cell(COL < 2 and s.board == Tile.PLATFORM and not at(s.agent))] = Tile.POLE
    s.board[Pos(2, 13)] = Tile.FLAG
    s.breath = BREATH

def step(s, act):
    """With the pole a lean reaches further; a rope that sways at all sways more at every step."""
    here = s.board[s.agent]
    on_rope = here == Tile.ROPE
    upright = act.move == UP or act.move == DOWN
    if on_rope and upright and s.breath > 0:
        s.breath -= 1
        lean = 3 if s.pole else 2
        s.sway += lean if act.move == DOWN else -lean
    before = s.agent
    if not (on_rope and upright):
        s.agent = try_move(s.agent, act.move)
    here = s.board[s.agent]
    if act.take and here == Tile.POLE:
        s.pole = True
        s.board[s.agent] = Tile.PLATFORM
        reward(0.1)
    if here == Tile.ROPE:
        s.sway += sign(s.sway) if s.sway != 0 else pick(-1, 1)
        s.sway += randint(-1, 1) if chance(GUST) else 0
        reward(0.02 * (s.agent.col - before.col))
    else:
        s.sway = 0
        if here == Tile.PLATFORM:
            s.breath += 2
    if abs(s.sway) >= REACH:
        lose()
    if here == Tile.FLAG:
        win()
