// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device.h"
#include "evaluation/cases/input_kinds.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace sparserl {

/// The source of the values of a case's matrix.
enum class CaseValues
{
    Ordinary, ///< Realistic values, or the target's own.
    Changed,  ///< The target's own values with a few changes.
    Exact,    ///< From ExactValues.
    Wide      ///< From withWideValues.
};

/// A call of a program on the simulated device, and the word that the program wrote for an audit.
struct JudgedCall
{
    std::string_view program; ///< The program's text.
    bool target = false;      ///< The call is on the target itself; otherwise it is a test.
    CaseValues values = CaseValues::Ordinary;
    InputKind kind = InputKind::Random;
    Checks checks = Checks::All;
    std::optional<Schedule> schedule;
    AddressLayout layout = AddressLayout::Apart;
    std::uint32_t word = 0;
};

/// Observes calls for audits of the judge (docs/evaluation.md 4). A judge whose verdicts count never has an
/// observer.
struct JudgeObserver
{
    /// A deliberate difference between tests and target, to verify that the audit finds it.
    enum class Control
    {
        None,
        Signs, ///< The last eight elements of x are positive in tests.
        Mark   ///< On the target, zeroed scratch begins with a 1.
    };
    std::string scratch; ///< The array to which programs write the observed word.
    Control control = Control::None;
    std::function<void(const JudgedCall&)> call;
};

} // namespace sparserl
