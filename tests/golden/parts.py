# SPDX-License-Identifier: Apache-2.0
"""The parts of the golden outputs; each is a generator of Output."""
import dataclasses
from typing import Callable

import parts_commands
import parts_judging
import parts_training


@dataclasses.dataclass
class Part:
    what: str
    run: Callable
    quick: bool = False
    thinned: bool = False  # Takes fewer programs with --every.


# The longest first, so that several at once end together.
PARTS = {
    "corpus": Part("verdicts on programs of every family, on ten matrices", parts_judging.corpus, thinned=True),
    "stages": Part("every stage and algorithm: journals, checkpoints, run.toml, index, exports", parts_training.stages),
    "attacks": Part("verdicts on every fourth program of tests/adversarial", parts_judging.attacks, thinned=True),
    "honest": Part("verdicts on the programs of tests/honest", parts_judging.honest, thinned=True),
    "bench": Part("`bench` on the simulated devices", parts_judging.bench),
    "profiles": Part("counters per source line of 20 programs", parts_judging.profiles, quick=True, thinned=True),
    "programs": Part("texts of programs of every family", parts_commands.programs, quick=True),
    "recommend": Part("what is recommended for 40 matrices", parts_commands.recommend, quick=True),
    "matrices": Part("what is read, imported, packed, computed of matrices", parts_commands.matrices, quick=True),
    "parameters": Part("declared parameters and presets", parts_commands.parameters, quick=True),
    "commands": Part("help and errors of every command", parts_commands.commands, quick=True),
}
