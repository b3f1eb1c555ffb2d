// SPDX-License-Identifier: Apache-2.0
#include "app/training/commands/policy_score.h"

#include "app/cli/matrix_words.h"
#include "app/cli/number_checks.h"
#include "app/cli/read_target.h"
#include "app/cli/usage.h"
#include "app/training/policy_options.h"
#include "base/files.h"
#include "base/format.h"
#include "base/printable.h"
#include "training/sampling/token_scores.h"
#include "training/work/find_policy.h"
#include "training/work/policy_task.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace sparserl::cli {

namespace {

struct ScoreArguments
{
    std::string program, policy, matrix, task, type;
    std::int64_t columns = 8;
    TokenScoring how;
};

Result<Target> targetOf(const Context& context, const ScoreArguments& options, ElementType usual)
{
    SPARSERL_TRY(const auto source, matrixOf(options.matrix));
    TargetVariant variant{options.columns, elementTypeFromName(options.type).value_or(usual)};
    if (const auto task = taskFromName(options.task))
        variant = TargetVariant::of(*task, options.columns, variant.type);
    return readTarget(source, variant, context);
}

Result<ScoredProgram> scored(const Context& context, const ScoreArguments& options)
{
    SPARSERL_TRY(const auto program, readFile(options.program));
    SPARSERL_TRY(const auto folder, findPolicy(options.policy));
    SPARSERL_TRY(const auto target, targetOf(context, options, elementTypeOfPolicy(folder)));
    TokenScoring how = options.how;
    how.forTask = !options.task.empty();
    return scoreTokens(folder, target, program, how);
}

int score(const Context& context, const ScoreArguments& options)
{
    const auto result = scored(context, options);
    if (!result)
        return context.failed(result.error());
    double all = 0;
    for (std::size_t i = 0; i < result->tokens.size(); ++i) {
        const ScoredToken& token = result->tokens[i];
        const char* const kind = token.plan ? "plan" : "code";
        all += token.logProb;
        context.emit({{"token", i},
                      {"id", token.id},
                      {"text", token.text},
                      {"offset", token.offset},
                      {"log_probability", token.logProb},
                      {"entropy", token.entropy},
                      {"class", kind}});
        if (!context.json)
            context.print(fmt::format("{:5} {:7} {:9.3f} {:8.3f} {} {}{}", i, token.id, token.logProb,
                                      token.entropy, kind, printableLine(token.text),
                                      result->stoppedAt == i ? "   <- the verifier stops here" : ""));
    }
    nlohmann::json summary{{"tokens", result->tokens.size()},
                           {"prompt_tokens", result->promptTokens},
                           {"temperature", result->temperature},
                           {"log_probability", all},
                           {"stop_reason", result->stopReason}};
    summary["stopped_at"] = result->stoppedAt ? nlohmann::json(*result->stoppedAt) : nlohmann::json();
    context.emit(summary);
    if (!context.json) {
        context.print(fmt::format("{} with a log-probability of {:.2f} at temperature {:g}",
                                  formatCounted(static_cast<std::int64_t>(result->tokens.size()), "token"),
                                  all, result->temperature));
        if (result->stoppedAt)
            context.print("The verifier stops at token " + std::to_string(*result->stoppedAt) + ": " +
                          printableLine(result->stopReason));
    }
    return Done;
}

} // namespace

PolicyCommand addPolicyScore(CLI::App& policy, Context& context)
{
    auto options = std::make_shared<ScoreArguments>();
    CLI::App* command = policy.add_subcommand(
        "score", "Print each token of a program with its log-probability and entropy under a policy, as if "
                 "the policy had written the program.");
    command->add_option("PROGRAM", options->program, "File of the program, from any source")->required();
    addPolicy(*command, options->policy)->required();
    takesNames(command->add_option("--matrix", options->matrix, oneMatrixHelp)->required(), "matrices");
    command
        ->add_option("--task", options->task,
                     "What the program computes, if the policy writes programs of both tasks; the policy's "
                     "own by default")
        ->check(CLI::IsMember({"spmv", "spmm"}));
    command->add_option("--columns", options->columns, "Dense columns of SpMM")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    command->add_option("--type", options->type, "Element type of the program (default: the policy's)")
        ->check(CLI::IsMember({"f32", "f64"}));
    command->add_option("--temperature", options->how.temperature, "Temperature; the policy's own by default")
        ->check(positiveNumber());
    command
        ->add_option("--seed", options->how.seed, "Seed of the entries that the policy reads, as in generate")
        ->capture_default_str();
    addPolicyCompute(*command, options->how.device, options->how.precision);
    return {command, [options, &context] { return score(context, *options); }};
}

} // namespace sparserl::cli
