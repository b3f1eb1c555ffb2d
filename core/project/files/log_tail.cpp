// SPDX-License-Identifier: Apache-2.0
#include "project/files/log_tail.h"

#include "base/beneath.h"
#include "project/files/file_handle.h"

#include <algorithm>

namespace sparserl {

std::vector<std::string> lastLines(const std::filesystem::path& log, std::size_t count)
{
    std::vector<std::string> lines;
    if (count == 0 || !glance(log).exists)
        return lines;
    const auto file = FileHandle::openRead(log);
    if (!file)
        return lines;
    const auto size = file->size();
    if (!size)
        return lines;
    // Lines are short; 400 bytes each on average is plenty, and a log of gigabytes must not be read whole.
    const auto want = std::min<std::int64_t>(*size, static_cast<std::int64_t>(count) * 400 + 4096);
    const auto text = file->read(*size - want, want);
    if (!text)
        return lines;
    std::size_t at = 0;
    if (want < *size)
        at = std::min(text->find('\n'), text->size() - 1) + 1;
    while (at < text->size()) {
        const std::size_t end = std::min(text->find('\n', at), text->size());
        lines.push_back(text->substr(at, end - at));
        at = end + 1;
    }
    if (lines.size() > count)
        lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(count));
    return lines;
}

} // namespace sparserl
