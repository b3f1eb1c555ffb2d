// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"
#include "machine/sandbox_level.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sparserl::cli {

struct CorpusCheckOptions
{
    std::string task = "spmv", type = "f32";
    std::vector<std::string> families; ///< Empty: all families of the task.
    std::int64_t columns = 0;          ///< Dense columns of SpMM; 0: 8 and 32 alternately.
    int count = 200;
    int inputs = 1;                    ///< Input seeds per program.
    std::vector<std::string> matrices; ///< Files, packs or generators; empty: four small ones.
    std::int64_t fullCheck = -1;       ///< For JudgeOptions::fullCheckNnz; -1: the default.
    double variety = 0.6;
    std::uint64_t seed = 1, judgeSeed = 0;
    SandboxLevel requiredSandbox = SandboxLevel::None;
    int runners = 0;
    std::string device = "sim";
    std::string keep; ///< Folder for failed programs; empty: they are not kept.
};

/// Draws programs from the corpus and judges each: NVRTC, gate, assembly, battery and a small matrix that
/// suits its formats. Prints every failure, and per family the counts and the largest share of the error
/// bound. Returns Failed if there is a failure.
int checkCorpus(const CorpusCheckOptions& options, const Context& context);

} // namespace sparserl::cli
