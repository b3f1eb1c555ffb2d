// SPDX-License-Identifier: Apache-2.0
#include "base/source_name.h"

#include "base/hash.h"
#include "base/printable.h"

#include <algorithm>

namespace sparserl {
namespace {

constexpr std::size_t longestCopy = 180; ///< Leaves room for "2-" and for what atomic writing appends.
constexpr std::size_t longestEnding = 24;

bool isContinuation(char c)
{
    return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

} // namespace

std::string displayName(std::string_view fileName)
{
    if (fileName.find_first_not_of(". ") == std::string_view::npos)
        return "unnamed";
    return printableLine(fileName);
}

std::string copyName(std::string_view fileName)
{
    std::string name = displayName(fileName);
    std::replace(name.begin(), name.end(), '/', '_');
    if (name.front() == '.' || name == "project.toml" || name == "run.toml")
        name = "file-" + name;
    if (name.size() <= longestCopy)
        return name;
    // The ending says what it is, the digest keeps long names apart.
    const auto dot = name.find('.', name.size() - longestEnding);
    const std::string ending = dot == std::string::npos ? std::string() : name.substr(dot);
    const std::string tail = "-" + sha256Hex(fileName).substr(0, 12) + ending;
    std::size_t end = longestCopy - tail.size();
    while (end > 0 && isContinuation(name[end]))
        --end;
    return name.substr(0, end) + tail;
}

} // namespace sparserl
