// SPDX-License-Identifier: Apache-2.0
#include "app/training/policy_options.h"

#include "app/cli/project_words.h"
#include "app/cli/usage.h"
#include "training/parameters/stage_parameters.h"

#include <CLI/CLI.hpp>
#include <vector>

namespace sparserl::cli {

CLI::Option* addPolicy(CLI::App& command, std::string& policy)
{
    return takesNames(takesRun(command.add_option("--policy", policy,
                                                  "Policy directory, checkpoint or run, or \"default\"")),
                      "policies");
}

void addPolicyCompute(CLI::App& command, std::string& device, std::string& precision)
{
    suggests(
        command.add_option("--policy-device", device, "Where the policy writes: auto, cpu, cuda or cuda:N"),
        [] {
            return std::vector<std::string>{"auto", "cpu", "cuda"};
        })
        ->check(CLI::Validator(
            [](std::string& word) {
                if (const auto known = checkDeviceName(word); !known)
                    throw WrongValue{known.error()};
                return std::string();
            },
            std::string()))
        ->capture_default_str();
    command.add_option("--precision", precision, "Precision of its layers")
        ->check(CLI::IsMember({"fp32", "bf16"}))
        ->capture_default_str();
}

} // namespace sparserl::cli
