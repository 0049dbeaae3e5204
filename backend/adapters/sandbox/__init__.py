"""Where scripts run: RestrictedPython, in CPython for WebAssembly, in a process of its own that the system confines.

`sandbox.py` is the port's adapter; `__main__.py` is the process that it starts; `guest/` runs inside WebAssembly, and nothing
on this side imports it.
"""
