// SPDX-License-Identifier: Apache-2.0
#include "remote/mirrored_units.h"

#include "base/beneath.h"
#include "base/control_file.h"
#include "base/files.h"
#include "base/hash.h"
#include "project/files/file_handle.h"
#include "project/run/checkpoint_files.h"
#include "project/run/run_directory.h"

#include <algorithm>
#include <utility>

namespace sparserl {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t deepest = 3;
constexpr std::int64_t chunk = 1 << 20;

bool isNumber(std::string_view text)
{
    return !text.empty() && text.size() <= 12 &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool isPlainName(std::string_view name)
{
    return !name.empty() && name.size() <= 128 && name.front() != '.' &&
           std::all_of(name.begin(), name.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '.' || c == '_' || c == '-';
           });
}

} // namespace

std::vector<std::string> mirroredUnits(const fs::path& run)
{
    std::vector<std::string> units;
    for (const CheckpointInfo& checkpoint : listCheckpoints(run))
        units.push_back("checkpoints/" + checkpoint.name);
    for (const fs::path& path : entriesOf(run))
        if (const std::string name = path.filename().string(); name.starts_with(discardedPrefix))
            units.push_back(name);
    std::erase_if(units, [](const std::string& unit) { return !isUnitName(unit); });
    std::sort(units.begin(), units.end());
    return units;
}

bool isUnitName(std::string_view name)
{
    if (name.starts_with(checkpointPrefix))
        return isNumber(name.substr(checkpointPrefix.size()));
    return name.starts_with(discardedPrefix) && name.ends_with(discardedSuffix) &&
           name.size() > discardedPrefix.size() + discardedSuffix.size() &&
           isNumber(name.substr(discardedPrefix.size(),
                                name.size() - discardedPrefix.size() - discardedSuffix.size()));
}

bool isFileOfUnit(std::string_view unit, std::string_view file)
{
    if (!isUnitName(unit))
        return false;
    if (file == unit)
        return !unit.starts_with(checkpointPrefix);
    if (!unit.starts_with(checkpointPrefix) || !file.starts_with(unit) || file.size() <= unit.size() + 1 ||
        file[unit.size()] != '/')
        return false;
    std::string_view rest = file.substr(unit.size() + 1);
    for (std::size_t depth = 0; depth < deepest; ++depth) {
        const auto slash = rest.find('/');
        if (!isPlainName(rest.substr(0, slash)))
            return false;
        if (slash == std::string_view::npos)
            return true;
        rest.remove_prefix(slash + 1);
    }
    return false;
}

std::vector<std::string> filesOfUnit(const fs::path& run, const std::string& unit)
{
    if (!glance(run / unit).folder)
        return {unit};
    std::vector<std::string> files;
    const auto all = listTree(run / unit);
    for (const fs::path& path : all ? *all : std::vector<fs::path>()) {
        const std::string name = path.lexically_relative(run).string();
        if (isFileOfUnit(unit, name) && path.filename() != "PIN")
            files.push_back(name);
    }
    std::sort(files.begin(), files.end(), [&](const std::string& a, const std::string& b) {
        const std::string done = unit + "/DONE";
        return std::pair(a == done, a) < std::pair(b == done, b);
    });
    return files;
}

std::string unitTag(const fs::path& run, const std::string& unit)
{
    if (unit.starts_with(checkpointPrefix)) {
        const auto done = readControlFile(run / unit / "checkpoint.json");
        return done ? sha256Hex(*done) : std::string();
    }
    const Entry look = glance(run / unit);
    return look.exists ? std::to_string(look.bytes) : std::string();
}

bool isWholeUnit(const fs::path& run, const std::string& unit)
{
    return unit.starts_with(checkpointPrefix) ? glance(run / unit / "DONE").exists
                                              : glance(run / unit).exists;
}

std::string prefixHash(const fs::path& file, std::int64_t bytes)
{
    Hasher hasher;
    if (bytes > 0) {
        const auto handle = FileHandle::openRead(file);
        if (!handle)
            return {};
        for (std::int64_t at = 0; at < bytes;) {
            const auto text = handle->read(at, std::min(chunk, bytes - at));
            if (!text || text->empty() || handle->dataFrom(at) > at + chunk) // a hole is in no journal
                return {};
            hasher.update(*text);
            at += static_cast<std::int64_t>(text->size());
        }
    }
    return hasher.hex();
}

} // namespace sparserl
