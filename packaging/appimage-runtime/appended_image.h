// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/files.h"
#include "base/mapped_file.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace sparserl {

/// An AppImage: a program with a squashfs image behind it, and one line behind that, as
/// packaging/append_image.py writes them.
class AppendedImage
{
public:
    /// Reads the file's outline only; fails where it is cut off or has no image.
    static Result<AppendedImage> open(const std::filesystem::path& file);

    const std::filesystem::path& file() const { return m_file; }
    /// Where the image begins.
    std::uint64_t offset() const { return m_offset; }
    std::string_view bytes() const { return m_map.view().substr(m_offset, m_size); }
    /// SHA-256 of the image in hex, as it was when it was packed: its name, which costs no reading.
    const std::string& digest() const { return m_digest; }
    /// Reads the whole image and compares its checksum with the one that was packed.
    Status verify() const;

private:
    explicit AppendedImage(MappedFile map);
    std::filesystem::path m_file;
    MappedFile m_map;
    std::uint64_t m_offset = 0;
    std::uint64_t m_size = 0;
    std::uint32_t m_checksum = 0; ///< CRC-32: against damage on the way, not against ill will.
    std::string m_digest;
};

} // namespace sparserl
