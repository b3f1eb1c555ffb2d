// SPDX-License-Identifier: Apache-2.0
#include "training/work/policy_task.h"

#include "project/files/run_files.h"
#include "project/run/run_config.h"
#include "training/parameters/parameter_keys.h"
#include "training/parameters/stage_parameters.h"

#include <fmt/format.h>
#include <string_view>
#include <variant>

namespace sparserl {

namespace {

/// A text among the parameters of a run; `otherwise` for runs that did not have it.
std::string textOf(const RunConfig& run, std::string_view key, const std::string& otherwise)
{
    const auto known = run.parameters.find(std::string(key));
    return known != run.parameters.end() && std::holds_alternative<std::string>(known->second)
               ? std::get<std::string>(known->second)
               : otherwise;
}

} // namespace

std::string otherTaskSentence(const std::filesystem::path& policy, const std::string& asked, ElementType type)
{
    const auto made = readRunConfig(policy / runFile);
    if (!made || made->stage == nameOf(StageKind::Pretrain))
        return {};
    const std::string learned = textOf(*made, param::task.key, "spmv");
    const std::string numbers = textOf(*made, param::elementType.key, "f32");
    if (numbers != nameOf(type))
        return fmt::format("The policy was trained in {}, and programs in {} are requested: it will write "
                           "few that can run. Ask for {}, or take another policy.",
                           numbers, nameOf(type), numbers);
    if (learned == asked || learned == "both")
        return {};
    return fmt::format("The policy was trained for the task {}, and programs for {} are requested: it will "
                       "write few that can run. Ask for {}, or take another policy.",
                       learned, asked, learned);
}

ElementType elementTypeOfPolicy(const std::filesystem::path& policy)
{
    const auto made = readRunConfig(policy / runFile);
    return made ? elementTypeFromName(textOf(*made, param::elementType.key, "f32")).value_or(ElementType::F32)
                : ElementType::F32;
}

} // namespace sparserl
