"""What macOS, Windows and Linux each have, lack and refuse: one row a rule, kept by the real system and by emulated others.

| rules of | module |
|---|---|
| files | `windows_files.py` (the rules), `test_files.py` (what is done by them: a row each) |
| clocks, and what sleep does to them | `test_clocks.py` |
| limits of processes, and pipes | `test_limits.py` |
| processes, Ctrl-C, the end of a console, editors | `test_processes.py` |
| names that are devices | `test_device_files.py` |
| folders of other computers, too deep ones, and those outside of the profile | `test_network_folder.py` |
| locks on folders, and where they and the caches are | `tests/adapters/test_account_locks.py`, `test_accounts_folder.py` |
| clipboards, and the page that the window shows | `test_clipboard.py`, `test_shown_page.py` |
| tests that need POSIX: their mark | `test_posix_mark.py` |
| what source may not say | `portable_source.py` (the rules), `test_portable_source.py` (each broken, and none in our source) |

All of it is part of `make check`.

A new rule goes where its kind is: a row of what it refuses or answers, and a row of what Outrider does all the same.
"""
