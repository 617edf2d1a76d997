"""Rock (left), paper (up) or scissors (right), both at once: paper beats rock, and so on round."""
game = Game(size=(3, 3), players=2, max_steps=60, skills=["contest", "memory"])

NEED = Param(5, 1, 9, harder="up")

class Hand(Enum):
    ROCK = Look("r", "gray")
    PAPER = Look("p", "white")
    SCISSORS = Look("s", "cyan")

class State:
    shown: Players(Hand) = Hand.ROCK
    points: Players(Int(0, 9)) = 0

def reset(s):
    for i in players():
        s.shown[i] = pick(Hand.ROCK, Hand.PAPER, Hand.SCISSORS)

def beats(a, b):
    rock = a == Hand.ROCK and b == Hand.SCISSORS
    paper = a == Hand.PAPER and b == Hand.ROCK
    return rock or paper or (a == Hand.SCISSORS and b == Hand.PAPER)

def step(s, acts):
    """Who does not choose shows the same hand again."""
    for i in players():
        if acts[i].move == LEFT:
            s.shown[i] = Hand.ROCK
        if acts[i].move == UP:
            s.shown[i] = Hand.PAPER
        if acts[i].move == RIGHT:
            s.shown[i] = Hand.SCISSORS
    for i in players():
        if beats(s.shown[i], s.shown[opponent(i)]):
            s.points[i] += 1
            reward(0.1, i)
            if s.points[i] >= NEED:
                win(i)
