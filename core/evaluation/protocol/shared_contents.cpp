// SPDX-License-Identifier: Apache-2.0
#include "evaluation/protocol/shared_contents.h"

#include <algorithm>

namespace sparserl {

Result<SharedBuffer> shareContents(std::span<const Contents> contents)
{
    std::size_t bytes = 0;
    for (const Contents& one : contents)
        bytes += packedBytes(one);
    auto buffer = SharedBuffer::create(bytes);
    if (!buffer)
        return buffer;
    std::span<std::byte> rest(buffer->data(), buffer->size());
    for (const Contents& one : contents) {
        packContents(one, rest);
        rest = rest.subspan(packedBytes(one));
    }
    SPARSERL_CHECK(buffer->seal());
    return buffer;
}

Result<std::vector<Contents>> readSharedContents(const SharedBuffer& buffer)
{
    std::vector<Contents> contents;
    std::span<const std::byte> rest(buffer.data(), buffer.size());
    do {
        SPARSERL_TRY(auto one, unpackContents(rest));
        rest = rest.subspan(std::min(rest.size(), packedBytes(one)));
        contents.push_back(std::move(one));
    } while (!rest.empty());
    return contents;
}

std::string keyInFile(const std::string& file, std::size_t index, std::size_t count)
{
    return count == 1 ? file : file + "#" + std::to_string(index);
}

} // namespace sparserl
