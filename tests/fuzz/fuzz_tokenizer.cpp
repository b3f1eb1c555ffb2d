// SPDX-License-Identifier: Apache-2.0
// tokenizer.json and the shape of a model in config.json. A whole tokenizer has 260 tokens at least, so the
// input is also taken as a change of one (RFC 7386).
#include "base/failure.h"
#include "base/json.h"
#include "base/printable.h"
#include "fuzz.h"
#include "policy/matrix/matrix_tokens.h"
#include "policy/t5/t5_config.h"
#include "policy/tokenizer/tokenizer.h"
#include "policy/tokenizer/utf8.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

namespace {

using namespace sparserl;
using fuzz::checkError;

/// Whether a text comes out as it went in: nothing changes it, and no added token takes white space.
bool keepsTexts(const Tokenizer& tokenizer, const nlohmann::json& written)
{
    const auto& added = written["added_tokens"];
    return tokenizer.preTokenizer() != PreTokenizer::File && tokenizer.hasAllBytes() &&
           written["normalizer"].is_null() && std::all_of(added.begin(), added.end(), [](const auto& token) {
               return token["special"] == true;
           });
}

void checkText(const Tokenizer& tokenizer, const Tokenizer& again, const nlohmann::json& written,
               std::string_view text)
try {
    const auto ids = tokenizer.encode(text);
    for (const std::int32_t id : ids) {
        FUZZ_CHECK(id >= 0 && id < tokenizer.vocabSize());
        FUZZ_CHECK(!tokenizer.bytes(id).empty() || id == tokenizer.end());
    }
    for (const std::int32_t id : tokenizer.encode(text, SpecialNames::Tokens))
        FUZZ_CHECK(id >= 0 && id < tokenizer.vocabSize());
    if (keepsTexts(tokenizer, written) && isUtf8(text))
        FUZZ_CHECK(tokenizer.decode(ids) == text);
    FUZZ_CHECK(again.encode(text) == ids);
} catch (const Failure& failure) {
    checkError(failure.error());
}

void checkTokenizer(const nlohmann::json& json, std::string_view text)
{
    const auto tokenizer = Tokenizer::fromJson(json);
    if (!tokenizer) {
        checkError(tokenizer.error());
        return;
    }
    FUZZ_CHECK(tokenizer->vocabSize() >= 97); // the bytes that programs have
    FUZZ_CHECK(!tokenizer->hasAllBytes() || tokenizer->vocabSize() >= 243);
    const nlohmann::json written = tokenizer->toJson();
    const auto again = Tokenizer::fromJson(written);
    FUZZ_CHECK(again.has_value() && again->toJson() == written);
    FUZZ_CHECK(again->preTokenizer() == tokenizer->preTokenizer() && again->end() == tokenizer->end());
    FUZZ_CHECK(again->begin() == tokenizer->begin() && tokenizer->begin() < tokenizer->vocabSize());
    checkText(*tokenizer, *again, written, text);
    checkText(*tokenizer, *again, written,
              "__global__ void k(const int* __restrict__ a)\n{\n    a[123] = 0; // e\u0301\n}\n");
}

/// The same characters in whatever pieces a text arrives.
void checkStream(std::string_view text)
{
    Utf8Stream whole, bytes;
    std::string expected = whole.feed(text), found;
    expected += whole.finish();
    for (std::size_t i = 0; i < text.size(); ++i)
        found += bytes.feed(text.substr(i, 1));
    found += bytes.finish();
    FUZZ_CHECK(found == expected && isUtf8(found));
    FUZZ_CHECK(!isUtf8(text) || found == text);
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
    checkStream(text);
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
