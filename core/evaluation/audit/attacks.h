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
    std::string attack, defence;         ///< For display.
    std::vector<int> rows;               ///< Rows in the list of known attacks.
    std::vector<std::string> verdicts;   ///< Allowed verdicts; "correct" if the attack only has to be without
                                         ///< effect.
    std::vector<std::string> onGpu;      ///< Allowed verdicts on a GPU, if different; may be empty.
    std::string says;                    ///< Required part of the message.
    std::string flag;                    ///< Required flag of the record; may be empty.
    std::string matrix;                  ///< Matrix to judge it on: a name known to attackedMatrix().
    std::string after;                   ///< Program to judge before it; may be empty.
    std::int64_t columns = 1;            ///< Columns of B for SpMM.
    ElementType type = ElementType::F32; ///< Type of the program.
};

/// Reads `folder`/attacks.json and `folder`/programs/NAME.cu, in the order of the list. Fails if a program is
/// missing or unlisted, names an unknown matrix, or precedes the program that it must follow.
Result<std::vector<Attack>> loadAttacks(const std::filesystem::path& folder);

/// Judges all attacks. Attacks that must follow another attack form a second batch of the same judge. Returns
/// the records in the order of `attacks`; calls `done` for each.
Result<std::vector<VerdictRecord>> judgeAttacks(Judge& judge, const std::vector<Attack>& attacks,
                                                std::uint64_t seed, const CancelToken& cancel = {},
                                                const std::function<void()>& done = {});

/// What is wrong with the record of an attack: an unexpected verdict, a message without the reason, or
/// machine details in the log. nullopt if the defence holds.
std::optional<std::string> complaint(const Attack& attack, const VerdictRecord& record);

/// A matrix that programs were written against, the same in every process: "small" (700 x 900, with empty
/// rows), "entries" (8,200 non-zeros), "rows" (4,000 rows, some of them long), "dense-row" (one row of
/// 70,000), "own-values" (magnitudes over 60 powers of two), "ones" (every value is 1), "tiny" (all values
/// subnormal), "two-sizes" (every second one below a billionth of the others), "integers" (1 to 9),
/// "factored" (a graph of 2,000 nodes with values d_i d_j, where d is one over the root of the degree),
/// "far-factors" (the same with d of 2^-20 and 2^20), "stencil" (nine points on a grid of 40 x 40), "grid"
/// (five points, 24 x 24), "diagonal" (500 rows), "tridiagonal", "band" (21 diagonals), "nodes" (three
/// unknowns each), "eights" (eight entries in each of 480 rows), "threes" (three in each of 500, whose
/// columns ascend from row to row). nullopt for other names.
std::optional<Csr> attackedMatrix(std::string_view name);

} // namespace sparserl
