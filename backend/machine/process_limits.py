"""What the operating system holds a child process of ours to, as far as it can."""

import sys


def set_limits(**most: int) -> None:
    """The limits of this process and its children, by the names of `resource` without RLIMIT_. Raises OSError and ValueError.

    Nothing on Windows. macOS bounds no address space: there whoever asks the process bounds its time and its answers alone.
    """
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - there is none on Windows

    for name, value in most.items():
        try:
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value))
        except (OSError, ValueError):
            if (sys.platform, name) != ("darwin", "AS"):
                raise
