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

/// A file mapped read-only. The view is empty for an empty file. Others may cut the file meanwhile, and a
/// disk may fail: what is then missing reads as zeros, and whole() says so. Who reads the view calls whole()
/// before anything is made of what was read.
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
    /// Fails where a part of the file that was looked at so far could not be read.
    Status whole() const;
    /// Fails for a file of gigabytes that is almost only a hole: it takes nothing on the disk of who sends
    /// it, and minutes of who reads it. For files that are never written so (matrices; tensors may be zeros,
    /// which some file systems store as a hole).
    Status solid() const;
    /// Takes the pages of a part of the view out of this process's memory; they are read again if they are
    /// looked at again. For a large file that is read once, part by part.
    void forget(const std::byte* begin, std::size_t bytes) const;
    /// Copies a part of the view, piece by piece, and forgets each: the part is never in memory twice.
    void take(const std::byte* begin, std::size_t bytes, void* into) const;

private:
    MappedFile() = default;
    void* m_data = nullptr;
    std::size_t m_size = 0, m_stored = 0;
    detail::MappedRange* m_range = nullptr;
    std::filesystem::path m_path;
};

} // namespace sparserl
