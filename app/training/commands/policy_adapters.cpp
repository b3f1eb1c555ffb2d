// SPDX-License-Identifier: Apache-2.0
#include "app/training/commands/policy_adapters.h"

#include "app/cli/number_checks.h"
#include "app/cli/project_words.h"
#include "app/cli/usage.h"
#include "base/beneath.h"
#include "base/format.h"
#include "policy/policy/policy_conversion.h"
#include "project/files/run_files.h"
#include "project/run/run_config.h"
#include "training/work/find_policy.h"
#include "training/work/trained_on.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace sparserl::cli {

namespace {

struct Arguments
{
    std::string from, out, adapter;
    std::string format{"peft"};
    LoraConfig lora{.rank = 16, .alpha = 32};
    std::vector<std::string> targets; ///< Empty: all of the blocks.
    std::uint64_t seed = 1;
};

void addFromAndOut(CLI::App& command, Arguments& options, const char* out)
{
    takesRun(takesNames(command.add_option("POLICY", options.from, "Policy, checkpoint or run"), "policies"))
        ->required();
    command.add_option("--out", options.out, out)->required();
}

Result<ConvertedPolicy> adapted(const Arguments& options)
{
    SPARSERL_TRY(const auto from, findPolicy(options.from));
    if (!options.adapter.empty())
        return adaptPolicy(from, options.out, options.adapter);
    LoraConfig lora = options.lora;
    lora.targets = options.targets;
    return adaptPolicy(from, options.out, lora, options.seed);
}

Result<ConvertedPolicy> merged(const Arguments& options)
{
    SPARSERL_TRY(const auto from, findPolicy(options.from));
    return mergePolicy(from, options.out);
}

/// What a policy writes, and the matrices that it was trained on, stay with it. Where its run lay is nobody
/// else's business.
Result<ConvertedPolicy> shrunk(const Arguments& options)
{
    SPARSERL_TRY(const auto from, findPolicy(options.from));
    SPARSERL_TRY(const auto made, shrinkPolicy(from, options.out));
    SPARSERL_TRY(const auto trainedOn, readTrainedOn(from));
    if (!trainedOn.empty())
        SPARSERL_CHECK(writeTrainedOn(options.out, trainedOn));
    if (glance(from / runFile).exists) {
        SPARSERL_TRY(auto run, readRunConfig(from / runFile));
        run.project.clear();
        run.parentCheckpoint.clear();
        run.parentDigest.clear();
        SPARSERL_CHECK(writeRunConfig(std::filesystem::path(options.out) / runFile, run));
    }
    return made;
}

Result<PolicyExport> exported(const Arguments& options, const CancelToken& cancel)
{
    SPARSERL_TRY(const auto from, findPolicy(options.from));
    if (options.format == "peft")
        return exportAdapters(from, options.out);
    if (options.format == "gguf-lora")
        return exportAdaptersGguf(from, options.out, cancel);
    if (options.format == "hf")
        return exportHuggingFace(from, options.out);
    const GgufType type = options.format == "gguf-q8_0"  ? GgufType::Q8_0
                          : options.format == "gguf-f16" ? GgufType::F16
                                                         : GgufType::F32;
    return exportGguf(from, options.out, type, cancel);
}

} // namespace

PolicyCommand addPolicyAdapt(CLI::App& policy, Context& context)
{
    auto options = std::make_shared<Arguments>();
    CLI::App* command = policy.add_subcommand(
        "adapt",
        "Add low-rank adapters (LoRA) to a policy that comes from a llama, qwen2, qwen3 or glm4 model: "
        "runs then train these and the matrix embedding, and leave its other weights unchanged.");
    addFromAndOut(*command, *options, "The policy's new directory");
    auto* peft =
        command->add_option("--adapter", options->adapter, "Use the adapters from this PEFT directory");
    const auto own = [&](CLI::Option* option) { option->excludes(peft)->capture_default_str(); };
    own(command->add_option("--rank", options->lora.rank, "Rank of the adapters")
            ->check(CLI::Range(1, 4096)));
    own(command->add_option("--alpha", options->lora.alpha, "Their scale is alpha / rank")
            ->check(positiveNumber()));
    command->add_flag("--rslora", options->lora.rankStabilised, "Their scale is alpha / sqrt(rank)")
        ->excludes(peft);
    command
        ->add_option(
            "--targets", options->targets,
            "Layers that have adapters, by the ends of their names: q_proj, layers.3.mlp.up_proj; all "
            "linear layers of the blocks by default")
        ->delimiter(',')
        ->excludes(peft);
    own(command->add_option("--seed", options->seed, "Seed of the adapters"));
    return {command, [options, &context] {
                const auto made = adapted(*options);
                if (!made)
                    return context.failed(made.error());
                context.emit({{"policy", options->out},
                              {"weights", made->weights},
                              {"trainable_weights", made->trainable}});
                if (!context.json)
                    context.print(fmt::format("{}: {} of {} weights learn: adapters and the matrix embedding",
                                              options->out, formatGrouped(made->trainable),
                                              formatGrouped(made->weights)));
                return int(Done);
            }};
}

PolicyCommand addPolicyMerge(CLI::App& policy, Context& context)
{
    auto options = std::make_shared<Arguments>();
    CLI::App* command =
        policy.add_subcommand("merge", "Merge a policy's adapters into its weights: the new policy computes "
                                       "the same, and runs train all of its weights.");
    addFromAndOut(*command, *options, "The policy's new directory");
    return {command, [options, &context] {
                const auto made = merged(*options);
                if (!made)
                    return context.failed(made.error());
                context.emit({{"policy", options->out}, {"weights", made->weights}});
                if (!context.json)
                    context.print(fmt::format("{}: {} weights", options->out, formatGrouped(made->weights)));
                return int(Done);
            }};
}

PolicyCommand addPolicyShrink(CLI::App& policy, Context& context)
{
    auto options = std::make_shared<Arguments>();
    CLI::App* command = policy.add_subcommand(
        "shrink", "Copy a policy with 16-bit weights (bf16), in half the space, to pass it on.");
    addFromAndOut(*command, *options, "The policy's new directory");
    return {command, [options, &context] {
                const auto made = shrunk(*options);
                if (!made)
                    return context.failed(made.error());
                context.emit({{"policy", options->out}, {"weights", made->weights}});
                if (!context.json)
                    context.print(
                        fmt::format("{}: {} weights of 16 bits", options->out, formatGrouped(made->weights)));
                return int(Done);
            }};
}

PolicyCommand addPolicyExport(CLI::App& policy, Context& context)
{
    auto options = std::make_shared<Arguments>();
    CLI::App* command = policy.add_subcommand(
        "export",
        "Write a policy's adapters for PEFT and vLLM (a directory) or for llama.cpp (a GGUF file), or its "
        "language model, with merged adapters and without the matrix embedding, for transformers and vLLM "
        "(a directory) or for llama.cpp (a GGUF file).");
    addFromAndOut(*command, *options, "New directory or file");
    command
        ->add_option("--format", options->format,
                     "What to write: adapters (peft, gguf-lora), or the model, for transformers (hf) or as a "
                     "GGUF file with weights of this type")
        ->check(CLI::IsMember({"peft", "gguf-lora", "hf", "gguf-f32", "gguf-f16", "gguf-q8_0"}))
        ->capture_default_str();
    return {
        command, [options, &context] {
            const auto done = exported(*options, context.cancel);
            if (!done)
                return context.failed(done.error());
            context.emit({{"file", options->out}, {"format", options->format}, {"left_out", done->leftOut}});
            if (!context.json)
                context.print(fmt::format("{}: {}", options->out, options->format));
            for (const std::string& sentence : done->leftOut)
                context.note(sentence);
            return int(Done);
        }};
}

} // namespace sparserl::cli
