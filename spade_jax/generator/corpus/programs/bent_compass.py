"""Somewhere lies your camp; you see it from close by only. Use the compass (a charge each) and the needle
points to it, but it may be bent a quarter turn to the right. Fallen stars give charges. Do not starve."""
game = Game(size=(9, 9), max_steps=70, verbs=["use"], skills=["resource", "navigation", "memory"])

BENT = Param(0.25, 0.0, 0.6, harder="up")
FOOD = Param(45.0, 30.0, 60.0, harder="down")
SIGHT = Param(1.5, 1.0, 2.5, harder="down")
SCREE = Param(0.1, 0.0, 0.2, harder="up")

class Tile(Enum):
    HEATH = Look(".", "black")
    SCREE = Look("#", "gray", solid=True)
    STAR = Look("*", "yellow", item=True)
    CAMP = Look("C", "green", goal=True)

class State:
    agent: Pos = Pos(4, 4)
    needle: Dir = STAY
    charges: Int(0, 4) = 2
    food: Float(0.0, 60.0) = 45.0
    camp: Hidden(Pos)
    bent: Hidden(Bool) = False
    board: Grid(Tile, outside=Tile.SCREE) = Tile.HEATH

def reset(s):
    s.food = FOOD
    s.board = where(chance_grid(SCREE) and not BORDER, Tile.SCREE, s.board)
    s.board = where(neighbors4(s.board == Tile.SCREE) > 1, Tile.HEATH, s.board)
    s.agent = random_cell(s.board == Tile.HEATH)
    s.camp = random_cell(s.board == Tile.HEATH and not disk(s.agent, 4.5))
    s.bent = chance(BENT)

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    s.food -= 1.0
    if act.use and s.charges > 0:
        s.charges -= 1
        s.needle = toward(s.agent, s.camp)
        if s.bent:
            s.needle = turn_right(s.needle)
    if s.board[s.agent] == Tile.STAR:
        s.board[s.agent] = Tile.HEATH
        s.charges += 1
    s.board = where(s.board == Tile.STAR and chance_grid(0.06), Tile.HEATH, s.board)
    if not any(s.board == Tile.STAR) and chance(0.4):
        s.board[random_cell(s.board == Tile.HEATH and not at(s.agent))] = Tile.STAR
    if any(disk(s.agent, SIGHT) and at(s.camp)) and s.board[s.camp] != Tile.CAMP:
        s.board[s.camp] = Tile.CAMP
        reward(0.3)
    if s.board[s.agent] == Tile.CAMP:
        win()
    elif s.food <= 0.0:
        lose()
