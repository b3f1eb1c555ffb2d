// SPDX-License-Identifier: Apache-2.0
#include "training/data/refine_prompt.h"

#include "training/data/sft_prompt.h"

#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace sparserl {

namespace {

int percent(double share)
{
    return static_cast<int>(std::lround(100 * share));
}

} // namespace

ProgramToRefine programToRefine(std::string text, const VerdictRecord& record)
{
    return {std::move(text), record.warm ? record.warm->median : 0, record.speedup(), profileOf(record)};
}

std::string refinePrompt(const TargetVariant& variant, const ProgramToRefine& program)
{
    const ProgramProfile& profile = program.profile;
    std::string prompt = sftPrompt(variant);
    prompt += fmt::format("The program below is correct. A call takes {:.3g} us", program.microseconds);
    if (program.speedup > 0)
        prompt += fmt::format(", {:.2f} times as fast as the library", program.speedup);
    if (profile.shareOfLimit > 0)
        prompt += fmt::format(", {} % of the physical limit", percent(profile.shareOfLimit));
    prompt += fmt::format(". A thread uses {} registers, a block {} bytes of shared memory",
                          profile.registers, profile.sharedBytes);
    if (profile.occupancy > 0) {
        prompt += fmt::format("; the occupancy is {} %", percent(profile.occupancy));
        if (!profile.occupancyLimiter.empty())
            prompt += ", limited by " + profile.occupancyLimiter;
    }
    return prompt + ". Write a faster one.\n\n" + program.text;
}

} // namespace sparserl
