"""A skill's folder: what is read of it, what is refused, and on which occasions it applies."""

from dataclasses import replace
from typing import Any

import pytest

