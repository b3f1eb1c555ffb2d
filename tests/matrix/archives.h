// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <zlib.h>

// Archives as hostile as a test wants them, made byte by byte.
namespace sparserl::test {

inline std::string gzipOf(const std::string& text)
{
    z_stream stream{};
    deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    std::string out(deflateBound(&stream, text.size()) + 64, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(out.size() - stream.avail_out);
    deflateEnd(&stream);
    return out;
}

/// A header of POSIX 1988 with its checksum; sizes beyond octal digits are in base 256, as GNU writes them.
inline std::string tarHeader(const std::string& name, std::uint64_t size)
{
    std::string header(512, '\0');
    name.copy(header.data(), 99);
    const auto octal = [&](std::size_t at, int digits, std::uint64_t value) {
        char text[32];
        std::snprintf(text, sizeof text, "%0*llo", digits, static_cast<unsigned long long>(value));
        std::string(text).copy(header.data() + at, static_cast<std::size_t>(digits));
    };
    octal(100, 7, 0644);
    octal(108, 7, 0);
    octal(116, 7, 0);
    if (size < (std::uint64_t(1) << 33)) {
        octal(124, 11, size);
    } else {
        header[124] = '\x80';
        for (int i = 0; i < 8; ++i)
            header[static_cast<std::size_t>(135 - i)] = static_cast<char>(size >> (8 * i));
    }
    octal(136, 11, 0);
    header[156] = '0';
    header.replace(257, 8, std::string("ustar\00000", 8));
    header.replace(148, 8, 8, ' ');
    std::uint64_t sum = 0;
    for (const char c : header)
        sum += static_cast<unsigned char>(c);
    octal(148, 6, sum);
    header[154] = '\0';
    return header;
}

inline std::string tarOf(const std::map<std::string, std::string>& members)
{
    std::string out;
    for (const auto& [name, bytes] : members) {
        out += tarHeader(name, bytes.size()) + bytes;
        out.resize((out.size() + 511) / 512 * 512, '\0');
    }
    return out + std::string(1024, '\0');
}

} // namespace sparserl::test
