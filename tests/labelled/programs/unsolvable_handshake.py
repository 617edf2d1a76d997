"""Two friends must stand on one spot, but neither lets the other in."""
game = Game(size=(4, 4), max_steps=30, players=2, skills=["cooperation"])
class Tile(Enum):
    FLOOR = Look(".", "black")
    WALL = Look("#", "gray", solid=True)
    EXIT = Look("E", "green", goal=True)

class State:
    friend: Players(Pos)
    board: Grid(Tile, outside=Tile.WALL) = Tile.FLOOR

def reset(s):
    s.friend[0] = random_cell(ROW < 2)
    s.friend[1] = random_cell(ROW > 1)
    s.board[random_cell(COL == 0)] = Tile.WALL

def step(s, acts):
    for i in players():
        to = try_move(s.friend[i], acts[i].move)
        if to != s.friend[opponent(i)]:
            if manhattan(to, s.friend[opponent(i)]) < manhattan(s.friend[i], s.friend[opponent(i)]):
                reward(0.01)
            s.friend[i] = to
    if s.friend[0] == s.friend[1]:
        win()
