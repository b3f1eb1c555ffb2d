// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "base/format.h"
#include "base/shell.h"
#include "policy/policy/policy_import.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace sparserl::cli {

namespace {

struct PolicyArguments
{
    std::string from, out;
    std::string embedding{nameOf(EmbeddingMode::SinusoidalStructure)};
    PolicyImportOptions import;
};

int import(Context& context, PolicyArguments options)
{
    const auto mode = embeddingModeFromName(options.embedding);
    if (!mode)
        return context.error(mode.error());
    options.import.embedding.mode = *mode;
    options.import.cancel = context.cancel;
    const auto report = importPolicy(options.from, options.out, options.import);
    if (!report)
        return context.failed(report.error());
    context.emit({{"policy", options.out},
                  {"weights", report->weights},
                  {"new_weights", report->newWeights},
                  {"vocabulary", report->vocabulary},
                  {"rows_left_out", report->untokened},
                  {"files", report->files}});
    if (!context.json)
        context.print(fmt::format(
            "{}: {} weights, {} of them new (the matrix embedding), a vocabulary of {} tokens{}. It writes "
            "programs after fine-tuning: {}",
            options.out, formatGrouped(report->weights), formatGrouped(report->newWeights),
            formatGrouped(report->vocabulary),
            report->untokened > 0 ? fmt::format(" ({} rows without a token left out)", report->untokened)
                                  : "",
            shellCommand("sparserl train quickstart-sft --parent {} --set sft.lr=0.0003", {options.out})));
    return Done;
}

} // namespace

Body add_policy(CLI::App& app, Context& context)
{
    auto options = std::make_shared<PolicyArguments>();
    CLI::App* command = addTrainingCommand(app, "policy");
    command->require_subcommand(1);
    CLI::App* taking = command->add_subcommand("import", "Make a policy from a T5, llama, qwen2 or qwen3 in "
                                                         "Hugging Face files, such as CodeT5, as a start for "
                                                         "runs.");
    taking
        ->add_option("DIR", options->from,
                     "Directory with config.json, model.safetensors (or shards) and the tokenizer's files")
        ->required();
    taking->add_option("--out", options->out, "The policy's new directory")->required();
    taking->add_option("--embedding", options->embedding, "Matrix embedding that the policy reads")
        ->check(
            CLI::IsMember({"raw", "sinusoidal", "sinusoidal+structure", "quadtree", "quadtree-attention"}))
        ->capture_default_str();
    taking
        ->add_option("--max-entries", options->import.embedding.maxEntries,
                     "Maximum number of non-zeros that the policy reads")
        ->check(CLI::Range(1, 4096))
        ->capture_default_str();
    taking->add_option("--max-tokens", options->import.maxTokens, "Longest program")
        ->check(CLI::Range(1, 65536))
        ->capture_default_str();
    taking->add_option("--seed", options->import.seed, "Seed of the matrix embedding's weights")
        ->capture_default_str();
    return [options, &context] { return import(context, *options); };
}

} // namespace sparserl::cli
