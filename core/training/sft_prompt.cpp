// SPDX-License-Identifier: Apache-2.0
#include "training/sft_prompt.h"

#include "target/task.h"
#include "training/parameter_keys.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

namespace {

constexpr std::string_view spmmBeginning = "Write a CUDA program for C = A B with this sparse matrix A";

} // namespace

std::string sftPrompt(std::int64_t denseColumns)
{
    const std::string plan =
        " The lines of the plan come first: the task, constants, the storage format and the launches. Then "
        "comes the code of every kernel. ";
    if (denseColumns > 1)
        return fmt::format(
            "{} and a dense B of {} columns.{}Each element of C must be correct, and the whole "
            "call as fast as the rows of A allow.\n",
            spmmBeginning, denseColumns, plan);
    return "Write a CUDA program for y = A x with this sparse matrix A." + plan +
           "Each element of y must be correct, and the whole call as fast as the rows of A allow.\n";
}

std::string promptFor(const std::string& trained, std::int64_t denseColumns)
{
    const bool ours = trained == sftPrompt(1) || trained.starts_with(spmmBeginning);
    return ours ? sftPrompt(denseColumns) : trained;
}

std::int64_t denseColumnsOf(const ParameterSet& parameters)
{
    return parameters[param::task] == nameOf(Task::SpMM) ? parameters[param::denseColumns] : 1;
}

std::vector<std::int64_t> allDenseColumnsOf(const ParameterSet& parameters)
{
    if (isOfBothTasks(parameters))
        return {1, parameters[param::denseColumns]};
    return {denseColumnsOf(parameters)};
}

bool isOfBothTasks(const ParameterSet& parameters)
{
    return parameters[param::task] == "both";
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
