"""Cross eight lanes of cars again and again; a car that hits you sends you back."""
game = Game(size=(10, 10), max_steps=2500, skills=["avoidance"])

# gymnax Freeway-MinAtar. STAY, UP and DOWN are its actions 0, 1 and 2.
# A crossing pays 1/128 where the original pays 1.

# Crossings that win. The original has no win: 1000, more than the steps allow, plays it as it is.
GOAL = Param(1000, 1, 1000, harder="up")

class Car(Row):
    pos: Pos
    speed: Int(-5, 5)
    timer: Int(0, 5)

class State:
    walker: Pos
    rest: Int(0, 3) = 3
    crossed: Int(0, 1000) = 0
    cars: Table(Car, 8)

def pace(draw_of_ten):
    return draw_of_ten - 5 if draw_of_ten < 5 else draw_of_ten - 4

def reset(s):
    s.walker = Pos(9, 4)
    for lane in range(8):
        speed = pace(randint(0, 9))
        spawn(s.cars, pos=Pos(lane + 1, 0), speed=speed, timer=abs(speed))

def step(s, act):
    if s.rest == 0 and (act.move == UP or act.move == DOWN):
        s.rest = 3
        if inside(s.walker + act.move):
            s.walker += act.move
    across = s.walker.row == 0
    if across:
        s.walker = Pos(9, 4)
        s.crossed += 1
        reward(0.0078125)
        if s.crossed >= GOAL:
            win()
    hit = any_at(s.cars, s.walker)
    for car in s.cars:
        speed = pace(randint(0, 9)) if across else car.speed
        timer = abs(speed) if across else car.timer
        rolls = timer == 0
        car.speed = speed
        car.timer = abs(speed) if rolls else timer - 1
        if rolls:
            col = car.pos.col + sign(speed)
            car.pos.col = 9 if col < 0 else 0 if col > 9 else col
    if hit or any_at(s.cars, s.walker):
        s.walker = Pos(9, 4)
    s.rest -= 1
