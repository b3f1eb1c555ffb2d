// SPDX-License-Identifier: Apache-2.0
// Files of tensors: the header, and that the data it describes are exactly those that follow.
#include "base/safetensors_header.h"
#include "fuzz.h"

#include <algorithm>
#include <cstring>

namespace {

using namespace sparserl;

void checkHeader(const SafeTensorsHeader& header, std::uint64_t fileBytes)
{
    std::uint64_t at = 0;
    for (const TensorEntry& entry : header.tensors) {
        FUZZ_CHECK(entry.begin == at && entry.end >= entry.begin);
        std::uint64_t elements = 1;
        for (const std::int64_t extent : entry.shape) {
            FUZZ_CHECK(extent >= 0);
            elements *= static_cast<std::uint64_t>(extent);
        }
        FUZZ_CHECK(tensorTypeBytes(entry.type) > 0);
        FUZZ_CHECK(elements * tensorTypeBytes(entry.type) == entry.end - entry.begin);
        at = entry.end;
    }
    FUZZ_CHECK(header.dataAt + at == fileBytes);
}

void checkFile(std::string_view bytes)
{
    const auto header = readSafeTensorsHeader(bytes, bytes.size(), "input.safetensors");
    if (!header) {
        fuzz::checkError(header.error());
        return;
    }
    checkHeader(*header, bytes.size());
    const std::string head = formatSafeTensorsHeader(*header);
    const std::uint64_t fileBytes = head.size() + (bytes.size() - header->dataAt);
    const auto again = readSafeTensorsHeader(head, fileBytes, "again.safetensors");
    FUZZ_CHECK(again.has_value() && head.size() % 8 == 0);
    FUZZ_CHECK(again->tensors == header->tensors && again->metadata == header->metadata);
    FUZZ_CHECK(!readSafeTensorsHeader(head, fileBytes + 1, "longer").has_value());
    FUZZ_CHECK(!readSafeTensorsHeader(std::string_view(head).substr(0, head.size() - 1), fileBytes, "cut")
                    .has_value());
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view bytes = fuzz::textOf(data, size);
    checkFile(bytes);
    // The same with a length that fits the text up to its last brace, which random bytes seldom hit.
    const auto brace = bytes.rfind('}');
    if (size < 8 || brace == std::string_view::npos || brace < 8)
        return 0;
    const std::uint64_t length = brace + 1 - 8;
    std::string fitted(bytes);
    std::memcpy(fitted.data(), &length, sizeof length);
    checkFile(fitted);
    return 0;
}
