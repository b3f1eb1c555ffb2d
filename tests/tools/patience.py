# SPDX-License-Identifier: Apache-2.0
"""How long the tools that are tests wait, as tests/patience.h says it for C++."""
import math
import os
import subprocess


def factor():
    """What waits are multiplied with: $SPARSERL_TEST_PATIENCE where it is a number above 0 (default 1), times the processes
    that wait for each core by the load of the last minute (at least 1, at most 20)."""
    try:
        asked = float(os.environ.get("SPARSERL_TEST_PATIENCE", ""))
    except ValueError:
        asked = 1
    if not (math.isfinite(asked) and asked > 0):
        asked = 1
    return asked * min(20, max(1, os.getloadavg()[0] / (os.cpu_count() or 1)))


def patience(seconds=60):
    """Seconds to wait for what takes up to `seconds` on a machine that does nothing else."""
    return seconds * factor()


def communicate(process, seconds):
    """What a process has written when it ends, as `process.communicate(timeout=seconds)`. Only the time counts that this tool had,
    too: one that was itself stopped, or got no core, finds at its return what ended in the meantime, and gives the rest its time."""
    while True:
        slice_of_time = min(1, seconds)
        try:
            return process.communicate(timeout=slice_of_time)
        except subprocess.TimeoutExpired:
            seconds -= slice_of_time
            if seconds <= 0:
                raise
