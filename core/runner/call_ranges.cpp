// SPDX-License-Identifier: Apache-2.0
#include "runner/call_ranges.h"

#include <utility>

namespace sparserl {

namespace {

Result<NumberView> numbersAt(const SharedBuffer& memory, const NumberRange& range)
{
    const NumberView numbers = memory.numbers(range.type, range.at, range.count);
    if (numbers.size() != range.count)
        return fail("a job names numbers outside its memory");
    return numbers;
}

} // namespace

Result<CallInputs> inputsAt(const SharedBuffer& memory, std::span<const std::string_view> names,
                            const NumberRanges& ranges)
{
    std::vector<NumberView> values;
    for (const NumberRange& range : ranges) {
        SPARSERL_TRY(const auto numbers, numbersAt(memory, range));
        values.push_back(numbers);
    }
    return callInputs(names, values);
}

Result<ScaledCall> scaledCallAt(const SharedBuffer& memory, const CallRanges& call)
{
    ScaledCall scaled{call.by};
    if (!call.before.empty()) {
        SPARSERL_TRY(scaled.before, numbersAt(memory, call.before.front()));
    }
    return scaled;
}

Status putOutputs(SharedBuffer& memory, std::span<const std::string_view> names,
                  const std::vector<CallRanges>& calls, const std::vector<CallOutputs>& outputs)
{
    for (std::size_t i = 0; i < outputs.size() && i < calls.size(); ++i) {
        const std::vector<NumberView> found = callOutputs(names, outputs[i]);
        if (found.size() != calls[i].outputs.size())
            return fail("a job has no place for an output");
        for (std::size_t k = 0; k < found.size(); ++k) {
            const NumberRange& range = calls[i].outputs[k];
            // What is empty has no type.
            if (found[k].size() != range.count || (range.count > 0 && found[k].type() != range.type) ||
                !memory.put(range.at, found[k]))
                return fail("an output of a job does not fit its memory");
        }
    }
    return {};
}

} // namespace sparserl
