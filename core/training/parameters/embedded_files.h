// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/files.h"
#include "base/format.h"
#include "base/result.h"

#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// The files of projects/ that are embedded in the program, so that an installed or moved binary need not
/// search for them. The user can add files of each kind.
namespace sparserl::embedded {

struct File
{
    const char* name; ///< File name without folder and extension.
    const char* text;
};

std::span<const File> presets();
std::span<const File> ablations();

/// Parses all embedded files of a kind, sorted by name. `read` takes the text of a file, its name, and its
/// path for errors.
template <typename Read>
auto readAll(std::span<const File> files, const std::string& folder, const Read& read)
{
    using One = typename decltype(read(std::string(), std::string(), std::string()))::value_type;
    std::vector<One> all;
    for (const File& file : files) {
        auto one = read(file.text, file.name, fmt::format("{}/{}.toml", folder, file.name));
        if (!one)
            return Result<std::vector<One>>(fail(one.error()));
        all.push_back(std::move(*one));
    }
    return Result<std::vector<One>>(std::move(all));
}

/// Returns the item with this name, or reads a file of the user. `what` names the kind in errors ("preset").
template <typename One, typename Read>
Result<One> findOne(std::vector<One> all, const std::string& what, const std::string& nameOrFile,
                    const Read& read)
{
    std::vector<std::string> names;
    for (One& one : all) {
        if (one.name == nameOrFile)
            return std::move(one);
        names.push_back(one.name);
    }
    const std::filesystem::path path(nameOrFile);
    if (path.extension() != ".toml") {
        const std::string near = nearestWord(nameOrFile, names);
        return fail(fmt::format("there is no {} \"{}\"", what, nameOrFile),
                    near.empty()
                        ? fmt::format("Use one of {}, or the path of a .toml file", fmt::join(names, ", "))
                        : fmt::format("Did you mean {}?", near));
    }
    SPARSERL_TRY(const auto text, readFile(path));
    return read(text, path.stem().string(), path.string());
}

} // namespace sparserl::embedded
