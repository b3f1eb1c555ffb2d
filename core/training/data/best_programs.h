// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "training/data/refine_prompt.h"

#include <filesystem>
#include <map>
#include <string>

namespace sparserl {

/// The fastest correct program that an RL run has written for each target. The run shows these programs in
/// its prompts. The key is TargetId::key().
class BestPrograms
{
public:
    /// Keeps a program if it is correct, was measured, is not doubtful, and is faster than the program kept
    /// for its target.
    void add(const std::string& text, const VerdictRecord& record);
    /// Returns nullptr if the target has no program yet.
    const ProgramToRefine* find(const std::string& targetKey) const;

    /// Writes the table as JSON (best_programs.json).
    Status save(const std::filesystem::path& file) const;
    /// Returns an empty table if the file does not exist. Fails if it cannot be read.
    static Result<BestPrograms> load(const std::filesystem::path& file);

private:
    std::map<std::string, ProgramToRefine> m_best;
};

} // namespace sparserl
