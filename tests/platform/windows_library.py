"""Functions of Windows's libraries as `ctypes` calls them, for those who stand for a library."""

import ctypes
from collections.abc import Callable
from typing import Any


class Function:
    """One of them: what it returns is cut to 32 bits unless it was told otherwise, and a handle is passed on as its number."""

    def __init__(self, call: Callable[..., int]) -> None:
        self._call = call
        self.restype: Any = ctypes.c_int32

    def __call__(self, *arguments: Any) -> Any:
        plain = [argument.value if isinstance(argument, ctypes.c_void_p) else argument for argument in arguments]
        return self.restype(self._call(*plain)).value
