// SPDX-License-Identifier: Apache-2.0
#include "policy/policy/policy_import.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/interruption.h"
#include "policy/families/families.h"
#include "policy/policy/policy.h"
#include "policy/tokenizer/tokenizer_import.h"

namespace sparserl {

namespace fs = std::filesystem;

Result<PolicyImport> importPolicy(const fs::path& from, const fs::path& to,
                                  const PolicyImportOptions& options)
{
    const auto before = listDirectory(to);
    if (before ? !before->empty() : glance(to).exists)
        return failAt(to.string(), 0, "there is something already", "Name a folder that is not there yet");
    const fs::path configFile = from / "config.json";
    if (!glance(configFile).exists)
        return failAt(from.string(), 0, "this is not a model's directory: it has no config.json",
                      "Give a Hugging Face directory with config.json, model.safetensors and its tokenizer");
    SPARSERL_TRY(const auto shape, foreignShape(configFile));
    SPARSERL_TRY(auto tokenizer, readHuggingFaceTokenizer(from));
    if (std::holds_alternative<T5Shape>(shape) && !tokenizer.beginsAsOurs())
        return failAt(from.string(), 0, "tokens 0 to 3 are not <pad>, <s>, </s> and <unk>",
                      "Use a T5 with such a tokenizer, as CodeT5 has it");
    SPARSERL_TRY(auto model, importModel(from, shape, tokenizer.vocabSize(), options.embedding, options.seed,
                                         options.cancel));
    PolicyConfig config;
    config.generation = {options.maxTokens, options.temperature};
    const auto policy = Policy::ofModel(std::move(config), std::move(tokenizer), std::move(model.model));
    if (options.cancel.cancelled())
        return fail(interruption());
    SPARSERL_CHECK(policy.save(to));
    PolicyImport report;
    report.files = model.files;
    report.newWeights = model.newWeights;
    report.untokened = model.untokened;
    report.vocabulary = policy.tokenizer().vocabSize();
    report.weights = policy.parameterCount();
    return report;
}

} // namespace sparserl
