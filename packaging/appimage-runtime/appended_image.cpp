// SPDX-License-Identifier: Apache-2.0
#include "appended_image.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <zlib.h>

namespace sparserl {

namespace {

// "sparserl-appimage 1 DIGEST CRC\n": 64 and 8 hex digits.
constexpr std::string_view lineStart = "sparserl-appimage 1 ";
constexpr std::size_t digestDigits = 64, checksumDigits = 8;
constexpr std::size_t lineSize = lineStart.size() + digestDigits + 1 + checksumDigits + 1;

bool isHex(std::string_view text)
{
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

/// Where an ELF program ends: behind its table of sections, which linkers write last.
std::uint64_t endOfProgram(std::string_view bytes)
{
    Elf64_Ehdr header;
    if (bytes.size() < sizeof header)
        return 0;
    std::memcpy(&header, bytes.data(), sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
        return 0;
    return header.e_shoff + std::uint64_t{header.e_shentsize} * header.e_shnum;
}

tl::unexpected<Error> incomplete(const std::filesystem::path& file)
{
    return failAt(file.string(), 0, "this AppImage is not complete", "Download the file again");
}

} // namespace

AppendedImage::AppendedImage(MappedFile map)
    : m_map(std::move(map))
{
}

Result<AppendedImage> AppendedImage::open(const std::filesystem::path& file)
{
    SPARSERL_TRY(MappedFile map, MappedFile::open(file));
    AppendedImage out(std::move(map));
    out.m_file = file;
    const std::string_view all = out.m_map.view();
    out.m_offset = endOfProgram(all);
    if (out.m_offset == 0 || out.m_offset > all.size() || all.size() - out.m_offset <= lineSize)
        return incomplete(file);
    const std::string_view line = all.substr(all.size() - lineSize);
    const std::string_view digest = line.substr(lineStart.size(), digestDigits);
    const std::string_view checksum = line.substr(lineStart.size() + digestDigits + 1, checksumDigits);
    if (!line.starts_with(lineStart) || line.back() != '\n' || !isHex(digest) || !isHex(checksum))
        return incomplete(file);
    out.m_size = all.size() - lineSize - out.m_offset;
    out.m_digest = digest;
    out.m_checksum = static_cast<std::uint32_t>(std::stoul(std::string(checksum), nullptr, 16));
    return out;
}

Status AppendedImage::verify() const
{
    const std::string_view image = bytes();
    const uLong sum =
        ::crc32_z(::crc32_z(0, nullptr, 0), reinterpret_cast<const Bytef*>(image.data()), image.size());
    if (sum != m_checksum)
        return failAt(m_file.string(), 0,
                      "this AppImage is damaged: its checksum is not the one it was packed with",
                      "Download the file again");
    return {};
}

} // namespace sparserl
