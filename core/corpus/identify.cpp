// SPDX-License-Identifier: Apache-2.0
#include "corpus/family.h"
#include "corpus/program_shape.h"

namespace sparserl {

std::optional<std::string> identifyFamily(std::string_view text)
{
    const ProgramShape shape = shapeOf(text);
    if (!shape.launched)
        return std::nullopt;
    const KernelFamily* best = nullptr;
    int surest = 0;
    for (const KernelFamily& one : kernelFamilies()) {
        const int sure = one.task() == shape.task ? one.recognise(shape) : 0;
        if (sure > surest) {
            surest = sure;
            best = &one;
        }
    }
    return best ? std::optional(best->family.id) : std::nullopt;
}

} // namespace sparserl
