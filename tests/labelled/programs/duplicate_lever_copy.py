"""Open the gate with the lever and leave."""
# a comment that changes nothing
game = Game(size=(7, 9), max_steps=60, verbs=["pull"], skills=["manipulation"])

class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    GATE = Look("G", "brown", solid=True, door=True)
    LEVER = Look("l", "blue", tool=True)
    EXIT = Look("E", "green", goal=True)

class State:
    hero: Pos
    map: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def reset(s):
    s.map = where(BORDER or COL == 4, Tile.WALL, Tile.FLOOR)
    s.map[Pos(randint(1, 5), 4)] = Tile.GATE
    s.map[Pos(randint(1, 5), 1)] = Tile.LEVER
    s.map[Pos(randint(1, 5), 7)] = Tile.EXIT
    s.hero = random_cell(s.map == Tile.FLOOR and COL == 3)

def step(s, act):
    s.hero = try_move(s.hero, act.move)
    if act.pull and s.map[s.hero] == Tile.LEVER:
        s.map = where(s.map == Tile.GATE or s.map == Tile.LEVER, Tile.FLOOR, s.map)
        reward(0.30)
    if (s.map[s.hero] == Tile.EXIT):
        win()
