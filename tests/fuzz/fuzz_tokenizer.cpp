// SPDX-License-Identifier: Apache-2.0
// tokenizer.json and the shape of a model in config.json. A whole tokenizer has 260 tokens at least, so the
// input is also taken as a change of one (RFC 7386).
#include "base/json.h"
#include "fuzz.h"
#include "policy/matrix/matrix_tokens.h"
#include "policy/t5/t5_config.h"
#include "policy/tokenizer/tokenizer.h"

#include <vector>

namespace {

using namespace sparserl;
using fuzz::checkError;

void checkText(const Tokenizer& tokenizer, std::string_view text)
{
    const auto ids = tokenizer.encode(text);
    FUZZ_CHECK(ids.size() <= text.size());
    for (const std::int32_t id : ids)
        FUZZ_CHECK(id >= 0 && id < tokenizer.vocabSize() && !tokenizer.bytes(id).empty());
    FUZZ_CHECK(tokenizer.decode(ids) == text);
}

void checkTokenizer(const nlohmann::json& json, std::string_view text)
{
    const auto tokenizer = Tokenizer::fromJson(json);
    if (!tokenizer) {
        checkError(tokenizer.error());
        return;
    }
    FUZZ_CHECK(tokenizer->vocabSize() >= 260);
    checkText(*tokenizer, text);
    checkText(*tokenizer, "__global__ void k(const int* __restrict__ a)\n{\n    a[123] = 0;\n}\n");
    const nlohmann::json written = tokenizer->toJson();
    const auto again = Tokenizer::fromJson(written);
    FUZZ_CHECK(again.has_value() && again->toJson() == written);
    FUZZ_CHECK(again->encode(text) == tokenizer->encode(text));
    FUZZ_CHECK(again->preTokenizer() == tokenizer->preTokenizer());
}

void checkConfig(const nlohmann::json& json)
{
    if (const auto config = t5ConfigFromJson(json); !config) {
        checkError(config.error());
    } else {
        FUZZ_CHECK(config->check().has_value());
        nlohmann::json written = nlohmann::json::object();
        writeT5Config(*config, written);
        const auto again = t5ConfigFromJson(written);
        FUZZ_CHECK(again.has_value());
        nlohmann::json twice = nlohmann::json::object();
        writeT5Config(*again, twice);
        FUZZ_CHECK(twice == written);
    }
    if (const auto config = embeddingConfigFromJson(json); !config)
        checkError(config.error());
    else
        FUZZ_CHECK(config->check().has_value() &&
                   toJson(*embeddingConfigFromJson(toJson(*config))) == toJson(*config));
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text = fuzz::textOf(data, size);
    static const nlohmann::json base = Tokenizer().toJson();
    static const nlohmann::json shape = [] {
        nlohmann::json json = nlohmann::json::object();
        writeT5Config(T5Config(), json);
        return json;
    }();
    auto json = parseJson(text);
    if (!json) {
        checkError(json.error());
        return 0;
    }
    checkTokenizer(*json, text);
    checkConfig(*json);
    nlohmann::json changed = base;
    changed.merge_patch(*json);
    checkTokenizer(changed, text);
    changed = shape;
    changed.merge_patch(*json);
    checkConfig(changed);
    return 0;
}
