"""Drive to the town at the other end before the tank is empty."""
game = Game(size=(4, 12), max_steps=80)

class Tile(Enum):
    ROAD = Look(".", "black")
    PUMP = Look("p", "orange", resource=True)
    TOWN = Look("T", "green", goal=True)

class State:
    car: Pos
    tank: Int(0, 6) = 6
    board: Grid(Tile, outside=Tile.ROAD) = Tile.ROAD

def reset(s):
    s.car = Pos(randint(0, 3), 0)
    s.board[Pos(randint(0, 3), 11)] = Tile.TOWN
    s.board[Pos(randint(0, 3), 3)] = Tile.PUMP

def step(s, act):
    to = s.car + act.move
    if inside(to) and s.tank > 0 and act.move != STAY:
        s.car = to
        s.tank -= 1
        reward(0.002)
    if s.board[s.car] == Tile.PUMP:
        s.tank = 6
    if s.board[s.car] == Tile.TOWN:
        win()
