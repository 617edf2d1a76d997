"""Checkpoints are bit-exact, and either whole or not there."""

import collections
import errno
import json
import logging
import os
import random
import shutil
import signal
import subprocess
import sys
import textwrap
import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from spade_jax import checkpoint
from spade_jax.checkpoint import CheckpointError, best, damage, latest, restore, save
from spade_jax.manifest import write_manifest

Pair = collections.namedtuple("Pair", "a b")
PAYLOADS = np.array([0x7FC00001, 0xFFC12345, 0x7F800001, 0x80000000, 1], np.uint32)


def _state(scale=1):
    return {
        "net": Pair(jnp.arange(6.0).reshape(2, 3) * scale, [jnp.int32(-5), jnp.uint32(2**32 - 1)]),
        "nan": PAYLOADS.view(np.float32),
        "nan_jax": jnp.asarray(PAYLOADS.view(np.float32)),
        "flags": jnp.array([[True], [False]]),
        "bytes": np.arange(5, dtype=np.uint8),
        "half": jnp.ones(3, jnp.bfloat16),
        "none_yet": jnp.zeros((0, 7), jnp.int32),
        "nobody": np.zeros((2, 0), np.float32),
        "opponents": (),
        "nothing": None,
        "key": jax.random.key(3),
        "keys": jax.random.split(jax.random.key(4), (2, 3)),
        "no_keys": jax.random.split(jax.random.key(4), 2)[:0],
    }


def _bits(leaf):
    if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        leaf = jax.random.key_data(leaf)
    array = np.asarray(leaf)
    return array.dtype, array.shape, array.tobytes()


def _same(left, right):
    assert jax.tree.structure(left) == jax.tree.structure(right)
    for a, b in zip(jax.tree.leaves(left), jax.tree.leaves(right), strict=True):
        assert _bits(a) == _bits(b)
        assert isinstance(b, np.ndarray | np.generic) == isinstance(a, np.ndarray | np.generic)


def _zeros():
    def zero(leaf):
        if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            return leaf
        return np.zeros_like(leaf) if isinstance(leaf, np.ndarray) else jnp.zeros_like(leaf)

    return jax.tree.map(zero, _state())


def test_everything_comes_back_bit_for_bit(tmp_path):
    meta = {"pool": [1, {"x": None}], "rate": 0.1 + 0.2, "text": "ä"}
    path = save(tmp_path, 12, _state(), meta)
    restored = restore(tmp_path, _zeros())
    _same(_state(), restored.arrays)
    assert isinstance(restored.arrays["net"], Pair)
    assert (restored.step, restored.meta, restored.path) == (12, meta, path)
    assert restored.notices == ()
    keys = restored.arrays["keys"]
    assert jnp.array_equal(
        jax.random.uniform(keys[1, 2]), jax.random.uniform(_state()["keys"][1, 2])
    )


def test_shapes_are_target_enough(tmp_path):
    save(tmp_path, 0, _state(), {})
    restored = restore(tmp_path, jax.eval_shape(_state))
    for a, b in zip(jax.tree.leaves(_state()), jax.tree.leaves(restored.arrays), strict=True):
        assert _bits(a) == _bits(b)


@settings(max_examples=15, deadline=None)
@given(
    st.dictionaries(
        st.text(min_size=1, max_size=4),
        hnp.arrays(
            st.sampled_from([np.bool_, np.int32, np.uint32, np.float32, np.uint8]),
            hnp.array_shapes(min_dims=0, min_side=0, max_side=4),
        ),
        max_size=4,
    )
)
def test_any_arrays_come_back(tmp_path_factory, arrays):
    folder = tmp_path_factory.mktemp("any")
    save(folder, 0, arrays, {})
    _same(arrays, restore(folder, arrays).arrays)


@pytest.mark.parametrize("leaf", [1.5, "text", np.array(["a", None], object)])
def test_what_is_no_array_is_refused_by_name(tmp_path, leaf):
    with pytest.raises(TypeError, match=r"\['a'\]\['b'\].*use meta"):
        save(tmp_path, 0, {"a": {"b": leaf}}, {})
    assert latest(tmp_path) is None


def test_another_structure_is_refused(tmp_path):
    save(tmp_path, 0, {"w": np.zeros((2, 3), np.float32)}, {})
    with pytest.raises(CheckpointError, match=r"\['w'\] is float32\[2, 3\], this run has"):
        restore(tmp_path, {"w": np.zeros((2, 4), np.float32)})
    with pytest.raises(CheckpointError, match="has 1 arrays, this run has 2"):
        restore(tmp_path, {"w": np.zeros((2, 3), np.float32), "x": np.zeros(1)})


def test_the_last_few_and_the_best_are_kept(tmp_path):
    for step, score in enumerate([0.1, 0.9, 0.2, None, 0.3, 0.4]):
        save(tmp_path, step, {}, {"step": step}, keep=2, score=score)
    assert sorted(os.listdir(tmp_path)) == ["step_00000001", "step_00000004", "step_00000005"]
    assert best(tmp_path).name == "step_00000001"
    assert restore(tmp_path, {}, path=best(tmp_path)).meta == {"step": 1}
    assert latest(tmp_path).name == "step_00000005"


def test_a_checkpoint_without_a_score_is_never_the_best(tmp_path):
    for step, facts in enumerate(({}, {"score": "x"}, {"score": 0.5}, {"score": [9]})):
        folder = tmp_path / f"step_{step:08d}"
        folder.mkdir()
        write_manifest(folder, {"step": step, "leaves": [], **facts})
    assert best(tmp_path).name == "step_00000002"


def test_a_resumed_run_replaces_later_steps(tmp_path):
    for step in range(4):
        save(tmp_path, step, {}, {"run": 1}, keep=9)
    save(tmp_path, 2, {}, {"run": 2}, keep=9)
    restored = restore(tmp_path, {})
    assert (restored.step, restored.meta) == (2, {"run": 2})
    assert len(os.listdir(tmp_path)) == 3


def _files(path):
    return sorted(p for p in path.rglob("*") if p.is_file() and p.stat().st_size)


def test_a_flipped_byte_in_any_file_is_found(tmp_path):
    arrays = {"w": np.arange(100, dtype=np.float32)}
    save(tmp_path, 1, arrays, {"n": 1})
    path = save(tmp_path, 2, arrays, {"n": 2})
    rng = random.Random(0)
    for file in _files(path):
        content = file.read_bytes()
        position = rng.randrange(len(content))
        flipped = bytearray(content)
        flipped[position] ^= 1 << rng.randrange(8)
        file.write_bytes(flipped)
        assert damage(path)
        restored = restore(tmp_path, arrays)
        assert restored.step == 1
        assert len(restored.notices) == 1
        assert "step_00000002 is damaged" in restored.notices[0]
        assert "\n" not in restored.notices[0]
        file.write_bytes(content)
    assert damage(path) is None


@pytest.mark.parametrize("how", ["missing", "truncated", "extra", "no manifest"])
def test_other_damage_is_found_and_named(tmp_path, how):
    arrays = {"w": np.arange(100, dtype=np.float32)}
    path = save(tmp_path, 1, arrays, {})
    file = _files(path / "arrays")[-1]
    if how == "missing":
        file.unlink()
    elif how == "truncated":
        file.write_bytes(file.read_bytes()[:-1])
    elif how == "extra":
        (path / "arrays" / "stray").write_text("x")
    else:
        (path / "manifest.json").unlink()
    with pytest.raises(CheckpointError, match="no undamaged checkpoint: checkpoint step_00000001"):
        restore(tmp_path, arrays)
    assert latest(tmp_path) is None


def test_nothing_there_is_said(tmp_path):
    with pytest.raises(CheckpointError, match="no checkpoint"):
        restore(tmp_path, {})
    with pytest.raises(FileNotFoundError, match="no such checkpoint folder"):
        restore(tmp_path / "absent", {})


class Killed(BaseException):
    pass


def test_a_stop_at_any_point_of_saving_keeps_the_one_before(tmp_path, monkeypatch):
    arrays = {"w": np.arange(10, dtype=np.float32)}
    save(tmp_path, 1, arrays, {"n": 1})
    real = {name: getattr(os, name) for name in ("fsync", "rename", "mkdir")}
    calls, stop_at = 0, 0

    def counted(name):
        def call(*args, **kwargs):
            nonlocal calls
            calls += 1
            if calls == stop_at:
                raise Killed
            return real[name](*args, **kwargs)

        return call

    for name in real:
        monkeypatch.setattr(os, name, counted(name))
    outcomes = []
    for stop_at in range(1, 200):  # noqa: B007 (read by `counted`)
        calls = 0
        try:
            save(tmp_path, 2, arrays, {"n": 2})
        except Killed:
            outcomes.append(restore(tmp_path, arrays).step)
        else:
            break
    assert len(outcomes) > 10
    assert set(outcomes[:-1]) == {1}  # the very last sync comes after the rename
    assert restore(tmp_path, arrays).step == 2


def test_a_full_disk_leaves_no_half_checkpoint(tmp_path):
    # A file size limit stands in for a full disk.
    script = f"""
        import resource
        import numpy as np
        from spade_jax.checkpoint import restore, save
        folder = {str(tmp_path)!r}
        small = {{"w": np.zeros(4, np.float32)}}
        big = {{"w": np.random.default_rng(0).random(500_000).astype(np.float32)}}
        save(folder, 1, small, {{}})
        for limit in (0, 100, 100_000):
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
            try:
                save(folder, 2, big, {{}})
            except OSError as error:
                resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
                print("refused", restore(folder, small).step, "\\n" in str(error))
        save(folder, 2, big, {{}})
        print("saved", restore(folder, big).step)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["refused 1 False"] * 3 + ["saved 2"]
    assert sorted(os.listdir(tmp_path)) == ["step_00000001", "step_00000002"]


@pytest.mark.parametrize("found_out", ["before", "by orbax"])
def test_a_full_disk_is_said_and_nothing_else(tmp_path, monkeypatch, capfd, found_out):
    if found_out == "before":
        usage = shutil.disk_usage(tmp_path)._replace(free=10)
        monkeypatch.setattr(checkpoint.shutil, "disk_usage", lambda path: usage)
    else:

        def write(*_, **__):
            logging.getLogger("absl").error("a long story")
            raise ValueError("RESOURCE_EXHAUSTED: 'x': No space left on device [code='28']")

        monkeypatch.setattr("orbax.checkpoint.Checkpointer.save", write)
    with pytest.raises(OSError, match="No space left on device") as caught:
        save(tmp_path, 0, {"a": np.ones(100)}, {})
    assert caught.value.errno == errno.ENOSPC
    assert capfd.readouterr() == ("", "")
    assert os.listdir(tmp_path) == [] and not checkpoint.exists(tmp_path)


def test_sigkill_at_random_moments_loses_nothing_saved(tmp_path):
    script = f"""
        import itertools, sys
        import numpy as np
        from spade_jax.checkpoint import save
        arrays = lambda n: {{str(i): np.full(20_000, n, np.int32) for i in range(8)}}
        print("ready", flush=True)
        for step in itertools.count(int(sys.argv[1])):
            save({str(tmp_path)!r}, step, arrays(step), {{"n": step}}, keep=2)
            print(step, flush=True)
    """
    target = {str(i): np.zeros(20_000, np.int32) for i in range(8)}
    rng = random.Random(1)
    first = 0
    for _ in range(5):
        child = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(script), str(first)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert child.stdout.readline() == "ready\n"
        said = child.stdout.readline()  # at least one save
        time.sleep(rng.uniform(0.0, 0.25))
        child.send_signal(signal.SIGKILL)
        lines = [said, *child.stdout.read().splitlines()]
        child.wait()
        done = max(int(line) for line in lines if line.strip().isdigit())
        restored = restore(tmp_path, target)
        assert restored.step >= done
        assert restored.notices == ()
        assert restored.meta == {"n": restored.step}
        assert all((leaf == restored.step).all() for leaf in restored.arrays.values())
        first = restored.step + 1
    save(tmp_path, first, target, {}, keep=2)
    assert len(os.listdir(tmp_path)) == 2  # what the killed left half done is gone


def test_ten_megabytes_take_less_than_a_second(tmp_path):
    rng = np.random.default_rng(0)
    arrays = {str(i): jnp.asarray(rng.random((100, 250), np.float32)) for i in range(100)}
    save(tmp_path, 0, arrays, {})  # imports orbax
    took = []
    for step in range(1, 4):
        start = time.perf_counter()
        save(tmp_path, step, arrays, {})
        took.append(time.perf_counter() - start)
    assert min(took) < 1.0


def test_the_manifest_describes_the_leaves(tmp_path):
    path = save(tmp_path, 3, {"a": np.zeros((2, 0), np.int32)}, {}, score=0.5)
    facts = json.loads((path / "manifest.json").read_text().splitlines()[0])
    assert facts["step"] == 3 and facts["score"] == 0.5
    leaf = {"name": "['a']", "kind": "array", "dtype": "int32", "shape": [2, 0]}
    assert facts["leaves"] == [leaf]
    assert checkpoint.damage(path) is None


def test_a_meta_part_that_the_target_cannot_be_made_of_is_said(tmp_path):
    save(tmp_path, 1, {}, {"slots": 3})
    with pytest.raises(CheckpointError, match="another configuration: 'cohorts'"):
        restore(tmp_path, lambda meta: meta["cohorts"])


def test_the_target_may_depend_on_the_meta_part(tmp_path):
    save(tmp_path, 0, {"w": np.arange(3, dtype=np.int32)}, {"size": 3})
    restored = restore(tmp_path, lambda meta: {"w": np.zeros(meta["size"], np.int32)})
    assert restored.arrays["w"].tolist() == [0, 1, 2]
