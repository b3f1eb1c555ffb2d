// SPDX-License-Identifier: Apache-2.0
#include "compile/sass_control.h"

#include <bit>
#include <fmt/format.h>
#include <string_view>

namespace sparserl {

namespace {

constexpr int barriers = 6, noBarrier = 7;

int keptOperands(std::string_view text)
{
    constexpr std::string_view mark = ".reuse";
    int count = 0;
    for (auto at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at + mark.size()))
        ++count;
    return count;
}

std::string barrierText(int barrier)
{
    return barrier < 0 ? "-" : fmt::to_string(barrier);
}

} // namespace

SassControl decodeControl(std::uint64_t upper)
{
    constexpr int first = 105 - 64;
    const auto bits = [upper](int from, int count) {
        return static_cast<int>((upper >> (first + from)) & ((1u << count) - 1));
    };
    const auto barrier = [](int number) { return number == noBarrier ? -1 : number; };
    SassControl control;
    control.stall = bits(0, 4);
    control.yield = bits(4, 1) == 0; // set: stay with this warp
    control.writeBarrier = barrier(bits(5, 3));
    control.readBarrier = barrier(bits(8, 3));
    control.waits = static_cast<unsigned>(bits(11, barriers));
    control.reuse = static_cast<unsigned>(bits(17, 4));
    return control;
}

std::string controlText(const SassControl& control)
{
    std::string waits = "B";
    for (int barrier = 0; barrier < barriers; ++barrier)
        waits += (control.waits >> barrier & 1u) != 0 ? static_cast<char>('0' + barrier) : '-';
    return fmt::format("{}:R{}:W{}:{}:S{:02}", waits, barrierText(control.readBarrier),
                       barrierText(control.writeBarrier), control.yield ? 'Y' : '-', control.stall);
}

bool plausibleControls(const std::vector<ControlledInstruction>& kernel)
{
    unsigned raised = 0, waited = 0;
    for (const auto& [text, control] : kernel) {
        if (std::popcount(control.reuse) != keptOperands(text))
            return false;
        for (const int barrier : {control.writeBarrier, control.readBarrier}) {
            if (barrier >= barriers)
                return false;
            raised |= barrier >= 0 ? 1u << barrier : 0u;
        }
        waited |= control.waits;
    }
    return (waited & ~raised) == 0;
}

} // namespace sparserl
