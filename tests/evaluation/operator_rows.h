// SPDX-License-Identifier: Apache-2.0
// Rows of the tests that judge programs for operators.
#pragma once

#include "base/files.h"
#include "operator/import/operator_task.h"
#include "verdict/record.h"

#include <string>
#include <utility>
#include <vector>

namespace sparserl::tests {

using MakeTask = OperatorTask (*)();
using Edits = std::vector<std::pair<std::string, std::string>>;

inline std::string programText(const std::string& name)
{
    const auto text = readFile(std::string(SPARSERL_OPERATOR_PROGRAMS) + "/" + name + ".cu", 1 << 16);
    return text ? *text : std::string();
}

/// The program with each text replaced where it first stands. Empty if a text is not there.
inline std::string edited(std::string text, const Edits& edits)
{
    for (const auto& [from, to] : edits) {
        const auto at = text.find(from);
        if (at == std::string::npos)
            return {};
        text.replace(at, from.size(), to);
    }
    return text;
}

/// A program, the task for which it is, and what the judge must say about it.
struct OperatorRow
{
    const char* name;
    const char* program;
    MakeTask task;
    Edits edits = {};
    Verdict verdict = Verdict::Correct;
    const char* message = ""; ///< Part of the message.
    const char* where = "";   ///< The case that stops it; empty: drawn inputs at the size of the target.
};

} // namespace sparserl::tests
