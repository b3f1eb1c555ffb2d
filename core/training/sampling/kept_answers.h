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

/// Answers of an endpoint in the folder of a run (answers.jsonl), so that none is paid for twice: an
/// evaluation that failed or was killed has them when it goes on.
class KeptAnswers
{
public:
    KeptAnswers() = default;
    /// Reads what is there. A line that a killed process left unfinished is no answer.
    static Result<KeptAnswers> open(std::filesystem::path file);

    /// null: not answered yet.
    const GeneratedProgram* find(const std::string& question, std::size_t number) const;
    Status keep(const std::string& question, std::size_t number, const GeneratedProgram& program);
    /// Once none is needed any more.
    void remove();

private:
    std::filesystem::path m_file;
    std::map<std::pair<std::string, std::size_t>, GeneratedProgram> m_answers;
};

} // namespace sparserl
