// SPDX-License-Identifier: Apache-2.0
#include "training/policy_task.h"

#include "project/run_config.h"
#include "project/run_files.h"
#include "training/parameter_keys.h"
#include "training/stage_parameters.h"

#include <fmt/format.h>
#include <variant>

namespace sparserl {

std::string otherTaskSentence(const std::filesystem::path& policy, const std::string& asked)
{
    const auto made = readRunConfig(policy / runFile);
    if (!made || made->stage == nameOf(StageKind::Pretrain))
        return {};
    std::string learned = "spmv";
    const auto known = made->parameters.find(std::string(param::task.key));
    if (known != made->parameters.end() && std::holds_alternative<std::string>(known->second))
        learned = std::get<std::string>(known->second);
    if (learned == asked || learned == "both")
        return {};
    return fmt::format("The policy was trained for the task {}, and programs for {} are asked of it: it will "
                       "write few that can run. Ask for {}, or take another policy.",
                       learned, asked, learned);
}

} // namespace sparserl
