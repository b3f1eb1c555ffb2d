// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/verdict.h"
#include "matrix/csr.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sparserl {

/// A program that tries to be paid for what it does not do (tests/adversarial), and what must become of it.
struct Attack
{
    std::string program, text;
    std::string attack, defence;       ///< For people.
    std::vector<int> rows;             ///< Of the list of known attacks.
    std::vector<std::string> verdicts; ///< Any of these; "correct" where it must merely be without effect.
    std::string says;                  ///< A part of the message.
    std::string flag;                  ///< A flag that the record must have; may be empty.
};

/// Reads `folder`/attacks.json and `folder`/programs/NAME.cu. Fails where a program is missing or is not
/// listed.
Result<std::vector<Attack>> loadAttacks(const std::filesystem::path& folder);

/// What is wrong with a record of an attack: another verdict, a message that does not say why, or something
/// of the machine in the log. Nothing: the defence holds.
std::optional<std::string> complaint(const Attack& attack, const VerdictRecord& record);

/// A matrix that the programs were written against: 700 x 900, with empty rows.
Csr attackedMatrix();

} // namespace sparserl
