"""``python -m tests.agreement``: the whole comparison, resumable and in shards."""

from __future__ import annotations

import pathlib
import sys

# the tests' own modules, as pytest finds them
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from agreement.command import main

if __name__ == "__main__":
    sys.exit(main())
