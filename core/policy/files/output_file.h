// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/beneath.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>

namespace sparserl {

/// Writes a large file from beginning to end. finish() reports all errors.
class OutputFile
{
public:
    static Result<OutputFile> create(const std::filesystem::path& path);
    void put(const void* bytes, std::uint64_t size);
    /// Syncs the file to disk and closes it. Fails if this or any call of put() has failed. Writing is not
    /// atomic.
    Status finish();

private:
    OutputFile(std::filesystem::path path, Descriptor file);

    std::filesystem::path m_path;
    Descriptor m_file;
    int m_error = 0;
};

} // namespace sparserl
