// SPDX-License-Identifier: Apache-2.0
#include "verdict/verdict.h"

#include <array>
#include <utility>

namespace sparserl {

namespace {

constexpr std::array<std::pair<Verdict, std::string_view>, 15> verdictNames{{
    {Verdict::PlanError, "plan-error"},
    {Verdict::StoppedEarly, "stopped-early"},
    {Verdict::MachineError, "machine-error"},
    {Verdict::CompileError, "compile-error"},
    {Verdict::AssembleError, "assemble-error"},
    {Verdict::Rejected, "rejected"},
    {Verdict::LaunchError, "launch-error"},
    {Verdict::OutOfBounds, "out-of-bounds"},
    {Verdict::Uninitialised, "uninitialised"},
    {Verdict::Race, "race"},
    {Verdict::SyncError, "sync-error"},
    {Verdict::Timeout, "timeout"},
    {Verdict::WrongResult, "wrong-result"},
    {Verdict::FormatError, "format-error"},
    {Verdict::Correct, "correct"},
}};

} // namespace

std::string_view nameOf(Verdict verdict)
{
    return verdictNames[static_cast<std::size_t>(verdict)].second;
}

std::optional<Verdict> verdictFromName(std::string_view name)
{
    for (const auto& [verdict, text] : verdictNames)
        if (text == name)
            return verdict;
    return std::nullopt;
}

bool isCompiled(Verdict verdict)
{
    return verdict > Verdict::Rejected;
}

} // namespace sparserl
