"""What programs mean: tables and their rows. Expected values are worked out by hand."""

from __future__ import annotations

from small_programs import (
    DOWN,
    LEFT,
    RIGHT,
    STAY,
    UP,
    field,
    play,
    program,
)

from envs_dsl.backends import State


def table(state: State, name: str = "bats") -> list[tuple[int, int, int] | None]:
    """Rows of copy 0 as (row, col, life); None where not in use, and then all zero."""
    columns = state.fields[name]
    rows: list[tuple[int, int, int] | None] = []
    for alive, pos, life in zip(columns["alive"][0], columns["pos"][0], columns["life"][0]):
        if not alive:
            assert pos.tolist() == [0, 0] and life == 0
        rows.append((int(pos[0]), int(pos[1]), int(life)) if alive else None)
    return rows


def test_spawn_fills_the_lowest_free_row_until_the_table_is_full() -> None:
    state, _ = play(
        program(
            "bats: Table(Bat, 3)\nfirst: Bool\nfourth: Bool = True",
            """
            s.first = spawn(s.bats, pos=Pos(0, 1))
            spawn(s.bats, pos=Pos(0, 2), life=50)
            spawn(s.bats, pos=Pos(90, 3))
            for b in s.bats:
                if b.pos.col == 2:
                    kill(b)
            spawn(s.bats, life=4, pos=Pos(1, 0))
            s.fourth = spawn(s.bats, pos=Pos(2, 2))
            """,
        )
    )
    # the freed row 1 is filled again; columns not named take their init; stores saturate
    assert table(state) == [(0, 1, 3), (1, 0, 4), (5, 3, 3)]
    assert field(state, "first") and not field(state, "fourth")


def test_newborns_wait_and_the_dead_are_passed_over() -> None:
    # rows 0, 1, 2 are alive; the visit of row 0 spawns into row 3; row 1 kills itself, and the
    # newborn that takes its place waits as well
    state, _ = play(
        program(
            "bats: Table(Bat, 4)\nvisits: Int(0, 99)\nseen: Int(0, 9999)",
            """
            for b in s.bats:
                s.visits += 1
                s.seen = s.seen * 10 + b.life
                if b.life == 1:
                    spawn(s.bats, pos=Pos(0, 0), life=7)
                if b.life == 2:
                    kill(b)
                    b.life = 5
                    spawn(s.bats, pos=Pos(0, 1), life=8)
            """,
            """
            for i in range(3):
                spawn(s.bats, pos=Pos(2, i), life=i + 1)
            """,
        )
    )
    assert field(state, "visits") == 3 and field(state, "seen") == 123
    life = state.fields["bats"]["life"][0].tolist()
    assert life == [1, 8, 3, 7] and state.fields["bats"]["alive"][0].all()


def test_a_killed_row_is_zero_even_when_stored_to() -> None:
    state, _ = play(
        program(
            "bats: Table(Bat, 2)\ngone: Bool\nlife: Int(0, 9) = 9",
            """
            for b in s.bats:
                if b.life == 3:
                    kill(b)
                    b.life = 9
                    b.pos = Pos(1, 1)
                    s.gone = not alive(b)
                    s.life = b.life
            """,
            "spawn(s.bats, pos=Pos(2, 2))\nspawn(s.bats, pos=Pos(2, 3), life=4)",
        )
    )
    assert table(state) == [None, (2, 3, 4)]
    assert field(state, "gone") and field(state, "life") == 0


def test_killing_a_row_in_an_inner_loop_ends_its_visit_in_the_outer_one() -> None:
    state, _ = play(
        program(
            "bats: Table(Bat, 3)\nvisits: Int(0, 9)",
            """
            for a in s.bats:
                s.visits += 1
                for b in s.bats:
                    if b.life == a.life + 1:
                        kill(b)
            """,
            "for i in range(3):\n    spawn(s.bats, pos=Pos(2, i), life=i + 1)",
        )
    )
    # row 0 kills row 1 (life 2); row 1 is passed over; row 2 (life 3) finds none
    assert field(state, "visits") == 2 and table(state) == [(2, 0, 1), None, (2, 2, 3)]


def test_rows_act_in_order_and_see_what_earlier_rows_did() -> None:
    state, _ = play(
        program(
            "bats: Table(Bat, 3)\nwhere_to: Pos",
            """
            for b in s.bats:
                if not any_at(s.bats, b.pos + RIGHT):
                    b.pos = b.pos + RIGHT
                    b.pos.row += 1
            s.where_to = Pos(count_within(s.bats, Pos(1, 1), 1), 0)
            """,
            "for i in range(3):\n    spawn(s.bats, pos=Pos(0, i))",
        )
    )
    # only the last one has room; the others were blocked when it was their turn
    assert [row[:2] if row else None for row in table(state)] == [(0, 0), (0, 1), (1, 3)]
    assert field(state, "where_to") == [2, 0]


def test_table_builtins() -> None:
    reset = (
        "spawn(s.bats, pos=Pos(0, 3))\nspawn(s.bats, pos=Pos(2, 1))\nspawn(s.bats, pos=Pos(-1, 0))"
    )
    state, _ = play(
        program(
            "bats: Table(Bat, 4)\ntaken: Grid(Bool)\nat_it: Bool\nnot_at: Bool\nnear: Int(0, 9)\n"
            "to: Dir\ntie: Dir\nnone: Table(Bat, 2)\nstay: Dir = UP",
            """
            s.taken = occupied(s.bats)
            s.at_it = any_at(s.bats, Pos(2, 1)) and any_at(s.bats, Pos(-1, 0))
            s.not_at = any_at(s.bats, Pos(0, 0))
            s.near = count_within(s.bats, Pos(1, 2), 1)
            s.to = nearest_dir(s.bats, Pos(2, 3))
            s.tie = nearest_dir(s.bats, Pos(1, 2))
            s.stay = nearest_dir(s.none, Pos(1, 2))
            if s.t > 5:
                spawn(s.none, pos=Pos(0, 0))
            """,
            reset,
        )
    )
    # the row off the board occupies no cell, and a row that is not in use is nowhere
    assert field(state, "taken") == [[False] * 3 + [True], [False] * 4, [False, True, False, False]]
    assert field(state, "at_it") and not field(state, "not_at") and field(state, "near") == 2
    # from (2, 3) both (0, 3) and (2, 1) are 2 away: the lower row is first, so up
    assert field(state, "to") == UP
    # from (1, 2) rows 0 and 1 are 2 away: toward (0, 3), rows first
    assert field(state, "tie") == UP and field(state, "stay") == STAY


def test_try_move_stays_before_walls_and_the_rim() -> None:
    step = "s.p = try_move(s.p, act.move)"
    reset = "s.board[Pos(0, 1)] = Tile.WALL\ns.board[Pos(1, 0)] = Tile.EXIT"
    fields = "p: Pos\nboard: Grid(Tile, outside=Tile.FLOOR) = Tile.FLOOR"
    state, _ = play(program(fields, step, reset), [[STAY, UP, DOWN, LEFT, RIGHT]], copies=5)
    assert state.fields["p"].tolist() == [[0, 0], [0, 0], [1, 0], [0, 0], [0, 0]]
    state, _ = play(program("p: Pos", step), [[UP, DOWN, RIGHT]], copies=3)
    assert state.fields["p"].tolist() == [[0, 0], [1, 0], [0, 1]]
