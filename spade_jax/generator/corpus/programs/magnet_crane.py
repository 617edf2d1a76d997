"""Stand in line with a block and use the magnet: most blocks come a step towards you, some flee a
step. Lead them into the furnace. The magnet takes charge, which the dock gives back."""
game = Game(size=(8, 8), max_steps=110, verbs=["use"], skills=["resource", "memory"])

BLOCKS = Param(2, 1, 4, harder="up")
ODD = Param(0.3, 0.0, 0.6, harder="up")
CHARGE = Param(9, 5, 15, harder="down")

class Tile(Enum):
    FLOOR = Look(".", "black")
    BLOCK = Look("b", "orange", solid=True, item=True)
    FURNACE = Look("F", "red", goal=True)
    DOCK = Look("D", "cyan", resource=True)

class State:
    agent: Pos = Pos(7, 0)
    charge: Int(0, 15) = 9
    molten: Int(0, 4) = 0
    flees: Hidden(Grid(Bool)) = False
    board: Grid(Tile, outside=Tile.FLOOR) = Tile.FLOOR

def reset(s):
    s.board = where(rect(Pos(3, 3), Pos(4, 4)), Tile.FURNACE, s.board)
    s.board[s.agent] = Tile.DOCK
    for k in range(4):
        if k < BLOCKS:
            near = rect(Pos(1, 1), Pos(6, 6)) and s.board == Tile.FLOOR
            s.board[random_cell(near)] = Tile.BLOCK
    s.flees = s.board == Tile.BLOCK and chance_grid(ODD)
    s.charge = CHARGE

def step(s, act):
    s.agent = try_move(s.agent, act.move)
    if s.board[s.agent] == Tile.DOCK:
        s.charge = CHARGE
    block = nearest(s.board == Tile.BLOCK and (ROW == s.agent.row or COL == s.agent.col), s.agent)
    if act.use and s.charge > 0 and inside(block):
        s.charge -= 1
        d = away(block, s.agent) if s.flees[block] else toward(block, s.agent)
        goal = block + d
        if s.board[goal] == Tile.FURNACE:
            s.board[block] = Tile.FLOOR
            s.molten += 1
            reward(0.2)
        elif inside(goal) and goal != s.agent and s.board[goal] == Tile.FLOOR:
            s.flees[goal] = s.flees[block]
            s.board[goal] = Tile.BLOCK
            s.board[block] = Tile.FLOOR
    if s.molten >= BLOCKS:
        win()
