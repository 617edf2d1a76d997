"""In turn take one, two or three matches (left, up, right); who takes the last one wins."""
game = Game(size=(3, 10), players=2, turns="alternate", max_steps=40, skills=["contest", "puzzle"])

MATCHES = Param(18, 8, 28, harder="up")

class State:
    left: Int(0, 30) = 0
    matches: Grid(Bool) = False

def reset(s):
    s.left = MATCHES + randint(-2, 2)
    s.matches = 10 * ROW + COL < s.left

def step(s, act):
    """Any other action takes one match."""
    s.left -= 2 if act.move == UP else 3 if act.move == RIGHT else 1
    s.matches = s.matches and 10 * ROW + COL < s.left
    if s.left == 0:
        win(s.turn)
