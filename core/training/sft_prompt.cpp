// SPDX-License-Identifier: Apache-2.0
#include "training/sft_prompt.h"

#include "training/parameter_keys.h"

#include <algorithm>

namespace sparserl {

std::string_view sftPrompt()
{
    return "Write a CUDA program for y = A x with this sparse matrix A. The lines of the plan come first: "
           "the "
           "task, constants, the storage format and the launches. Then comes the code of every kernel. Each "
           "element of y must be correct, and the whole call as fast as the rows of A allow.\n";
}

double promptShareAt(const ParameterSet& parameters, std::int64_t step)
{
    if (parameters[param::sft::prompt] != "fading")
        return 0;
    const double last =
        parameters[param::sft::promptUntil] * static_cast<double>(parameters[param::sft::steps]);
    return std::max(0.0, 1.0 - static_cast<double>(step) / last);
}

} // namespace sparserl
