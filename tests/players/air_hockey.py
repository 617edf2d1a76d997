"""Gets behind the puck and drives it forward; the loser hides in a corner."""


def win(s, seat):
    forward = 1 if seat == 0 else -1
    ahead, across = (s.puck[0] - s.mallet[seat][0]) * forward, s.puck[1] - s.mallet[seat][1]
    on_my_side = s.puck[0] * forward < 0.5
    toward, back = ("RIGHT", "LEFT") if seat == 0 else ("LEFT", "RIGHT")
    if not on_my_side:
        return back if s.mallet[seat][0] * forward > -4 else "STAY"
    if ahead < 0.6:
        return back
    if abs(across) > 0.3:
        return "DOWN" if across > 0 else "UP"
    return toward


def lose(s, seat):
    return "UP" if s.mallet[seat][1] > -3 else ("LEFT" if seat == 0 else "RIGHT")
