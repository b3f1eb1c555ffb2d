// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/beneath.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>

namespace sparserl {

/// A large file written sequentially. Errors are reported by finish().
class OutputFile
{
public:
    static Result<OutputFile> create(const std::filesystem::path& path);
    void put(const void* bytes, std::uint64_t size);
    /// Syncs the file to disk and closes it. Not atomic by itself.
    Status finish();

private:
    OutputFile(std::filesystem::path path, Descriptor file);

    std::filesystem::path m_path;
    Descriptor m_file;
    int m_error = 0;
};

} // namespace sparserl
