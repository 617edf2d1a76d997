"""Be the first to pick up three coins."""
game = Game(size=(7, 7), max_steps=80, players=2, skills=["contest"])

class Tile(Enum):
    FLOOR = Look(".", "black")
    COIN = Look("c", "gold", item=True)

class State:
    runner: Players(Pos)
    board: Grid(Tile, outside=Tile.FLOOR) = Tile.FLOOR
    purse: Players(Int(0, 9)) = 0

def reset(s):
    s.runner[0] = Pos(0, 3)
    s.runner[1] = Pos(6, 3)
    for k in range(6):
        s.board[random_cell(s.board == Tile.FLOOR and ROW > 0 and ROW < 6)] = Tile.COIN

def step(s, acts):
    for i in players():
        dest = s.runner[i] + acts[i].move
        if inside(dest):
            s.runner[i] = dest
        if s.board[s.runner[i]] == Tile.COIN:
            s.board[s.runner[i]] = Tile.FLOOR
            s.purse[i] += 1
            reward(0.1, i)
    if s.purse[0] >= 3 and s.purse[1] >= 3:
        draw()
    elif s.purse[0] >= 3:
        win(0)
    elif s.purse[1] >= 3:
        win(1)
