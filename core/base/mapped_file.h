// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <utility>

namespace sparserl {

namespace detail {
struct MappedRange;
}

/// A file mapped read-only. The view of an empty file is empty. If another process truncates the file, or the
/// disk fails, the missing bytes read as zeros and whole() fails. Call whole() after reading the view and
/// before using the result.
class MappedFile
{
public:
    static Result<MappedFile> open(const std::filesystem::path& path);
    ~MappedFile();
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;
    std::string_view view() const { return {static_cast<const char*>(m_data), m_size}; }
    const std::byte* data() const { return static_cast<const std::byte*>(m_data); }
    std::size_t size() const { return m_size; }
    /// Fails if a part of the file that was accessed so far could not be read.
    Status whole() const;
    /// Fails for a file of several gigabytes that consists almost entirely of holes. That file costs its
    /// sender no disk space, but it costs its reader minutes. Call solid() for formats that are never stored
    /// this way, such as matrices. Do not call it for tensors: they may be all zeros, which some file systems
    /// store as a hole.
    Status solid() const;
    /// Releases the pages of a part of the view from memory. They are read again on the next access. Use it
    /// for a large file that is read once, part by part.
    void forget(const std::byte* begin, std::size_t bytes) const;
    /// Copies a part of the view piece by piece and releases each piece, so the part is never in memory
    /// twice.
    void take(const std::byte* begin, std::size_t bytes, void* into) const;

private:
    MappedFile() = default;
    void* m_data = nullptr;
    std::size_t m_size = 0, m_stored = 0;
    detail::MappedRange* m_range = nullptr;
    std::filesystem::path m_path;
};

} // namespace sparserl
