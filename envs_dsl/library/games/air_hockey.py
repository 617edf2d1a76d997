"""Strike the puck with your mallet into the goal behind your rival; enough goals win."""
game = Game(size=(8, 14), players=2, max_steps=300, skills=["contest", "continuous"])

NEED = Param(2, 1, 5, harder="up")
MOUTH = Param(2.0, 1.0, 3.5, harder="down")
DRAG = Param(0.99, 0.9, 1.0, harder="up")

class State:
    mallet: Players(Vec2(-7.0, 7.0))
    puck: Vec2(-7.0, 7.0)
    drift: Vec2(-0.9, 0.9)
    goals: Players(Int(0, 5)) = 0

def reset(s):
    s.mallet[0] = Vec2(-5.0, 0.0)
    s.mallet[1] = Vec2(5.0, 0.0)
    s.drift = 0.3 * unit(uniform(0.0, 6.2832))

def step(s, acts):
    for i in players():
        push = 0.4 * vec(acts[i].move)
        spot = s.mallet[i] + push
        side = -1.0 if i == 0 else 1.0
        s.mallet[i] = Vec2(side * clip(side * spot.x, 0.5, 6.5), clip(spot.y, -3.5, 3.5))
        gap = s.puck - s.mallet[i]
        if length(gap) < 1.0:
            n = normalize(gap)
            s.puck = s.mallet[i] + n
            s.drift += (max(dot(push - s.drift, n), 0.0) + 0.1) * n
    s.puck += s.drift
    s.drift = DRAG * s.drift
    if abs(s.puck.y) > 3.7:
        s.puck = Vec2(s.puck.x, clip(s.puck.y, -3.7, 3.7))
        s.drift = Vec2(s.drift.x, -s.drift.y)
    if abs(s.puck.x) > 6.7:
        scorer = 0 if s.puck.x > 0.0 else 1
        if abs(s.puck.y) < MOUTH:
            s.goals[scorer] += 1
            reward(0.2, scorer)
            s.puck = Vec2(0.0, 0.0)
            s.drift = 0.3 * unit(uniform(0.0, 6.2832))
            if s.goals[scorer] >= NEED:
                win(scorer)
        else:
            s.puck = Vec2(clip(s.puck.x, -6.7, 6.7), s.puck.y)
            s.drift = Vec2(-s.drift.x, s.drift.y)

def view(s):
    bar(Vec2(-7.0, -MOUTH), Vec2(-7.0, MOUTH), "red")
    bar(Vec2(7.0, -MOUTH), Vec2(7.0, MOUTH), "red")
    disc(s.puck, 0.3, "white")
    for i in players():
        disc(s.mallet[i], 0.7, i)
