// SPDX-License-Identifier: Apache-2.0
#include "app/training/policy_options.h"

#include "app/cli/project_words.h"
#include "app/cli/usage.h"
#include "base/beneath.h"
#include "base/format.h"
#include "project/run/default_policy.h"
#include "training/parameters/stage_parameters.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace sparserl::cli {

CLI::Option* addPolicy(CLI::App& command, std::string& policy)
{
    CLI::Option* const option =
        command.add_option("--policy", policy, "Policy directory, checkpoint or run, or \"default\"");
    option->transform(CLI::Validator(
        [](std::string& word) {
            const bool isOther = word.empty() || word.find('/') != std::string::npos || glance(word).exists ||
                                 word == defaultPolicyName;
            if (!isOther && !nearestWord(word, {std::string(defaultPolicyName)}).empty())
                throw NotThere{{fmt::format("there is no policy \"{}\"", word),
                                {},
                                0,
                                fmt::format("Did you mean {}?", defaultPolicyName)}};
            return std::string();
        },
        std::string()));
    return takesNames(takesRun(option), "policies");
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
