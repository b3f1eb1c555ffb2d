// SPDX-License-Identifier: Apache-2.0
#include "kernel/bundle.h"

#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "kernel/bundle_files.h"
#include "kernel/bundle_plan.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace sparserl {

namespace {

std::uint64_t fnv1a(std::uint64_t hash, const void* data, std::size_t bytes)
{
    const auto* p = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < bytes; ++i)
        hash = (hash ^ p[i]) * 1099511628211ULL;
    return hash;
}

std::uint64_t checksum(const Csr& m)
{
    std::uint64_t hash = fnv1a(14695981039346656037ULL, m.rowPtr.data(), 4 * m.rowPtr.size());
    hash = fnv1a(hash, m.col.data(), 4 * m.col.size());
    return fnv1a(hash, m.val.data(), 4 * m.val.size());
}

std::string matrixFile(const Csr& m)
{
    const std::int64_t header[4] = {0x3152534353505253, m.rows, m.cols, m.nnz()}; // "SRPSCSR1"
    std::string bytes(reinterpret_cast<const char*>(header), sizeof header);
    bytes.append(reinterpret_cast<const char*>(m.rowPtr.data()), 4 * m.rowPtr.size());
    bytes.append(reinterpret_cast<const char*>(m.col.data()), 4 * m.col.size());
    bytes.append(reinterpret_cast<const char*>(m.val.data()), 4 * m.val.size());
    return bytes;
}

/// A name as it may stand in a C string, a table and a path.
std::string harmless(std::string name)
{
    for (char& c : name) {
        const bool good =
            std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.' || c == ' ';
        if (!good)
            c = '_';
    }
    return name.empty() ? "matrix" : name;
}

std::string filled(std::string text, const std::map<std::string, std::string>& values)
{
    for (const auto& [key, value] : values) {
        const std::string mark = "@" + key + "@";
        for (std::size_t at = text.find(mark); at != std::string::npos;
             at = text.find(mark, at + value.size()))
            text.replace(at, mark.size(), value);
    }
    return text;
}

Status checkDirectory(const std::filesystem::path& directory)
{
    std::error_code code;
    if (!std::filesystem::exists(directory, code))
        return {};
    if (!std::filesystem::is_directory(directory, code))
        return failAt(directory.string(), 0, "there is a file where the bundle should go",
                      "choose another folder");
    if (!std::filesystem::is_empty(directory, code) || code)
        return failAt(directory.string(), 0, "the folder is not empty",
                      "choose a new or empty folder for the bundle");
    return {};
}

nlohmann::json manifest(const BundleRequest& request, const std::string& digestText,
                        const std::map<std::string, std::string>& files)
{
    nlohmann::json hashes = nlohmann::json::object();
    for (const auto& [name, contents] : files)
        hashes[name] = sha256Hex(contents);
    const auto orNull = [](const std::string& text) {
        return text.empty() ? nlohmann::json() : nlohmann::json(text);
    };
    return {{"bundle_version", 1},
            {"created", request.created},
            {"program_hash", request.program.hash},
            {"task", std::string(nameOf(request.program.plan.task))},
            {"run", orNull(request.run)},
            {"checkpoint", orNull(request.checkpoint)},
            {"matrix_digest", digestText},
            {"matrix",
             {{"name", request.matrixName},
              {"rows", request.matrix->rows},
              {"cols", request.matrix->cols},
              {"nnz", request.matrix->nnz()},
              {"dense_cols", request.denseColumns}}},
            {"evidence", request.evidence},
            {"licence", request.licence},
            {"files", hashes}};
}

} // namespace

Status writeBundle(const std::filesystem::path& directory, const BundleRequest& request)
{
    if (auto free = checkDirectory(directory); !free)
        return free;
    const auto plan = bundlePlanSource(request.program.plan);
    if (!plan)
        return tl::unexpected(plan.error());

    const Csr& matrix = *request.matrix;
    const std::string digestText = request.matrixDigest.empty() ? digest(matrix) : request.matrixDigest;
    const std::map<std::string, std::string> values = {
        {"TASK", std::string(nameOf(request.program.plan.task))},
        {"PROGRAM_SHORT", request.program.hash.substr(0, 12)},
        {"MATRIX_NAME", harmless(request.matrixName)},
        {"MATRIX_DIGEST", digestText},
        {"MATRIX_CHECKSUM", std::to_string(checksum(matrix))},
        {"MATRIX_SIZE", fmt::format("{} x {}, {} non-zeros, digest `{}`", matrix.rows, matrix.cols,
                                    matrix.nnz(), digestText.substr(0, 16))},
        {"DENSE_COLS", std::to_string(request.denseColumns)},
        {"LICENCE", harmless(request.licence)}};

    std::map<std::string, std::string> files;
    for (const BundleFile& file : bundleFiles()) {
        std::string name(file.name);
        if (name.size() > 3 && name.substr(name.size() - 3) == ".in")
            name.resize(name.size() - 3);
        files[name] = filled(std::string(file.text), values);
    }
    files["program.cu"] = request.program.text;
    files["kernels.cu"] = bundleKernelSource(request.program);
    files["plan.cpp"] = *plan;
    if (matrix.bytes() <= request.maxMatrixBytes)
        files["matrix.csr"] = matrixFile(matrix);
    const std::string manifestText = dumpJsonPretty(manifest(request, digestText, files));
    files["manifest.json"] = manifestText;

    // Everything is written beside its place first: a bundle is whole or not there.
    const auto absolute = std::filesystem::absolute(directory);
    const auto parent =
        absolute.has_filename() ? absolute.parent_path() : absolute.parent_path().parent_path();
    if (auto made = makeDirectories(parent); !made)
        return made;
    auto temporary = TempDir::create(".bundle", parent);
    if (!temporary)
        return tl::unexpected(temporary.error());
    for (const auto& [name, contents] : files) {
        if (auto written = writeFileAtomic(temporary->path() / name, contents); !written)
            return written;
    }
    std::error_code code;
    std::filesystem::permissions(temporary->path(), std::filesystem::perms(0755), code);
    std::filesystem::rename(temporary->path(), absolute.has_filename() ? absolute : absolute.parent_path(),
                            code);
    if (code)
        return failAt(directory.string(), 0, "the bundle could not be put in place: " + code.message(),
                      "check that the folder can be written");
    temporary->release();
    return syncDirectory(parent);
}

} // namespace sparserl
