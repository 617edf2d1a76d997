"""The flags of several processes, and what they refuse, before anything is connected."""

from __future__ import annotations

import pathlib

import pytest

from experiments import coevo, train
from experiments._together import Together, decided
from spade_jax import processes
from spade_jax.errors import UserError


def test_a_process_by_itself_decides_for_itself() -> None:
    assert decided(Together(), lambda: "mine") == "mine"
    assert processes.leads() and not processes.together()
    assert processes.share("mine") == "mine" and processes.agreed(lambda: "mine") == "mine"


def test_flags_that_do_not_go_together_are_refused() -> None:
    with pytest.raises(UserError, match="need --coordinator"):
        coevo.main(["--process-id", "1"])
    with pytest.raises(UserError, match="needs --process-id and --processes"):
        coevo.main(["--coordinator", "first:9000"])
    for number, wrong in ((2, r"2 does not lie in 0\.\.1"), (-1, r"-1 does not lie")):
        with pytest.raises(UserError, match=wrong):
            processes.connect("first:9000", number, 2)
    with pytest.raises(UserError, match="is not HOST:PORT"):
        processes.connect("first", 0, 2)


def test_devices_that_are_not_there_are_refused_before_anything_is_written(
    tmp_path: pathlib.Path,
) -> None:
    with pytest.raises(UserError, match="devices is 4096; there are"):
        coevo.main(["--preset", "smoke", "--devices", "4096", "--run-dir", str(tmp_path / "run")])
    assert not (tmp_path / "run").exists()
    program = pathlib.Path(train.__file__).parents[1] / "envs_dsl/library/seeds/camp.py"
    with pytest.raises(UserError, match="devices is 4096"):
        train.main([str(program), "--devices", "4096"])
    with pytest.raises(UserError, match=r"2 programs do not fit into 1 slots.* --learner\.slots"):
        two = [str(program), str(program.with_name("ice.py")), str(program)]
        train.main([*two, "--learner.slots", "1", "--learner.cohort-size", "1"])
    with pytest.raises(UserError, match="devices is 0; it must be at least 1"):
        coevo.main(["--devices", "0"])
