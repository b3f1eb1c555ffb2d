// SPDX-License-Identifier: Apache-2.0
// GGUF files: the header, the tokenizer and the shape that it describes, the numbers of its tensors.
#include "base/failure.h"
#include "fuzz.h"
#include "policy/causal/causal_gguf.h"
#include "policy/files/gguf_header.h"
#include "policy/tokenizer/tokenizer_gguf.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

namespace {

using namespace sparserl;
using fuzz::checkError;

/// Tensors follow one another within the file, and each has room for its numbers.
void checkTensors(const GgufHeader& header, std::string_view bytes)
{
    std::uint64_t at = 0;
    for (const GgufTensor& tensor : header.tensors) {
        FUZZ_CHECK(tensor.begin >= at && tensor.end > tensor.begin && tensor.end <= bytes.size());
        const GgufBlock block = blockOf(tensor.type);
        FUZZ_CHECK(block.numbers > 0 && tensor.numbers() % block.numbers == 0);
        FUZZ_CHECK(tensor.numbers() / block.numbers * block.bytes == tensor.end - tensor.begin);
        for (const char* family : {"llama", "glm4"}) {
            const std::string known = huggingFaceName(family, tensor.name);
            FUZZ_CHECK(ggufName(known) == tensor.name || known == tensor.name);
        }
        std::vector<float> numbers(tensor.numbers());
        readGgufNumbers(tensor.type, reinterpret_cast<const std::byte*>(bytes.data()) + tensor.begin,
                        numbers.size(), numbers.data());
        at = tensor.end;
    }
}

void checkTokenizer(const GgufHeader& header, std::string_view text)
try {
    const auto tokenizer = tokenizerFromGguf(header, "input.gguf");
    if (!tokenizer) {
        checkError(tokenizer.error());
        return;
    }
    FUZZ_CHECK(tokenizer->end() >= 0 && tokenizer->end() < tokenizer->vocabSize());
    FUZZ_CHECK(tokenizer->begin() >= -1 && tokenizer->begin() < tokenizer->vocabSize());
    for (const std::int32_t id : tokenizer->encode(text))
        FUZZ_CHECK(id >= 0 && id < tokenizer->vocabSize());
    const auto written = tokenizer->toJson();
    const auto again = Tokenizer::fromJson(written);
    FUZZ_CHECK(again.has_value() && again->toJson() == written);
} catch (const Failure& failure) {
    checkError(failure.error());
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view bytes = fuzz::textOf(data, size);
    const auto header = readGgufHeader(bytes, "input.gguf");
    if (!header) {
        checkError(header.error());
        return 0;
    }
    checkTensors(*header, bytes);
    checkTokenizer(*header, bytes.substr(0, 64));
    for (const std::vector<float>& factors : {std::vector<float>(), std::vector<float>{1, 8}}) {
        const auto config = causalConfigFromGguf(*header, factors);
        if (config)
            FUZZ_CHECK(config->check().has_value());
        else
            checkError(config.error());
    }
    return 0;
}
