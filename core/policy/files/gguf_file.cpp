// SPDX-License-Identifier: Apache-2.0
#include "policy/files/gguf_file.h"

#include "base/beneath.h"
#include "base/files.h"

#include <fmt/format.h>

namespace sparserl {

namespace fs = std::filesystem;

Result<GgufFile> GgufFile::open(const fs::path& path)
{
    SPARSERL_TRY(auto mapped, MappedFile::open(path));
    GgufFile file(path, std::move(mapped));
    auto header = readGgufHeader(file.m_mapped.view(), path.string());
    SPARSERL_CHECK(file.whole());
    SPARSERL_TRY(file.m_header, std::move(header));
    const auto parts = file.m_header.integer("split.count");
    if (parts && parts->value_or(1) > 1)
        return failAt(path.string(), 0,
                      fmt::format("this is one of {} parts of a model, which are not read", **parts),
                      "Join the parts to one file (llama-gguf-split --merge)");
    return file;
}

std::span<const std::byte> GgufFile::bytesOf(const GgufTensor& tensor) const
{
    return std::span(m_mapped.data(), m_mapped.size()).subspan(tensor.begin, tensor.end - tensor.begin);
}

Result<std::optional<fs::path>> ggufAt(const fs::path& path)
{
    const std::string ending = ".gguf";
    if (path.extension() == ending)
        return path;
    if (glance(path / "config.json").exists)
        return std::nullopt;
    const auto entries = listDirectory(path);
    if (!entries)
        return std::nullopt; // who reads the directory says what is wrong with it
    std::optional<fs::path> found;
    for (const fs::path& entry : *entries) {
        if (entry.extension() != ending)
            continue;
        if (found)
            return failAt(path.string(), 0, "there are several GGUF files", "Name the one that you mean");
        found = entry;
    }
    return found;
}

} // namespace sparserl
