// SPDX-License-Identifier: Apache-2.0
#include "project/run/checkpoint_files.h"

#include "base/beneath.h"
#include "base/control_file.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/safetensors_header.h"
#include "base/weight_limit.h"
#include "project/files/file_handle.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>

namespace sparserl {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view doneMark = "sha256 ";

struct FileSum
{
    std::int64_t bytes = 0;
    std::string sha256;
};

Result<FileSum> sumOf(const fs::path& path)
{
    SPARSERL_TRY(const auto file, FileHandle::openRead(path));
    constexpr std::int64_t chunk = 4 << 20;
    FileSum sum;
    Hasher hasher;
    for (;;) {
        SPARSERL_TRY(const auto bytes, file.read(sum.bytes, chunk));
        if (bytes.empty())
            break;
        hasher.update(bytes);
        sum.bytes += static_cast<std::int64_t>(bytes.size());
    }
    sum.sha256 = hasher.hex();
    return sum;
}

bool isMarker(const std::string& name)
{
    return name == "checkpoint.json" || name == "DONE" || name == "PIN";
}

/// What is wrong with the contents, or nothing. An Error is the machine's.
using Fault = Result<std::optional<Error>>;

Fault damaged(const fs::path& path, std::string what)
{
    return std::optional(Error{std::move(what), path.string(), 0, {}});
}

Fault damaged(Error error)
{
    return std::optional(std::move(error));
}

/// Reads a file whose contents are still to be judged; `text` stays empty where something is wrong with it.
Fault readText(const fs::path& path, std::uint64_t limit, std::optional<std::string>& text)
{
    SPARSERL_TRY(const auto entry, lookAt(path));
    if (entry.link)
        return fail(systemError("read the file", path, ELOOP));
    if (!entry.regular)
        return damaged(path, entry.exists ? "this is not a file" : "the file is missing");
    if (entry.bytes > limit)
        return damaged(path, fmt::format("the file is larger than {} bytes", limit));
    SPARSERL_TRY(text, readFile(path, limit));
    return std::nullopt;
}

/// Whether a file is there, with the size that was written down for it.
Fault checkSize(const fs::path& path, const nlohmann::json& wanted)
{
    SPARSERL_TRY(const auto entry, lookAt(path));
    if (entry.link)
        return fail(systemError("read the file", path, ELOOP));
    if (!entry.regular)
        return damaged(path, "the file is missing");
    const auto bytes = jsonValue<std::int64_t>(wanted, "bytes", -1);
    if (static_cast<std::int64_t>(entry.bytes) != bytes)
        return damaged(path, fmt::format("the file has {} bytes and should have {}", entry.bytes, bytes));
    return std::nullopt;
}

/// Whether a file is larger than any of its kind can be, by what the checkpoint itself says of its policy.
Fault checkLimit(const fs::path& path, std::optional<std::uint64_t> weights)
{
    constexpr std::uint64_t mostOther = std::uint64_t(2) << 30;
    constexpr std::uint64_t copies = 4; // an optimizer keeps averages, a stage a reference beside the policy
    SPARSERL_TRY(const auto entry, lookAt(path));
    const bool tensors = path.extension() == ".safetensors";
    const bool bounded = tensors && weights;
    const std::uint64_t most = bounded ? copies * *weights : mostOther;
    if (entry.bytes > most)
        return damaged(path, fmt::format("the file has {} bytes; {} has {} at most", entry.bytes,
                                         bounded ? "one of the policy in config.json" : "such a file", most));
    return std::nullopt;
}

Fault verifySum(const fs::path& path, const nlohmann::json& wanted)
{
    SPARSERL_TRY(const auto sum, sumOf(path));
    if (sum.sha256 != jsonValue<std::string>(wanted, "sha256", {}))
        return damaged(path, "the file's checksum is not the one that was written with it");
    return std::nullopt;
}

/// Does the header of a safetensors file name exactly the bytes that are there?
Fault checkTensors(const fs::path& path)
{
    const std::string name = path.string();
    SPARSERL_TRY(const auto file, FileHandle::openRead(path));
    SPARSERL_TRY(const auto size, file.size());
    SPARSERL_TRY(const auto prefix, file.read(0, 8));
    const auto length = safeTensorsHeaderBytes(prefix, static_cast<std::uint64_t>(size), name);
    if (!length)
        return damaged(length.error());
    SPARSERL_TRY(const auto head, file.read(0, static_cast<std::int64_t>(*length)));
    if (const auto header = readSafeTensorsHeader(head, static_cast<std::uint64_t>(size), name); !header)
        return damaged(header.error());
    return std::nullopt;
}

/// A checkpoint without checksums: what can be seen without knowing what was written.
Fault checkForms(const fs::path& folder)
{
    SPARSERL_TRY(const auto files, listTree(folder));
    for (const fs::path& path : files) {
        if (path.extension() == ".safetensors") {
            SPARSERL_TRY(auto fault, checkTensors(path));
            if (fault)
                return fault;
        } else if (path.extension() == ".json") {
            constexpr std::uint64_t longest = 256u << 20; // a tokenizer's
            SPARSERL_TRY(const auto text, readFile(path, longest));
            if (const auto json = parseJson(text, path.string()); !json)
                return damaged(json.error());
        }
    }
    return std::nullopt;
}

} // namespace

Result<nlohmann::json> listCheckpointFiles(const fs::path& folder)
{
    nlohmann::json files = nlohmann::json::object();
    SPARSERL_TRY(const auto paths, listTree(folder));
    for (const fs::path& path : paths) {
        const std::string name = path.lexically_relative(folder).generic_string();
        if (isMarker(name))
            continue;
        SPARSERL_TRY(const auto sum, sumOf(path));
        files[name] = {{"bytes", sum.bytes}, {"sha256", sum.sha256}};
    }
    return files;
}

std::string doneText(std::string_view checkpointJson)
{
    return fmt::format("{}{}\n", doneMark, sha256Hex(checkpointJson));
}

namespace {

/// What is wrong with checkpoint.json, by itself and by DONE; else `text` holds it.
Fault descriptionFault(const fs::path& folder, std::optional<std::string>& text)
{
    const fs::path description = folder / "checkpoint.json";
    constexpr std::uint64_t longest = 64 << 20;
    std::optional<std::string> done;
    SPARSERL_TRY(auto unread, readText(description, longest, text));
    if (unread)
        return unread;
    const auto json = parseJson(*text, description.string());
    if (!json)
        return damaged(json.error());
    if (jsonValue<std::int64_t>(*json, "step", -1) < 0)
        return damaged(description, "the file names no step");
    SPARSERL_TRY(const auto mark, lookAt(folder / "DONE"));
    if (mark.regular)
        SPARSERL_CHECK(readText(folder / "DONE", longest, done));
    if (done && done->starts_with(doneMark) && *done != doneText(*text))
        return damaged(description, "the file's checksum is not the one in DONE");
    return std::nullopt;
}

} // namespace

Result<std::optional<Error>> checkpointFault(const fs::path& folder)
{
    const fs::path description = folder / "checkpoint.json";
    std::optional<std::string> text;
    SPARSERL_TRY(auto fault, descriptionFault(folder, text));
    if (fault)
        return fault;
    SPARSERL_TRY(const auto mark, lookAt(folder / "DONE"));
    SPARSERL_TRY(const auto json, parseJson(*text, description.string()));
    const auto files = json.find("files");
    if (files == json.end())
        return mark.exists ? checkForms(folder) : damaged(folder, "DONE and all checksums are missing");
    if (!files->is_object())
        return damaged(description, "the list of files is damaged");
    // What costs nothing comes first: nothing is hashed before all sizes are possible ones.
    SPARSERL_TRY(const auto weights, mostWeightBytes(folder)); // what is used as a policy has a config.json
    for (const auto& [name, wanted] : files->items()) {
        const fs::path relative = fs::path(name).lexically_normal();
        if (relative.is_absolute() || relative.empty() || *relative.begin() == "..")
            return damaged(description, fmt::format("the list of files names \"{}\"", name));
        SPARSERL_TRY(auto fault, checkSize(folder / relative, wanted));
        if (!fault) {
            SPARSERL_TRY(fault, checkLimit(folder / relative, weights));
        }
        if (!fault && relative.extension() == ".safetensors") {
            SPARSERL_TRY(fault, checkTensors(folder / relative));
        }
        if (fault)
            return fault;
    }
    for (const auto& [name, wanted] : files->items()) {
        SPARSERL_TRY(auto fault, verifySum(folder / fs::path(name).lexically_normal(), wanted));
        if (fault)
            return fault;
    }
    return std::nullopt;
}

Result<std::optional<Error>> checkpointNotation(const fs::path& folder)
{
    std::optional<std::string> text;
    return descriptionFault(folder, text);
}

bool isPolicyFolder(const fs::path& folder)
{
    return std::ranges::all_of(policyNeeds, [&](const char* name) { return glance(folder / name).exists; });
}

Result<bool> looksComplete(const fs::path& folder)
{
    SPARSERL_TRY(const auto mark, lookAt(folder / "DONE"));
    if (mark.exists)
        return true;
    SPARSERL_TRY(const auto description, lookAt(folder / "checkpoint.json"));
    if (!description.exists || description.folder)
        return false;
    SPARSERL_TRY(const auto text, readControlFile(folder / "checkpoint.json"));
    const auto json = parseJson(text);
    return json && json->is_object() && json->contains("files");
}

} // namespace sparserl
