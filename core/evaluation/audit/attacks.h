// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/judge.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A program that tries to earn a reward by cheating (tests/adversarial), and its expected verdict.
struct Attack
{
    std::string program, text;
    std::string attack, defence; ///< For display.
    std::vector<int> rows;       ///< Rows of the attack in the list of known attacks.
    /// Allowed verdicts; contains "correct" if the attack merely must have no effect.
    std::vector<std::string> verdicts;
    std::vector<std::string> onGpu; ///< Allowed verdicts on a GPU, if different; may be empty.
    std::string says;               ///< Required part of the message.
    std::string flag;               ///< Required flag of the record; may be empty.
    std::string matrix;       ///< Matrix on which the program is judged: a name that attackedMatrix() knows.
    std::string after;        ///< Program that is judged before this one; may be empty.
    std::int64_t columns = 1; ///< Columns of B for SpMM.
    ElementType type = ElementType::F32; ///< Type of the program.
};

/// Reads `folder`/attacks.json and `folder`/programs/NAME.cu, in the order of the list. Fails if a program is
/// missing or is not in the list, if its matrix is unknown, or if it precedes the program that it must
/// follow.
Result<std::vector<Attack>> loadAttacks(const std::filesystem::path& folder);

/// Judges all attacks. Attacks that must follow another attack form a second batch for the same judge.
/// Returns the records in the order of `attacks`. Calls `done` after each record.
Result<std::vector<VerdictRecord>> judgeAttacks(Judge& judge, const std::vector<Attack>& attacks,
                                                std::uint64_t seed, const CancelToken& cancel = {},
                                                const std::function<void()>& done = {});

/// Returns what is wrong with the record of an attack: an unexpected verdict, a message without the reason, a
/// missing flag, or details of the machine in the log or message. Returns nullopt if the defence holds.
std::optional<std::string> complaint(const Attack& attack, const VerdictRecord& record);

/// Returns a matrix that attacks were written for; it is the same in every process. The names are "small"
/// (700 x 900, with empty rows), "entries" (8,200 non-zeros), "rows" (4,000 rows, some of them long),
/// "dense-row" (one row of 70,000), "own-values" (magnitudes over 60 powers of two), "ones" (every value is
/// 1), "tiny" (all values subnormal), "two-sizes" (every second value is below a billionth of the others),
/// "integers" (1 to 9), "factored" (a graph of 2,000 nodes with values d_i d_j, where d is one over the root
/// of the degree), "far-factors" (the same with d of 2^-20 and 2^20), "stencil" (nine points on a grid of 40
/// x 40), "grid" (five points, 24 x 24), "diagonal" (500 rows), "tridiagonal", "band" (21 diagonals), "nodes"
/// (three unknowns each), "eights" (eight entries in each of 480 rows) and "threes" (three entries in each of
/// 500 rows, with columns that ascend from row to row). Returns nullopt for other names.
std::optional<Csr> attackedMatrix(std::string_view name);

} // namespace sparserl
