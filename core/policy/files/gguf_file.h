// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mapped_file.h"
#include "base/result.h"
#include "policy/files/gguf_header.h"

#include <filesystem>
#include <optional>
#include <span>

namespace sparserl {

/// A GGUF file that is mapped for reading. As with MappedFile, call whole() after you have read the contents
/// and before you use them.
class GgufFile
{
public:
    static Result<GgufFile> open(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return m_path; }
    const GgufHeader& header() const { return m_header; }
    std::span<const std::byte> bytesOf(const GgufTensor& tensor) const;
    const MappedFile& mapped() const { return m_mapped; }
    Status whole() const { return m_mapped.whole(); }

private:
    GgufFile(std::filesystem::path path, MappedFile mapped)
        : m_path(std::move(path))
        , m_mapped(std::move(mapped))
    {
    }

    std::filesystem::path m_path;
    MappedFile m_mapped;
    GgufHeader m_header;
};

/// Returns the GGUF file that a path refers to: the path itself if it ends in .gguf, or the only GGUF file in
/// a directory that has no config.json. Returns nullopt for other paths. Fails if the directory contains
/// several GGUF files.
Result<std::optional<std::filesystem::path>> ggufAt(const std::filesystem::path& path);

} // namespace sparserl
