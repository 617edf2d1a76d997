"""Fills the van, then serves the nearest house that waits."""

from players import cell, goto


def win(s):
    here, road = s.board[cell(s.van)], s.board != "#"
    full = min(s.VAN, (s.board == "h").sum())
    if here == "D" and s.parcels < full:
        return "take"
    if here == "h" and s.parcels:
        return "drop"
    return goto(s.van, road, s.board == ("h" if s.parcels else "D"))


def lose(s):
    """Drives past the depot and comes with nothing."""
    return "drop" if s.board[cell(s.van)] == "h" else goto(s.van, s.board != "#", s.board == "h")
