"""Guess the code of four pegs: you are told how many are right, and how many right elsewhere."""
game = Game(size=(8, 6), max_steps=200, verbs=["use"], skills=["puzzle", "memory"])

COLOURS = Param(4, 2, 6, harder="up")

class State:
    cursor: Pos = Pos(0, 0)
    code: Hidden(Array(Int(1, 6), 4))
    pegs: Grid(Int(0, 6)) = 0

def reset(s):
    for k in range(4):
        s.code[k] = randint(1, COLOURS)

def step(s, act):
    """Up and down change the peg; columns 4 and 5 hold the answers."""
    row = s.cursor.row
    if act.move == LEFT or act.move == RIGHT:
        s.cursor = Pos(row, clip(s.cursor.col + (1 if act.move == RIGHT else -1), 0, 3))
    if act.move == UP:
        s.pegs[s.cursor] = s.pegs[s.cursor] % COLOURS + 1
    if act.move == DOWN:
        s.pegs[s.cursor] = (s.pegs[s.cursor] - 2) % COLOURS + 1
    guess = ROW == row and COL < 4
    if act.use and not any(guess and s.pegs == 0):
        right = 0
        shared = 0
        for k in range(4):
            right += 1 if s.pegs[Pos(row, k)] == s.code[k] else 0
        for colour in range(1, 7):
            held = 0
            for k in range(4):
                held += 1 if s.code[k] == colour else 0
            shared += min(held, count(guess and s.pegs == colour))
        s.pegs[Pos(row, 4)] = right
        s.pegs[Pos(row, 5)] = shared - right
        s.cursor = Pos(row + 1, 0)
        reward(0.02 * right)
        if right == 4:
            win()
        elif row == 7:
            lose()
