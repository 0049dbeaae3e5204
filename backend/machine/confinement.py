"""What the operating system takes from the process that a script runs in, once it has all it needs; each layer if it is had.

The boundary is WebAssembly. This is for the day when that boundary has a hole: a process that may compute, read and write
the pipes that it has, and end.
"""

import contextlib
import ctypes
import os
import platform
import struct
import sys

if sys.platform != "win32":  # imported here: later no file can be opened any more
    import resource

# A process's right to add nothing more to what it may do; Linux asks for it before seccomp and Landlock.
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
_SECCOMP_MODE_FILTER = 2
_KILL_PROCESS, _ALLOW, _ERRNO = 0x80000000, 0x7FFF0000, 0x00050000
_EPERM = 1
_LOAD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06

_ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""As `platform.machine()` says it -> as the kernel says it, and which column of `_CALLS` holds."""

_CALLS = (
    # name, x86_64, aarch64
    ("read", 0, 63), ("write", 1, 64), ("readv", 19, 65), ("writev", 20, 66), ("close", 3, 57), ("fstat", 5, 80),
    ("lseek", 8, 62), ("mmap", 9, 222), ("mprotect", 10, 226), ("munmap", 11, 215), ("brk", 12, 214), ("mremap", 25, 216),
    ("madvise", 28, 233), ("rt_sigaction", 13, 134), ("rt_sigprocmask", 14, 135), ("rt_sigreturn", 15, 139),
    ("sigaltstack", 131, 132), ("sched_yield", 24, 124), ("futex", 202, 98), ("clock_gettime", 228, 113),
    ("gettid", 186, 178), ("getpid", 39, 172), ("getrandom", 318, 278), ("exit", 60, 93), ("exit_group", 231, 94),
    ("restart_syscall", 219, 128), ("membarrier", 324, 283), ("rseq", 334, 293), ("set_robust_list", 273, 99),
)  # fmt: skip
"""The system calls that are left: to compute, to read and write what is open, and to end. None opens or connects anything."""

_LANDLOCK_CREATE, _LANDLOCK_RESTRICT = 444, 446
_LANDLOCK_VERSION = 1
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
"""ABI -> how many rights over files it knows; from the last on there are no more that matter here."""

_MACOS_PROFILE = b"(version 1)(deny default)"


JOB_LIMITS = "@qqINNINIIQQQQQQNNNN"
"""Windows' JOBOBJECT_EXTENDED_LIMIT_INFORMATION, as `struct` writes it."""
_JOB_LIMITS_CLASS = 9
_JOB_ONE_PROCESS, _JOB_TIME, _JOB_MEMORY, _JOB_NO_DIALOG, _JOB_ENDS = 0x8, 0x2, 0x100, 0x400, 0x2000
_HUNDRED_NANOSECONDS = 10_000_000


def confine(memory_bytes: int, seconds: int) -> list[str]:
    """Give up all that can be given up; the names of the layers that hold from now on."""
    layers = []
    for name, layer in (
        ("landlock", _landlock),  # it needs a descriptor, which the limits take away
        ("limits", lambda: _limits(memory_bytes, seconds)),
        ("job object", lambda: _job_object(memory_bytes, seconds)),
        ("sandbox profile", _sandbox_profile),
        ("seccomp", _seccomp),  # last: it takes away what the others are made with
    ):
        with contextlib.suppress(OSError, AttributeError, ValueError, ImportError):
            if layer():
                layers.append(name)
    return layers


def end_with_parent() -> None:
    """Where the system can: a process whose parent is gone is killed, and nobody may look into it."""
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(_PR_SET_PDEATHSIG, 9, 0, 0, 0)
        libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def _limits(memory_bytes: int, seconds: int) -> bool:
    if sys.platform != "win32":
        limits = {
            "RLIMIT_CORE": 0,
            "RLIMIT_FSIZE": 0,
            "RLIMIT_NOFILE": 0,
            "RLIMIT_NPROC": 0,
            "RLIMIT_CPU": seconds + 1,
            "RLIMIT_DATA": memory_bytes,
        }
        for name, value in limits.items():
            kind = getattr(resource, name, None)
            if kind is not None:
                with contextlib.suppress(ValueError, OSError):
                    resource.setrlimit(kind, (value, value))
        return resource.getrlimit(resource.RLIMIT_NOFILE)[0] == 0
    return False


def _landlock() -> bool:
    """No file can be opened and, where the kernel knows how, no TCP connection made."""
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    abi = libc.syscall(_LANDLOCK_CREATE, None, 0, _LANDLOCK_VERSION)
    if abi < 1:
        return False
    files = (1 << _FILE_RIGHTS.get(abi, 16)) - 1
    network = 3 if abi >= 4 else 0  # noqa: PLR2004 - the ABI that knows TCP
    rules = struct.pack("QQ", files, network)[: 16 if network else 8]
    ruleset = libc.syscall(_LANDLOCK_CREATE, rules, len(rules), 0)
    if ruleset < 0 or libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    restricted = libc.syscall(_LANDLOCK_RESTRICT, ruleset, 0) == 0
    os.close(ruleset)
    return bool(restricted)


def _seccomp() -> bool:
    """Every system call but a few is refused; one of another architecture ends the process."""
    if sys.platform != "linux" or platform.machine() not in _ARCHITECTURES:
        return False
    architecture, column = _ARCHITECTURES[platform.machine()]
    allowed = [numbers[column] for _, *numbers in _CALLS]
    steps = [
        (_LOAD, 0, 0, 4),  # the architecture
        (_JUMP_IF_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL_PROCESS),
        (_LOAD, 0, 0, 0),  # the number of the call
        *((_JUMP_IF_EQUAL, len(allowed) - at, 0, number) for at, number in enumerate(allowed)),
        (_RETURN, 0, 0, _ERRNO | _EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]
    raw = b"".join(struct.pack("HBBI", *step) for step in steps)
    buffer = ctypes.create_string_buffer(raw, len(raw))
    program = struct.pack("H6xP", len(steps), ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    return bool(libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, program, 0, 0) == 0)


def _sandbox_profile() -> bool:
    """macOS: a profile that allows nothing."""
    if sys.platform != "darwin":
        return False
    library = ctypes.CDLL("/usr/lib/libSystem.B.dylib")
    return bool(library.sandbox_init(_MACOS_PROFILE, 0, ctypes.byref(ctypes.c_char_p())) == 0)


def _job_object(memory_bytes: int, seconds: int) -> bool:
    """Windows: this process alone, so much memory and processor time, and no dialog when it fails. Files it does not keep out."""
    if sys.platform != "win32":
        return False
    kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    kernel.CreateJobObjectW.restype = kernel.GetCurrentProcess.restype = ctypes.c_void_p
    job = ctypes.c_void_p(kernel.CreateJobObjectW(None, None))  # it is never closed: the job ends with this process
    flags = _JOB_ONE_PROCESS | _JOB_TIME | _JOB_MEMORY | _JOB_NO_DIALOG | _JOB_ENDS
    spent = (seconds + 1) * _HUNDRED_NANOSECONDS
    job_limits = struct.pack(JOB_LIMITS, spent, 0, flags, 0, 0, 1, 0, 0, 0, *[0] * 6, memory_bytes, 0, 0, 0)
    return bool(
        job.value
        and kernel.SetInformationJobObject(job, _JOB_LIMITS_CLASS, job_limits, len(job_limits))
        and kernel.AssignProcessToJobObject(job, ctypes.c_void_p(kernel.GetCurrentProcess()))
    )
