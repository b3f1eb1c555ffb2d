// SPDX-License-Identifier: Apache-2.0
#include "policy/policy/policy_import.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/interruption.h"
#include "base/licence_files.h"
#include "base/new_place.h"
#include "policy/causal/new_causal.h"
#include "policy/families/families.h"
#include "policy/files/gguf_file.h"
#include "policy/policy/policy.h"
#include "policy/tokenizer/chat_format.h"
#include "policy/tokenizer/tokenizer_gguf.h"
#include "policy/tokenizer/tokenizer_import.h"

namespace sparserl {

namespace fs = std::filesystem;

namespace {

/// What is taken of a model of others.
struct Foreign
{
    Tokenizer tokenizer;
    ImportedModel model;
    std::optional<std::string> chatTemplate;
};

Result<Foreign> readGguf(const fs::path& path, const PolicyImportOptions& options)
{
    SPARSERL_TRY(const auto file, GgufFile::open(path));
    SPARSERL_TRY(auto tokenizer, tokenizerFromGguf(file.header(), path.string()));
    SPARSERL_TRY(auto chat, chatTemplateOf(file.header()));
    SPARSERL_CHECK(file.whole());
    SPARSERL_TRY(auto model, importCausalGguf(file, tokenizer.vocabSize(), options.embedding, options.seed,
                                              options.cancel));
    return Foreign{std::move(tokenizer), std::move(model), std::move(chat)};
}

Result<Foreign> readDirectory(const fs::path& from, const PolicyImportOptions& options)
{
    const fs::path configFile = from / "config.json";
    if (!glance(configFile).exists)
        return failAt(
            from.string(), 0, "this is not a model's directory: it has no config.json",
            "Give a Hugging Face directory with config.json, model.safetensors and its tokenizer, or "
            "a GGUF file");
    SPARSERL_TRY(auto shape, foreignShape(configFile));
    SPARSERL_TRY(auto tokenizer, readHuggingFaceTokenizer(from));
    if (std::holds_alternative<T5Shape>(shape) && !tokenizer.beginsAsOurs())
        return failAt(from.string(), 0, "tokens 0 to 3 are not <pad>, <s>, </s> and <unk>",
                      "Use a T5 with such a tokenizer, as CodeT5 has it");
    SPARSERL_TRY(auto chat, chatTemplateOf(from));
    if (auto* causal = std::get_if<CausalConfig>(&shape)) {
        SPARSERL_TRY(causal->passedOn, passedOnOf(from, chat.value_or(std::string())));
    }
    SPARSERL_TRY(auto model, importModel(from, shape, tokenizer.vocabSize(), options.embedding, options.seed,
                                         options.cancel));
    return Foreign{std::move(tokenizer), std::move(model), std::move(chat)};
}

/// Weights keep their licence, whose text goes along with them.
Status copyLicences(const fs::path& from, const fs::path& to)
{
    constexpr std::size_t most = 256 << 10;
    const auto copy = [&](const char* name) -> Status {
        if (!glance(from / name).exists)
            return {};
        SPARSERL_TRY(const std::string text, readFile(from / name, most));
        return writeFileAtomic(to / name, text);
    };
    for (const char* name : licenceFiles)
        SPARSERL_CHECK(copy(name));
    for (const char* name : noticeFiles)
        SPARSERL_CHECK(copy(name));
    return {};
}

} // namespace

Result<PolicyImport> importPolicy(const fs::path& from, const fs::path& to,
                                  const PolicyImportOptions& options)
{
    const auto before = listDirectory(to);
    if (!before || !before->empty())
        SPARSERL_CHECK(checkFree(to, "folder"));
    SPARSERL_TRY(const auto gguf, ggufAt(from));
    std::string chat = options.chat, unknown;
    if (!chat.empty())
        SPARSERL_CHECK(ChatFormat::named(chat));
    SPARSERL_TRY(auto foreign, gguf ? readGguf(*gguf, options) : readDirectory(from, options));
    if (options.textEntries > 0 && !foreign.model.model->beginsPrompts())
        return fail("a T5 reads matrices as tokens, not as text", "Leave --text-entries at 0");
    PolicyConfig config;
    config.generation = {options.maxTokens, options.temperature};
    config.textEntries = options.textEntries;
    if (chat.empty() && foreign.chatTemplate) {
        const auto format = ChatFormat::recognised(*foreign.chatTemplate);
        chat = format ? format->name() : "";
        unknown = format ? "" : format.error().sentence();
    }
    if (!chat.empty()) {
        if (const auto usable = ChatFormat::named(chat)->check(foreign.tokenizer); !usable) {
            if (!options.chat.empty())
                return fail(usable.error());
            unknown = usable.error().sentence();
            chat.clear();
        }
    }
    config.chat = chat;
    const ImportedModel& model = foreign.model;
    const auto policy = Policy::ofModel(std::move(config), std::move(foreign.tokenizer), model.model);
    if (options.cancel.cancelled())
        return fail(interruption());
    SPARSERL_CHECK(policy.save(to));
    if (!gguf)
        SPARSERL_CHECK(copyLicences(from, to));
    PolicyImport report;
    report.chat = chat;
    report.chatIsUnknown = unknown;
    report.files = model.files;
    report.newWeights = model.newWeights;
    report.untokened = model.untokened;
    report.vocabulary = policy.tokenizer().vocabSize();
    report.weights = policy.parameterCount();
    return report;
}

} // namespace sparserl
