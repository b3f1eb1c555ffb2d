// SPDX-License-Identifier: Apache-2.0
// Apart from the rest of base/beneath.h: what needs no hash links no library of hashes.
#include "base/beneath.h"

#include "base/hash.h"

#include <algorithm>
#include <cctype>

namespace sparserl {

std::string fileNameFor(std::string_view text)
{
    const bool plain = !text.empty() && text.size() <= 200 && text.front() != '.' &&
                       std::all_of(text.begin(), text.end(), [](unsigned char c) {
                           return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_';
                       });
    return plain ? std::string(text) : "unnamed-" + sha256Hex(text);
}

} // namespace sparserl
