"""Throw the die as often as you dare: a one loses the pot and the turn, any move banks the pot."""
game = Game(size=(3, 3), players=2, turns="alternate", max_steps=200, verbs=["throw"],
            skills=["contest"])

GOAL = Param(30, 10, 100, harder="up")

class State:
    die: Int(0, 6) = 0
    pot: Int(0, 100) = 0
    bank: Players(Int(0, 200)) = 0

def reset(s):
    s.die = 0

def step(s, act):
    """The first to have the goal in the bank wins."""
    if act.throw:
        s.die = randint(1, 6)
        if s.die == 1:
            s.pot = 0
        else:
            s.pot += s.die
            again()
    else:
        s.bank[s.turn] += s.pot
        s.pot = 0
        if s.bank[s.turn] >= GOAL:
            win(s.turn)
