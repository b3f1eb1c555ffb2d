// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "training/data/refine_prompt.h"

#include <filesystem>
#include <map>
#include <string>

namespace sparserl {

/// The fastest correct program that a run of reinforcement learning has written for each target, as its
/// prompts show it. Keyed by TargetId::key().
class BestPrograms
{
public:
    /// Keeps a program if it is correct, was measured, is not doubtful, and is faster than the program kept
    /// for its target.
    void add(const std::string& text, const VerdictRecord& record);
    /// nullptr if there is none yet.
    const ProgramToRefine* find(const std::string& targetKey) const;

    /// Writes best_programs.json.
    Status save(const std::filesystem::path& file) const;
    /// Returns an empty table if the file does not exist. Fails if it cannot be read.
    static Result<BestPrograms> load(const std::filesystem::path& file);

private:
    std::map<std::string, ProgramToRefine> m_best;
};

} // namespace sparserl
