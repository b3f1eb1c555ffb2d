// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "training/sampling/generation.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

namespace sparserl {

/// The answers that a run has received from an endpoint (answers.jsonl in the run's folder). An evaluation
/// that failed or was killed uses them when it is resumed, so that no answer is paid for twice.
class KeptAnswers
{
public:
    KeptAnswers() = default;
    /// Reads the file, if there is one. Skips a line that a killed process left unfinished.
    static Result<KeptAnswers> open(std::filesystem::path file);

    /// Returns nullptr if the question has no answer with this number yet.
    const GeneratedProgram* find(const std::string& question, std::size_t number) const;
    Status keep(const std::string& question, std::size_t number, const GeneratedProgram& program);
    /// Removes the file. To be called when the answers are no longer needed.
    void remove();

private:
    std::filesystem::path m_file;
    std::map<std::pair<std::string, std::size_t>, GeneratedProgram> m_answers;
};

} // namespace sparserl
