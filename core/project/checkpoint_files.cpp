// SPDX-License-Identifier: Apache-2.0
#include "project/checkpoint_files.h"

#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/safetensors_header.h"
#include "project/file_handle.h"

#include <algorithm>
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

Status verifyFile(const fs::path& path, const nlohmann::json& wanted)
{
    std::error_code code;
    if (!fs::is_regular_file(path, code))
        return failAt(path.string(), 0, "the file is missing");
    const auto bytes = jsonValue<std::int64_t>(wanted, "bytes", -1);
    if (const auto size = fs::file_size(path, code); !code && static_cast<std::int64_t>(size) != bytes)
        return failAt(path.string(), 0, fmt::format("the file has {} bytes and should have {}", size, bytes));
    SPARSERL_TRY(const auto sum, sumOf(path));
    if (sum.sha256 != jsonValue<std::string>(wanted, "sha256", {}))
        return failAt(path.string(), 0, "the file's checksum is not the one that was written with it");
    return {};
}

/// Does the header of a safetensors file name exactly the bytes that are there?
Status checkTensors(const fs::path& path)
{
    const std::string name = path.string();
    SPARSERL_TRY(const auto file, FileHandle::openRead(path));
    SPARSERL_TRY(const auto size, file.size());
    SPARSERL_TRY(const auto prefix, file.read(0, 8));
    SPARSERL_TRY(const auto length, safeTensorsHeaderBytes(prefix, static_cast<std::uint64_t>(size), name));
    SPARSERL_TRY(const auto head, file.read(0, static_cast<std::int64_t>(length)));
    SPARSERL_CHECK(readSafeTensorsHeader(head, static_cast<std::uint64_t>(size), name));
    return {};
}

/// A checkpoint without checksums: what can be seen without knowing what was written.
Status checkForms(const fs::path& folder)
{
    std::error_code code;
    for (fs::recursive_directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
        std::error_code ignored;
        if (!it->is_regular_file(ignored))
            continue;
        const auto extension = it->path().extension();
        if (extension == ".safetensors") {
            SPARSERL_CHECK(checkTensors(it->path()));
        } else if (extension == ".json") {
            SPARSERL_CHECK(readJson(it->path()));
        }
    }
    if (code)
        return fail(systemError("list", folder, code.value()));
    return {};
}

} // namespace

Result<nlohmann::json> listCheckpointFiles(const fs::path& folder)
{
    nlohmann::json files = nlohmann::json::object();
    std::error_code code;
    for (fs::recursive_directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
        std::error_code ignored;
        const std::string name = it->path().lexically_relative(folder).generic_string();
        if (!it->is_regular_file(ignored) || isMarker(name))
            continue;
        SPARSERL_TRY(const auto sum, sumOf(it->path()));
        files[name] = {{"bytes", sum.bytes}, {"sha256", sum.sha256}};
    }
    if (code)
        return fail(systemError("list", folder, code.value()));
    return files;
}

std::string doneText(std::string_view checkpointJson)
{
    return fmt::format("{}{}\n", doneMark, sha256Hex(checkpointJson));
}

Status verifyCheckpoint(const fs::path& folder)
{
    const fs::path description = folder / "checkpoint.json";
    SPARSERL_TRY(const auto text, readFile(description, 64 << 20));
    SPARSERL_TRY(const auto json, parseJson(text, description.string()));
    if (jsonValue<std::int64_t>(json, "step", -1) < 0)
        return failAt(description.string(), 0, "the file names no step");
    std::error_code code;
    const bool hasDone = fs::exists(folder / "DONE", code);
    const auto done = hasDone ? readFile(folder / "DONE", 4096) : Result<std::string>(std::string());
    if (done && done->starts_with(doneMark) && *done != doneText(text))
        return failAt(description.string(), 0, "the file's checksum is not the one in DONE");
    const auto files = json.find("files");
    if (files == json.end())
        return hasDone ? checkForms(folder)
                       : failAt(folder.string(), 0, "DONE and all checksums are missing");
    if (!files->is_object())
        return failAt(description.string(), 0, "the list of files is damaged");
    for (const auto& [name, wanted] : files->items()) {
        const fs::path relative = fs::path(name).lexically_normal();
        if (relative.is_absolute() || relative.empty() || *relative.begin() == "..")
            return failAt(description.string(), 0, fmt::format("the list of files names \"{}\"", name));
        SPARSERL_CHECK(verifyFile(folder / relative, wanted));
    }
    return {};
}

bool looksComplete(const fs::path& folder)
{
    std::error_code code;
    if (fs::exists(folder / "DONE", code))
        return true;
    const auto json = readJson(folder / "checkpoint.json");
    return json && json->is_object() && json->contains("files");
}

} // namespace sparserl
