// SPDX-License-Identifier: Apache-2.0
#include "compile/nvjitlink.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <string_view>

namespace sparserl {

namespace {

// Attributes of .nv.info: {u8 format, u8 attribute, u16 value or size}, the data follows where format is 4
// (EIFMT_SVAL). The two read here hold {u32 symbol index, u32 value}.
constexpr unsigned formatSized = 0x04;
constexpr unsigned attributeFrameSize = 0x11;
constexpr unsigned attributeRegCount = 0x2f;

/// Reads structures at offsets that come from the file itself, so each read is checked.
struct Image
{
    std::string_view bytes;

    template <typename T>
    bool read(std::size_t offset, T& value) const
    {
        if (offset > bytes.size() || bytes.size() - offset < sizeof(T))
            return false;
        std::memcpy(&value, bytes.data() + offset, sizeof(T));
        return true;
    }
    std::string_view section(const Elf64_Shdr& header) const
    {
        if (header.sh_type == SHT_NOBITS || header.sh_offset > bytes.size() ||
            bytes.size() - header.sh_offset < header.sh_size)
            return {};
        return bytes.substr(header.sh_offset, header.sh_size);
    }
    static std::string_view text(std::string_view table, std::size_t offset)
    {
        if (offset >= table.size())
            return {};
        const auto end = table.find('\0', offset);
        return table.substr(offset, end == std::string_view::npos ? end : end - offset);
    }
};

} // namespace

Result<std::vector<KernelResources>> readCubinResources(const std::string& cubin)
{
    const Image image{cubin};
    Elf64_Ehdr header;
    if (!image.read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64)
        return fail("the assembler's output is not a cubin");
    std::vector<Elf64_Shdr> sections(header.e_shnum);
    for (std::size_t i = 0; i < sections.size(); ++i)
        if (!image.read(header.e_shoff + i * sizeof(Elf64_Shdr), sections[i]))
            return fail("the assembler's output is a truncated cubin");
    if (header.e_shstrndx >= sections.size())
        return fail("the assembler's output is a cubin without section names");
    const std::string_view names = image.section(sections[header.e_shstrndx]);
    const auto nameOfSection = [&](const Elf64_Shdr& s) { return Image::text(names, s.sh_name); };

    std::vector<KernelResources> kernels;
    const auto find = [&](std::string_view kernel) -> KernelResources* {
        for (auto& k : kernels)
            if (k.kernel == kernel)
                return &k;
        return nullptr;
    };
    constexpr std::string_view shared = ".nv.shared.", constant = ".nv.constant0.";
    // Only entries have a .nv.constant0 of their own; device functions have just .text and .nv.info.
    for (const auto& s : sections)
        if (nameOfSection(s).starts_with(constant))
            kernels.push_back({std::string(nameOfSection(s).substr(constant.size())), 0, 0, 0,
                               static_cast<std::int64_t>(s.sh_size)});
    std::vector<std::string_view> symbols;
    for (const auto& s : sections) {
        const std::string_view name = nameOfSection(s);
        if (name.starts_with(shared)) {
            if (auto* k = find(name.substr(shared.size())))
                k->staticShared = static_cast<std::int64_t>(s.sh_size);
        } else if (s.sh_type == SHT_SYMTAB && s.sh_link < sections.size()) {
            const std::string_view strings = image.section(sections[s.sh_link]);
            for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= s.sh_size; at += sizeof(Elf64_Sym)) {
                Elf64_Sym symbol{};
                if (!image.read(s.sh_offset + at, symbol))
                    break;
                symbols.push_back(Image::text(strings, symbol.st_name));
            }
        }
    }
    // From Hopper on the driver keeps 1 KiB of every block's shared memory; the section then includes it,
    // while limits and occupancy count it apart.
    constexpr std::int64_t reservedShared = 1024;
    const bool reserved = std::any_of(symbols.begin(), symbols.end(), [](std::string_view symbol) {
        return symbol.starts_with(".nv.reservedSmem.");
    });
    for (auto& k : kernels)
        if (reserved && k.staticShared >= reservedShared)
            k.staticShared -= reservedShared;
    for (const auto& s : sections) {
        if (nameOfSection(s) != ".nv.info")
            continue;
        for (std::size_t at = 0; at + 4 <= s.sh_size;) {
            std::uint8_t format = 0, attribute = 0;
            std::uint16_t size = 0;
            if (!image.read(s.sh_offset + at, format) || !image.read(s.sh_offset + at + 1, attribute) ||
                !image.read(s.sh_offset + at + 2, size))
                break;
            std::uint32_t symbol = 0, value = 0;
            if (format == formatSized && size == 8 && image.read(s.sh_offset + at + 4, symbol) &&
                image.read(s.sh_offset + at + 8, value) && symbol < symbols.size())
                if (auto* k = find(symbols[symbol])) {
                    if (attribute == attributeRegCount)
                        k->registers = static_cast<int>(value);
                    else if (attribute == attributeFrameSize)
                        k->localBytes = value;
                }
            at += 4 + (format == formatSized ? size : 0u);
        }
    }
    return kernels;
}

} // namespace sparserl
