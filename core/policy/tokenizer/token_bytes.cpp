// SPDX-License-Identifier: Apache-2.0
#include "policy/tokenizer/token_bytes.h"

#include "policy/tokenizer/utf8.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace sparserl {

std::vector<std::size_t> bytesOfTokens(const Tokenizer& tokenizer, std::span<const std::int32_t> tokens)
{
    const std::string text = tokenizer.decode(tokens);
    std::size_t all = 0;
    for (const std::int32_t token : tokens)
        all += tokenizer.bytes(token).size();
    std::size_t stripped = all - text.size(); // at the beginning
    std::vector<std::size_t> bytes;
    Utf8Stream stream;
    for (const std::int32_t token : tokens) {
        std::string_view of = tokenizer.bytes(token);
        const std::size_t left = std::min(stripped, of.size());
        of.remove_prefix(left);
        stripped -= left;
        bytes.push_back(stream.feed(of).size());
    }
    if (!bytes.empty())
        bytes.back() += stream.finish().size();
    return bytes;
}

} // namespace sparserl
