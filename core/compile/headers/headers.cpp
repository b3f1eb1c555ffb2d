// SPDX-License-Identifier: Apache-2.0
#include "compile/headers/headers.h"

#include "base/files.h"
#include "compile/header_changes.h"
#include "compile/headers/own_headers.h"
#include "machine/cuda_libraries.h"

#include <algorithm>
#include <array>
#include <deque>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <system_error>

namespace sparserl {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t maxHeaderBytes = 4 << 20;
/// A whole toolkit has some thousands, of which those that may be included reach several hundred.
constexpr std::size_t maxHeaders = 4000, maxBytesOfAll = 64 << 20;

const OwnHeader* findOwn(std::string_view name)
{
    const auto& all = ownHeaders();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const OwnHeader& h) { return h.name == name; });
    return found == all.end() ? nullptr : &*found;
}

std::optional<std::string> readHeader(const fs::path& folder, std::string_view name)
{
    for (const std::string_view root : toolkitHeaderRoots) {
        const fs::path path = folder / root / name;
        std::error_code error;
        if (!fs::is_regular_file(path, error))
            continue;
        if (auto text = readFile(path, maxHeaderBytes))
            return std::move(*text);
    }
    return std::nullopt;
}

/// Cooperative groups bring type traits of their own, five times faster to compile than CCCL's; they also
/// leave out what would need cuda::atomic.
constexpr std::string_view settings = "#define _CG_LIMIT_INCLUDED_DEPENDENCIES\n";

} // namespace

bool isIncludable(std::string_view name)
{
    return findOwn(name) ||
           std::find(toolkitHeaders.begin(), toolkitHeaders.end(), name) != toolkitHeaders.end();
}

std::string includableNames()
{
    std::set<std::string_view> names(toolkitHeaders.begin(), toolkitHeaders.end());
    for (const OwnHeader& header : ownHeaders())
        names.insert(header.name);
    std::string list;
    for (const std::string_view name : names)
        list += (list.empty() ? "" : ", ") + std::string(name);
    return list;
}

Headers Headers::read(const fs::path& folder)
{
    Headers headers;
    std::deque<std::string> wanted;
    for (const OwnHeader& header : ownHeaders())
        wanted.emplace_back(header.name);
    wanted.insert(wanted.end(), toolkitHeaders.begin(), toolkitHeaders.end());
    // In breadth, so that a limit leaves out what lies deepest, not what programs name.
    for (std::size_t bytes = 0; !wanted.empty() && bytes < maxBytesOfAll; wanted.pop_front()) {
        if (headers.m_headers.contains(wanted.front()) || headers.m_headers.size() >= maxHeaders)
            continue;
        const Header& header = headers.add(wanted.front(), folder);
        bytes += header.text.size();
        wanted.insert(wanted.end(), header.includes.begin(), header.includes.end());
    }
    return headers;
}

/// Reads one header. `#include "details/info.h"` becomes the name from the root, because headers in memory
/// know no folders.
const Headers::Header& Headers::add(const std::string& name, const fs::path& folder)
{
    Header& header = m_headers[name];
    const OwnHeader* own = findOwn(name);
    std::optional<std::string> text;
    if (own)
        text = "#pragma once\n" + std::string(own->text);
    else
        text = readHeader(folder, name);
    if (!text) {
        header.missing = name;
        return header;
    }
    if (name == "cooperative_groups/details/info.h")
        header.text = settings;
    if (!own)
        changeHeader(name, *text);
    for (std::size_t at = 0; at < text->size();) {
        const std::size_t end = std::min(text->find('\n', at), text->size() - 1) + 1;
        const std::string_view line = std::string_view(*text).substr(at, end - at);
        at = end;
        std::size_t i = line.find_first_not_of(" \t");
        const bool directive = i != std::string_view::npos && line[i] == '#';
        i = directive ? line.find_first_not_of(" \t", i + 1) : i;
        const std::size_t open = directive && i != std::string_view::npos && line.substr(i, 7) == "include"
                                     ? line.find_first_of("\"<", i)
                                     : std::string_view::npos;
        const std::size_t close = open == std::string_view::npos ? open : line.find_first_of("\">", open + 1);
        if (close == std::string_view::npos) {
            header.text += line;
            continue;
        }
        std::string included(line.substr(open + 1, close - open - 1));
        const std::string beside = (fs::path(name).parent_path() / included).lexically_normal().string();
        if (line[open] == '"' && (findOwn(beside) || readHeader(folder, beside)))
            included = beside;
        header.text +=
            std::string(line.substr(0, open)) + "<" + included + ">" + std::string(line.substr(close + 1));
        header.includes.push_back(std::move(included));
    }
    return header;
}

Result<Headers::Selection> Headers::select(const std::vector<std::string>& names) const
{
    Selection selection;
    std::set<std::string_view> seen;
    std::vector<std::string_view> open(names.begin(), names.end());
    while (!open.empty()) {
        const std::string_view name = open.back();
        open.pop_back();
        if (!seen.insert(name).second)
            continue;
        const auto found = m_headers.find(name);
        const bool asked = std::find(names.begin(), names.end(), name) != names.end();
        if (found == m_headers.end() || !found->second.missing.empty()) {
            if (asked || name.starts_with("nv/") || name.starts_with("crt/"))
                return fail(
                    "<" + std::string(name) + "> is not installed on this machine",
                    fmt::format("{}, or point SPARSERL_CUDA_DIR to a complete toolkit", installAgain));
            continue; // Most are for other compilers; the compiler says which it lacks.
        }
        selection.names.push_back(found->first.c_str());
        selection.texts.push_back(found->second.text.c_str());
        open.insert(open.end(), found->second.includes.begin(), found->second.includes.end());
    }
    return selection;
}

} // namespace sparserl
