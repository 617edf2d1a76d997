"""A note falls one step whenever you do anything. Be under it when it comes down, with the net of
its colour: the nets hang on the three hooks of your row and are taken there. A lost note ends it."""
game = Game(size=(10, 5), max_steps=90, verbs=["take"], skills=["puzzle", "manipulation"], camera="board")

NOTES = Param(3, 1, 6, harder="up")
HEIGHT = Param(0, 0, 2, harder="up")

class Tile(Enum):
    AIR = Look(".", "black")
    RED_NOTE = Look("r", "red", item=True)
    BLUE_NOTE = Look("b", "blue", item=True)
    GOLD_NOTE = Look("g", "gold", item=True)
    RED_HOOK = Look("R", "red", tool=True)
    BLUE_HOOK = Look("B", "blue", tool=True)
    GOLD_HOOK = Look("G", "gold", tool=True)

class State:
    agent: Pos = Pos(9, 2)
    net: Int(0, 3) = 0
    note: Pos
    hue: Int(1, 3) = 1
    caught: Int(0, 6) = 0
    board: Grid(Tile) = Tile.AIR

def look(hue):
    return Tile.RED_NOTE if hue == 1 else Tile.BLUE_NOTE if hue == 2 else Tile.GOLD_NOTE

def hook(tile):
    return 1 if tile == Tile.RED_HOOK else 2 if tile == Tile.BLUE_HOOK else 3 if tile == Tile.GOLD_HOOK else 0

def reset(s):
    s.board[Pos(9, 0)] = Tile.RED_HOOK
    s.board[Pos(9, 2)] = Tile.BLUE_HOOK
    s.board[Pos(9, 4)] = Tile.GOLD_HOOK
    s.note = Pos(HEIGHT, randint(0, 4))
    s.hue = randint(1, 3)
    s.board[s.note] = look(s.hue)

def step(s, act):
    """Up and down only beat time. The last catch leaves you where you are, with the net in hand."""
    if act.move == LEFT or act.move == RIGHT:
        s.agent = try_move(s.agent, act.move)
    if act.take and hook(s.board[s.agent]) > 0:
        if hook(s.board[s.agent]) == s.hue and s.net != s.hue:
            reward(0.03)
        s.net = hook(s.board[s.agent])
    if act.take or act.move != STAY:
        s.board[s.note] = Tile.AIR
        s.note = s.note + DOWN
        if s.note.row < 9:
            s.board[s.note] = look(s.hue)
        elif s.note == s.agent and s.net == s.hue:
            s.caught += 1
            reward(0.15)
            s.note = Pos(HEIGHT, randint(0, 4))
            s.hue = randint(1, 3)
            s.board[s.note] = look(s.hue)
        else:
            lose()
    if s.caught >= NOTES:
        win()
