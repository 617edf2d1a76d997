"""Turn over two cards at a time: equal ones stay open, others are hidden again; open them all."""
game = Game(size=(4, 4), max_steps=200, verbs=["flip"], skills=["memory"])

KINDS = Param(4, 2, 8, harder="up")

class State:
    cursor: Pos = Pos(1, 1)
    cards: Hidden(Grid(Int(0, 8))) = 0
    faces: Grid(Int(0, 8)) = 0
    turned: Grid(Bool) = False

def reset(s):
    for k in range(16):
        s.cards[random_cell(s.cards == 0)] = k // 2 % KINDS + 1

def step(s, act):
    s.cursor = try_move(s.cursor, act.move)
    if act.flip and s.faces[s.cursor] == 0:
        if count(s.turned) == 2:
            s.faces = where(s.turned, 0, s.faces)
            s.turned = False
        first = total(where(s.turned, s.faces, 0))
        s.faces[s.cursor] = s.cards[s.cursor]
        s.turned = s.turned or at(s.cursor)
        if first == s.cards[s.cursor]:
            s.turned = False
            reward(0.1)
    if all(s.faces > 0) and not any(s.turned):
        win()
