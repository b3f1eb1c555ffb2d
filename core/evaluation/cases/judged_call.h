// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device.h"
#include "evaluation/cases/input_kinds.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace sparserl {

/// Whose values a matrix of a case has.
enum class CaseValues
{
    Ordinary, ///< As real matrices have them, or the target's own.
    Changed,  ///< The target's own but a few.
    Exact,    ///< Of ExactValues.
    Wide      ///< Of withWideValues.
};

/// A call of a program on the simulated device, and the word that it wrote about what it can see.
struct JudgedCall
{
    std::string_view program; ///< Its text.
    bool target = false;      ///< On the target itself; else a test.
    CaseValues values = CaseValues::Ordinary;
    InputKind kind = InputKind::Random;
    Checks checks = Checks::All;
    std::optional<Schedule> schedule;
    AddressLayout layout = AddressLayout::Apart;
    std::uint32_t word = 0;
};

/// For audits of the judge (docs/evaluation.md 4). No judge of programs that count has one.
struct JudgeObserver
{
    /// What makes tests and target differ on purpose, to see that it is found.
    enum class Control
    {
        None,
        Signs, ///< The last eight elements of x are positive in tests.
        Mark   ///< Zeroed scratch begins with a 1 on the target.
    };
    std::string scratch; ///< The array that programs write to.
    Control control = Control::None;
    std::function<void(const JudgedCall&)> call;
};

} // namespace sparserl
