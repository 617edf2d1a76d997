"""Three ways Linux lets a process give up rights for good: namespaces, Landlock, seccomp.

All are asked for through ``ctypes``, need no privileges on a current kernel, and hold for the
calling thread and everything it starts afterwards: call them before any other thread exists.
Each function returns "" on success or one line saying why not.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys
from collections.abc import Sequence

__all__ = ["deny_writes_outside", "die_with_parent", "leave_network", "seccomp"]

_CLONE_NEWNET = 0x40000000
_CLONE_NEWUSER = 0x10000000
_PR_SET_PDEATHSIG = 1
_PR_SET_SECCOMP = 22
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _why() -> str:
    return os.strerror(ctypes.get_errno())


def _prctl(option: int, value: int) -> bool:
    unsigned = ctypes.c_ulong
    return _libc().prctl(option, unsigned(value), unsigned(0), unsigned(0), unsigned(0)) == 0


def die_with_parent() -> str:
    """Be killed when the parent dies; adopt orphaned grandchildren, so that they can be found."""
    if sys.platform != "linux":
        return f"{sys.platform} has no parent-death signal"
    if not _prctl(_PR_SET_PDEATHSIG, 9) or not _prctl(_PR_SET_CHILD_SUBREAPER, 1):
        return _why()
    return ""


def leave_network() -> str:
    """Move into an empty network namespace (through a user namespace where not privileged)."""
    if sys.platform != "linux":
        return f"{sys.platform} has no network namespaces"
    libc = _libc()
    if libc.unshare(_CLONE_NEWNET) == 0:
        return ""
    uid, gid = os.getuid(), os.getgid()
    if libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET) != 0:
        return f"a network namespace is refused ({_why()})"
    maps = {"setgroups": "deny", "uid_map": f"{uid} {uid} 1", "gid_map": f"{gid} {gid} 1"}
    for name, text in maps.items():
        try:
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
        except OSError as error:
            return f"/proc/self/{name}: {error.strerror}"
    return ""


# Landlock: rights by the version of the kernel's interface that introduced them.
_WRITE_FILE, _TRUNCATE = 1 << 1, 1 << 14
_WRITE_RIGHTS = _WRITE_FILE | sum(1 << bit for bit in range(4, 13))  # remove_*, make_*
_REFER = 1 << 13
_SCOPE_SIGNAL = 1 << 1
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446


def deny_writes_outside(folders: Sequence[str]) -> str:
    """Allow creating, changing and removing files only beneath ``folders`` (Landlock)."""
    if sys.platform != "linux":
        return f"{sys.platform} has no Landlock"
    libc = _libc()
    abi = libc.syscall(_CREATE_RULESET, None, 0, 1)
    if abi < 1:
        return f"the kernel has no Landlock ({_why()})"
    rights = _WRITE_RIGHTS | (_REFER if abi >= 2 else 0) | (_TRUNCATE if abi >= 3 else 0)
    attributes = struct.pack("<QQQ", rights, 0, _SCOPE_SIGNAL if abi >= 6 else 0)
    size = 24 if abi >= 6 else 8
    ruleset = libc.syscall(_CREATE_RULESET, ctypes.create_string_buffer(attributes), size, 0)
    if ruleset < 0:
        return f"Landlock refuses a rule set ({_why()})"
    try:
        allowed = [(folder, rights) for folder in folders]
        allowed.append((os.devnull, rights & (_WRITE_FILE | _TRUNCATE)))
        for path, access in allowed:
            handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
            rule = ctypes.create_string_buffer(struct.pack("<Qi", access, handle))
            failed = libc.syscall(_ADD_RULE, ruleset, 1, rule, 0) != 0
            os.close(handle)
            if failed:
                return f"Landlock refuses a rule for {path} ({_why()})"
        if not _prctl(_PR_SET_NO_NEW_PRIVS, 1) or libc.syscall(_RESTRICT_SELF, ruleset, 0) != 0:
            return f"Landlock cannot be entered ({_why()})"
    except OSError as error:
        return f"Landlock: {error}"
    finally:
        os.close(ruleset)
    return ""


# seccomp: (audit number, x32 ABI to refuse, system calls) of the machines we know.
_MACHINES = {
    "x86_64": (0xC000003E, True, {"clone": 56, "clone3": 435, "socket": 41, "io_uring": 425},
               (57, 58, 59, 322)),
    "aarch64": (0xC00000B7, False, {"clone": 220, "clone3": 435, "socket": 198, "io_uring": 425},
                (221, 281)),
}  # fmt: skip
_LOAD, _JUMP_EQUAL, _JUMP_GE, _JUMP_SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_EPERM, _ENOSYS = 1, 38
_CLONE_THREAD = 0x00010000
_AF_UNIX = 1


def seccomp(processes: bool, network: bool) -> str:
    """Refuse new processes and programs (not threads), and sockets other than local ones.

    Args:
      processes: allow starting processes. network: allow network sockets.
    """
    machine = _MACHINES.get(platform.machine())
    if sys.platform != "linux" or machine is None or sys.maxsize < 2**32:
        return f"no seccomp filter for {sys.platform} on {platform.machine()}"
    arch, x32, calls, starters = machine
    refuse, missing = _ERRNO | _EPERM, _ERRNO | _ENOSYS
    code = [(_LOAD, 0, 0, 4), (_JUMP_EQUAL, 1, 0, arch), (_RETURN, 0, 0, refuse), (_LOAD, 0, 0, 0)]
    if x32:
        code += [(_JUMP_GE, 0, 1, 0x40000000), (_RETURN, 0, 0, refuse)]
    # io_uring opens sockets past this filter; callers fall back when the call does not exist.
    code += [(_JUMP_EQUAL, 0, 1, calls["io_uring"]), (_RETURN, 0, 0, missing)]
    if not processes:
        for number in starters:
            code += [(_JUMP_EQUAL, 0, 1, number), (_RETURN, 0, 0, refuse)]
        # clone3 hides its flags from the filter; the C library falls back to clone, which does not.
        code += [(_JUMP_EQUAL, 0, 1, calls["clone3"]), (_RETURN, 0, 0, missing)]
        code += [
            (_JUMP_EQUAL, 0, 4, calls["clone"]),
            (_LOAD, 0, 0, 16),
            (_JUMP_SET, 1, 0, _CLONE_THREAD),
            (_RETURN, 0, 0, refuse),
            (_RETURN, 0, 0, _ALLOW),
        ]
    if not network:
        code += [
            (_JUMP_EQUAL, 0, 4, calls["socket"]),
            (_LOAD, 0, 0, 16),
            (_JUMP_EQUAL, 1, 0, _AF_UNIX),
            (_RETURN, 0, 0, refuse),
            (_RETURN, 0, 0, _ALLOW),
        ]
    code.append((_RETURN, 0, 0, _ALLOW))
    filters = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *line) for line in code))
    program = ctypes.create_string_buffer(
        struct.pack("<HxxxxxxQ", len(code), ctypes.addressof(filters))
    )
    unsigned = ctypes.c_ulong
    if not _prctl(_PR_SET_NO_NEW_PRIVS, 1):
        return f"no-new-privileges is refused ({_why()})"
    entered = _libc().prctl(_PR_SET_SECCOMP, unsigned(2), program, unsigned(0), unsigned(0))
    return "" if entered == 0 else f"seccomp is refused ({_why()})"
