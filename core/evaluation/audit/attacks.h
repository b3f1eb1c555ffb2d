// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/judge.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A program that tries to be paid for what it does not do (tests/adversarial), and what must become of it.
struct Attack
{
    std::string program, text;
    std::string attack, defence;         ///< For people.
    std::vector<int> rows;               ///< Of the list of known attacks.
    std::vector<std::string> verdicts;   ///< Any of these; "correct" where it must merely be without effect.
    std::vector<std::string> onGpu;      ///< Any of these on a GPU, where they differ; may be empty.
    std::string says;                    ///< A part of the message.
    std::string flag;                    ///< A flag that the record must have; may be empty.
    std::string matrix;                  ///< What it is judged on: a name that attackedMatrix() knows.
    std::string after;                   ///< A program that must have been judged before it; may be empty.
    std::int64_t columns = 1;            ///< Of B, where the task is SpMM.
    ElementType type = ElementType::F32; ///< Of the program.
};

/// Reads `folder`/attacks.json and `folder`/programs/NAME.cu, in the order of the list. Fails where a program
/// is missing, is not listed, names an unknown matrix, or stands before the one it is to be judged after.
Result<std::vector<Attack>> loadAttacks(const std::filesystem::path& folder);

/// Judges all attacks: those that come after others in a second batch of the same judge, everything else in
/// one. Records in the order of `attacks`; `done` is called for each.
Result<std::vector<VerdictRecord>> judgeAttacks(Judge& judge, const std::vector<Attack>& attacks,
                                                std::uint64_t seed, const CancelToken& cancel = {},
                                                const std::function<void()>& done = {});

/// What is wrong with a record of an attack: another verdict, a message that does not say why, or something
/// of the machine in the log. Nothing: the defence holds.
std::optional<std::string> complaint(const Attack& attack, const VerdictRecord& record);

/// A matrix that programs were written against, the same in every process: "small" (700 x 900, with empty
/// rows), "entries" (8,200 non-zeros), "rows" (4,000 rows, some of them long), "dense-row" (one row of
/// 70,000), "own-values" (magnitudes over 60 powers of two), "ones" (every value is 1), "tiny" (all values
/// subnormal), "two-sizes" (every second one below a billionth of the others), "integers" (1 to 9),
/// "factored" (a graph of 2,000 nodes with values d_i d_j, d one over the root of the degree), "far-factors"
/// (the same with d of 2^-20 and 2^20), "stencil" (nine points on a grid of 40 x 40), "grid" (five points, 24
/// x 24), "diagonal" (500 rows), "tridiagonal", "band" (21 diagonals), "nodes" (three unknowns each),
/// "eights" (eight entries in each of 480 rows), "threes" (three in each of 500, whose columns ascend from
/// row to row). Nothing for other names.
std::optional<Csr> attackedMatrix(std::string_view name);

} // namespace sparserl
