"""Stages that misbehave, for the sandbox's tests. ``source`` of the request says how.

Named to the sandbox as ``sandbox_stages:STAGES``. A first, harmless stage runs before the bad one.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import time

from spade_jax.executor import Candidate, Finding
from spade_jax.types import Reason, Stage


def first(candidate: Candidate) -> Finding:
    return Finding(detail={"first": True}, env_steps=7, learned={"program_hash": "feed"})


def second(candidate: Candidate) -> Finding:
    what, _, argument = candidate.request.source.partition(" ")
    return _DEEDS[what](argument)


def _fine(argument: str) -> Finding:
    return Finding(detail={"said": argument}, env_steps=3)


def _reject(argument: str) -> Finding:
    return Finding(Reason.FAULT, {"why": argument}, argument)


def _raise(argument: str) -> Finding:
    raise RuntimeError(argument)


def _hang(argument: str) -> Finding:
    while True:
        time.sleep(0.01)


def _spin(argument: str) -> Finding:
    while True:
        pass


def _deaf(argument: str) -> Finding:
    """Hold the interpreter itself for a while: no other thread and no signal handler runs."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    return Finding(detail={"n": sum(range(10**12))})


def _eat(argument: str) -> Finding:
    kept = []
    while True:
        kept.append(bytearray(os.urandom(1 << 16)) * 64)


def _eat_stubbornly(argument: str) -> Finding:
    """Swallow MemoryError and go on: only somebody outside can end it."""
    kept = []
    while True:
        try:
            kept.append(b"x" * (16 << 20))
        except MemoryError:
            time.sleep(0.01)


def _write(argument: str) -> Finding:
    """Write files here: how many bytes went into one, and how it ended."""
    written, error = 0, ""
    with open("big", "wb", buffering=0) as file:
        try:
            while written < 1 << 30:
                written += file.write(bytes(1 << 20))
        except OSError as problem:
            error = type(problem).__name__
    return Finding(detail={"written": written, "error": error, "folder": os.getcwd()})


def _write_outside(argument: str) -> Finding:
    try:
        with open(argument, "w") as file:
            file.write("out")
    except OSError as problem:
        return Finding(detail={"error": type(problem).__name__})
    return Finding(detail={"error": ""})


def _listing(argument: str) -> Finding:
    return Finding(detail={"files": sorted(os.listdir(".")), "env": sorted(os.environ)})


def _connect(argument: str) -> Finding:
    host, port = argument.split(":")
    try:
        with socket.create_connection((host, int(port)), timeout=5):
            return Finding(detail={"error": ""})
    except OSError as problem:
        return Finding(detail={"error": type(problem).__name__})


def _fork(argument: str) -> Finding:
    """Start children that sleep, one of them in a session of its own, and say their numbers."""
    children = []
    for new_session in (False, True):
        try:
            pid = os.fork()
        except OSError as problem:
            return Finding(detail={"error": type(problem).__name__, "children": children})
        if pid == 0:
            if new_session:
                os.setsid()
            time.sleep(600)
            os._exit(0)
        children.append(pid)
    if argument:
        with open(argument, "w") as file:
            file.write(" ".join(map(str, children)))
        time.sleep(600)
    return Finding(detail={"error": "", "children": children})


def _garbage(argument: str) -> Finding:
    print("garbage" * 100_000)
    sys.stdout.flush()
    os.write(1, b'{"verdict": {"ok": true}}\n' * 10_000)
    os.write(2, b"more garbage\n" * 10_000)
    return Finding(detail={"printed": True})


def _forge(argument: str) -> Finding:
    """Write ``argument`` to every pipe this process holds."""
    for handle in range(3, 64):
        try:
            os.write(handle, argument.encode())
        except OSError:
            continue
    time.sleep(600)
    return Finding()


def _flood(argument: str) -> Finding:
    while True:
        _forge_once()


def _forge_once() -> None:
    for handle in range(3, 64):
        try:
            os.write(handle, b"x" * (1 << 20))
        except OSError:
            continue


def _giant(argument: str) -> Finding:
    return Finding(detail={"giant": "x" * (8 << 20)})


def _not_json(argument: str) -> Finding:
    return Finding(detail={"value": float("nan") if argument == "nan" else object()})


def _kill_self(argument: str) -> Finding:
    os.kill(os.getpid(), getattr(signal, argument))
    time.sleep(600)
    return Finding()


def _exit(argument: str) -> Finding:
    os._exit(int(argument))


def _announce(argument: str) -> Finding:
    """Say in a file of the private folder that the stage is running, then wait."""
    with open("running", "w") as file:
        file.write(str(os.getpid()))
    time.sleep(600)
    return Finding()


_DEEDS = {
    "announce": _announce,
    "connect": _connect,
    "deaf": _deaf,
    "eat": _eat,
    "eat_stubbornly": _eat_stubbornly,
    "exit": _exit,
    "fine": _fine,
    "flood": _flood,
    "forge": _forge,
    "fork": _fork,
    "garbage": _garbage,
    "giant": _giant,
    "hang": _hang,
    "kill_self": _kill_self,
    "listing": _listing,
    "not_json": _not_json,
    "raise": _raise,
    "reject": _reject,
    "spin": _spin,
    "write": _write,
    "write_outside": _write_outside,
}

STAGES = ((Stage.PARSE, first), (Stage.SMOKE, second))
