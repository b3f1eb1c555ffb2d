// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/usage.h"
#include "app/training/commands/policy_adapters.h"
#include "app/training/commands/policy_score.h"
#include "base/failure.h"
#include "base/files.h"
#include "base/format.h"
#include "base/interruption.h"
#include "base/json.h"
#include "base/shell.h"
#include "policy/policy/policy_import.h"
#include "policy/tokenizer/chat_format.h"
#include "policy/tokenizer/tokenizer_gguf.h"

#include <CLI/CLI.hpp>
#include <algorithm>
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

struct TokensArguments
{
    std::string from, file;
    std::string chat;
    bool lines = false, names = false;
};

/// The tokens of texts, each a line of JSON, as a list for each.
int tokensOfLines(Context& context, const Tokenizer& tokenizer, SpecialNames names, const std::string& file,
                  const std::string& text)
{
    int number = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        ++number;
        const auto line = parseJson(std::string_view(text).substr(at, end - at), file);
        at = end + 1;
        const auto* given = line ? line->get_ptr<const std::string*>() : nullptr;
        if (given == nullptr)
            return context.error(Error{"this line is not a JSON string", file, number,
                                       "Write each text as a JSON string on its own line"});
        if (context.cancel.cancelled())
            return context.failed(interruption());
        const auto ids = tokenizer.encode(*given, names);
        if (context.json)
            context.emit({{"tokens", ids}});
        else
            context.print(dumpJson(ids));
    }
    return Done;
}

/// The tokens of a conversation, up to where the model answers.
int tokensOfMessages(Context& context, const Tokenizer& tokenizer, const TokensArguments& options,
                     const std::string& text)
{
    const auto format = ChatFormat::named(options.chat);
    const auto value = parseJson(text, options.file);
    if (!format)
        return context.wrongUsage(format.error());
    if (!value)
        return context.error(value.error());
    const auto messages = chatMessagesFromJson(*value);
    if (!messages)
        return context.error(Error{messages.error().what, options.file, 0, messages.error().remedy});
    const auto ids = format->tokens(tokenizer, *messages, true);
    if (!ids)
        return context.error(ids.error());
    if (context.json)
        context.emit({{"tokens", *ids}, {"text", format->text(*messages, true)}});
    else
        context.print(dumpJson(*ids));
    return Done;
}

int tokens(Context& context, const TokensArguments& options)
{
    const auto tokenizer = readTokenizer(options.from);
    if (!tokenizer)
        return context.error(tokenizer.error());
    const auto text = readFile(options.file);
    if (!text)
        return context.error(text.error());
    const SpecialNames names = options.names ? SpecialNames::Tokens : SpecialNames::Text;
    try {
        if (!options.chat.empty())
            return tokensOfMessages(context, *tokenizer, options, *text);
        if (options.lines)
            return tokensOfLines(context, *tokenizer, names, options.file, *text);
        const auto ids = tokenizer->encode(*text, names);
        context.emit({{"tokens", ids}, {"bytes", text->size()}, {"vocabulary", tokenizer->vocabSize()}});
        if (!context.json)
            context.print(fmt::format("{}: {} of {} for {}", options.file,
                                      formatCounted(static_cast<std::int64_t>(ids.size()), "token"),
                                      formatGrouped(tokenizer->vocabSize()),
                                      formatCounted(static_cast<std::int64_t>(text->size()), "byte")));
    } catch (const Failure& failure) {
        return context.failed(failure.error());
    }
    return Done;
}

int import(Context& context, PolicyArguments options)
{
    if (!options.import.chat.empty())
        if (const auto format = ChatFormat::named(options.import.chat); !format)
            return context.wrongUsage(format.error());
    const auto mode = embeddingModeFromName(options.embedding);
    if (!mode)
        return context.error(mode.error());
    options.import.embedding.mode = *mode;
    options.import.cancel = context.cancel;
    context.keeps("no policy was written");
    const auto report = importPolicy(options.from, options.out, options.import);
    if (!report)
        return context.failed(report.error());
    context.emit({{"policy", options.out},
                  {"weights", report->weights},
                  {"new_weights", report->newWeights},
                  {"vocabulary", report->vocabulary},
                  {"rows_left_out", report->untokened},
                  {"chat", report->chat},
                  {"files", report->files}});
    if (!context.json)
        context.print(fmt::format(
            "{}: {} weights, {} of them new (the matrix embedding), a vocabulary of {} tokens{}. "
            "It needs fine-tuning before it can write programs: {}",
            options.out, formatGrouped(report->weights), formatGrouped(report->newWeights),
            formatGrouped(report->vocabulary),
            report->untokened > 0
                ? fmt::format(" ({} without a token left out)", formatCounted(report->untokened, "row"))
                : "",
            shellCommand("sparserl train quickstart-sft --parent {} --set sft.lr=0.0003", {options.out})));
    if (!context.json && !report->chat.empty())
        context.print("Its chat format is " + report->chat + ".");
    if (!report->chatIsUnknown.empty())
        context.note(report->chatIsUnknown);
    return Done;
}

} // namespace

Body add_policy(CLI::App& app, Context& context)
{
    auto options = std::make_shared<PolicyArguments>();
    CLI::App* command = addTrainingCommand(app, "policy");
    command->require_subcommand(1);
    CLI::App* taking =
        command->add_subcommand("import", "Make a policy from a T5, llama, qwen2, qwen3 or glm4 in "
                                          "Hugging Face files or a GGUF file, such as CodeT5, "
                                          "as a start for runs.");
    taking
        ->add_option("DIR", options->from,
                     "Directory with config.json, model.safetensors (or shards) and the tokenizer's files; "
                     "or a GGUF file")
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
    taking
        ->add_option("--text-entries", options->import.textEntries,
                     "Describe matrices to the policy in words, with so many of their non-zeros, in place of "
                     "the matrix embedding; 0: use the embedding. Not for a T5")
        ->check(CLI::Range(0, 4096))
        ->capture_default_str();
    suggests(taking->add_option("--chat", options->import.chat,
                                "Name of the model's chat format, if its template is not known: " +
                                    ChatFormat::names()),
             ChatFormat::list);
    taking->add_option("--max-tokens", options->import.maxTokens, "Longest program")
        ->check(CLI::Range(1, 65536))
        ->capture_default_str();
    taking->add_option("--seed", options->import.seed, "Seed of the matrix embedding's weights")
        ->capture_default_str();

    auto counted = std::make_shared<TokensArguments>();
    CLI::App* counting =
        command->add_subcommand("tokens", "Count the tokens that a tokenizer makes of a text.");
    counting->add_option("DIR", counted->from, "Policy, GGUF file, or directory with a model's tokenizer")
        ->required();
    counting->add_option("FILE", counted->file, "Text")->required();
    counting->add_flag("--lines", counted->lines,
                       "Each line of FILE is a JSON string; print the list of its tokens");
    suggests(counting->add_option(
                 "--chat", counted->chat,
                 "FILE is a list of messages in JSON; print the list of tokens that the chat format of this "
                 "name makes of them: " +
                     ChatFormat::names()),
             ChatFormat::list);
    counting->add_flag("--names", counted->names,
                       "Read the names of special tokens in a text as those tokens (default: as plain text)");
    std::vector<PolicyCommand> commands{
        {taking, [options, &context] { return import(context, *options); }},
        addPolicyAdapt(*command, context),
        addPolicyMerge(*command, context),
        addPolicyShrink(*command, context),
        addPolicyExport(*command, context),
        addPolicyScore(*command, context),
        {counting, [counted, &context] { return tokens(context, *counted); }}};
    return [commands] {
        const auto chosen =
            std::ranges::find_if(commands, [](const auto& one) { return one.first->parsed(); });
        return chosen->second();
    };
}

} // namespace sparserl::cli
