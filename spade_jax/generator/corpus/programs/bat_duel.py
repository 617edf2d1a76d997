"""Two bats hunt moths in the dark. Use your call to hear the moths around you for a moment; your
rival sees them as well. Fly into a moth to catch it; the first with enough of them wins."""
game = Game(size=(9, 9), players=2, max_steps=120, verbs=["use"], skills=["contest", "memory"])

NEED = Param(3, 1, 5, harder="up")
FLUTTER = Param(0.15, 0.0, 0.5, harder="up")
HEARING = Param(3.5, 2.0, 6.0, harder="down")

class Moth(Row):
    place: Hidden(Pos)

class State:
    pos: Players(Pos)
    caught: Players(Int(0, 5)) = 0
    moths: Table(Moth, 4)
    echo: Grid(Bool) = False

def reset(s):
    for i in players():
        s.pos[i] = Pos(randint(3, 5), 1 + 6 * i)
    for k in range(4):
        spawn(s.moths, place=random_cell(COL > 2 and COL < 6))
    s.echo = occupied(s.moths)

def step(s, acts):
    s.echo = False
    for i in players():
        s.pos[i] = try_move(s.pos[i], acts[i].move)
    for m in s.moths:
        if chance(FLUTTER):
            m.place = try_move(m.place, random_dir())
        first = m.place == s.pos[0]
        second = m.place == s.pos[1]
        if first != second:
            lucky = 0 if first else 1
            s.caught[lucky] += 1
            reward(0.15, lucky)
        if first or second:
            m.place = random_cell(not disk(s.pos[0], 2.0) and not disk(s.pos[1], 2.0))
    for i in players():
        if acts[i].use:
            s.echo = s.echo or (occupied(s.moths) and disk(s.pos[i], HEARING))
    ahead = s.caught[0] - s.caught[1]
    if s.caught[0] >= NEED or s.caught[1] >= NEED:
        if ahead == 0:
            draw()
        else:
            win(0 if ahead > 0 else 1)
