// SPDX-License-Identifier: Apache-2.0
#include "training/data/sft_prompt.h"

#include "training/parameters/parameter_keys.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

namespace {

constexpr std::string_view spmmBeginning = "Write a CUDA program for C = A B with this sparse matrix A";
constexpr std::string_view inDoubles = "All values are double.\n";

bool isOurs(const std::string& prompt)
{
    return prompt == sftPrompt() || prompt == sftPrompt({.type = ElementType::F64}) ||
           prompt.starts_with(spmmBeginning);
}

} // namespace

std::string sftPrompt(const TargetVariant& variant)
{
    const std::string plan =
        " The lines of the plan come first: the task, constants, the storage format and the launches. Then "
        "comes the code of every kernel. ";
    const std::string_view type = variant.type == ElementType::F64 ? inDoubles : std::string_view();
    if (variant.task() == Task::SpMM)
        return fmt::format(
            "{} and a dense B of {} columns.{}Each element of C must be correct, and the whole "
            "call as fast as the rows of A allow.\n{}",
            spmmBeginning, variant.columns, plan, type);
    return fmt::format(
        "Write a CUDA program for y = A x with this sparse matrix A.{}Each element of y must be "
        "correct, and the whole call as fast as the rows of A allow.\n{}",
        plan, type);
}

std::string promptFor(const std::string& trained, const TargetVariant& variant)
{
    return isOurs(trained) ? sftPrompt(variant) : trained;
}

std::string promptInType(const std::string& trained, ElementType type)
{
    if (!isOurs(trained))
        return trained;
    std::string prompt = trained;
    if (prompt.ends_with(inDoubles))
        prompt.resize(prompt.size() - inDoubles.size());
    return type == ElementType::F64 ? prompt.append(inDoubles) : prompt;
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
