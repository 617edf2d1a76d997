"""Turn (left, right) and fly (up) your drone and take pictures (use): whoever is close before the
camera is counted. Count all people before the film is used up."""
game = Game(size=(11, 11), max_steps=120, verbs=["use"], skills=["continuous"])

PEOPLE = Param(5, 2, 8, harder="up")
FILM = Param(8, 5, 14, harder="down")
STROLL = Param(0.25, 0.0, 0.6, harder="up")

class Person(Row):
    pos: Pos

class State:
    drone: Vec2(-5.4, 5.4)
    drift: Vec2(-0.8, 0.8)
    heading: Float(0.0, 6.2832) = 0.0
    film: Int(0, 14) = 8
    people: Table(Person, 8)
    seen: Grid(Bool) = False

def ahead(drone, heading):
    """The field of view: a circle before the drone."""
    return disk(cell(drone + 1.5 * unit(heading)), 1.6)

def reset(s):
    s.drone = Vec2(0.0, 0.0)
    s.heading = uniform(0.0, 6.2832)
    for k in range(8):
        if k < PEOPLE:
            spawn(s.people, pos=random_cell(not occupied(s.people) and not disk(Pos(5, 5), 2.0)))
    s.film = FILM
    s.seen = ahead(s.drone, s.heading)

def step(s, act):
    turn = 0.5 if act.move == RIGHT else -0.5 if act.move == LEFT else 0.0
    s.heading = (s.heading + turn) % 6.2832
    if act.move == UP:
        s.drift += 0.3 * unit(s.heading)
    s.drift = 0.75 * s.drift
    s.drone += s.drift
    s.seen = ahead(s.drone, s.heading)
    shot = act.use and s.film > 0
    if shot:
        s.film -= 1
    for p in s.people:
        if shot and s.seen[p.pos]:
            kill(p)
            reward(0.1)
        elif chance(STROLL):
            p.pos = try_move(p.pos, random_dir())
    if count_alive(s.people) == 0:
        win()
    elif s.film == 0:
        lose()

def view(s):
    disc(s.drone, 0.4, 0)
    bar(s.drone, s.drone + 1.5 * unit(s.heading), "white")
