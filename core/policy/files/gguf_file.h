// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mapped_file.h"
#include "base/result.h"
#include "policy/files/gguf_header.h"

#include <filesystem>
#include <optional>
#include <span>

namespace sparserl {

/// A GGUF file mapped read-only. As with MappedFile, call whole() before using the contents.
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

/// The GGUF file that a path refers to: the path itself with that suffix, or the only GGUF file in a
/// directory without a config.json. nullopt for other paths. Several files are an error.
Result<std::optional<std::filesystem::path>> ggufAt(const std::filesystem::path& path);

} // namespace sparserl
