// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"

#include <algorithm>
#include <array>
#include <new>
#include <zlib.h>

namespace sparserl {

std::string zlibCompress(std::string_view bytes, int level)
{
    uLongf size = ::compressBound(bytes.size());
    std::string out(size, '\0');
    const int code = ::compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                                 reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), level);
    if (code != Z_OK) {
        throw std::bad_alloc(); // The only way to fail with a buffer of compressBound bytes.
    }
    out.resize(size);
    return out;
}

Result<std::string> zlibDecompress(std::string_view bytes, std::uint64_t limit)
{
    z_stream stream{};
    if (::inflateInit(&stream) != Z_OK) {
        throw std::bad_alloc();
    }
    std::string out;
    std::array<char, 65536> buffer{};
    int code = Z_OK;
    std::size_t taken = 0;
    while (code == Z_OK) {
        if (stream.avail_in == 0) {
            const std::size_t step = std::min<std::size_t>(bytes.size() - taken, 1u << 30);
            stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + taken));
            stream.avail_in = static_cast<uInt>(step);
            taken += step;
        }
        stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
        stream.avail_out = buffer.size();
        code = ::inflate(&stream, Z_NO_FLUSH);
        const std::size_t made = buffer.size() - stream.avail_out;
        if (out.size() + made > limit) {
            ::inflateEnd(&stream);
            return fail("the compressed data unpacks to more than is allowed");
        }
        out.append(buffer.data(), made);
    }
    const bool whole = code == Z_STREAM_END && stream.avail_in == 0 && taken == bytes.size();
    ::inflateEnd(&stream);
    if (!whole) {
        return fail("the compressed data are damaged");
    }
    return out;
}

namespace {
constexpr char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
}

std::string base64Encode(std::string_view bytes)
{
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            group = group << 8 | (k < n ? static_cast<unsigned char>(bytes[i + k]) : 0u);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            out += k <= n ? alphabet[group >> (18 - 6 * k) & 63] : '=';
        }
    }
    return out;
}

Result<std::string> base64Decode(std::string_view text)
{
    const auto bad = [] { return fail("this is not base64 text"); };
    if (text.size() % 4 != 0) {
        return bad();
    }
    std::array<std::int8_t, 256> value{};
    value.fill(-1);
    for (int i = 0; i < 64; ++i) {
        value[static_cast<unsigned char>(alphabet[i])] = static_cast<std::int8_t>(i);
    }
    std::string out;
    out.reserve(text.size() / 4 * 3);
    for (std::size_t i = 0; i < text.size(); i += 4) {
        std::size_t padding = 0;
        if (i + 4 == text.size() && text[i + 3] == '=') {
            padding = text[i + 2] == '=' ? 2 : 1;
        }
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            const int digit = k < 4 - padding ? value[static_cast<unsigned char>(text[i + k])] : 0;
            if (digit < 0) {
                return bad();
            }
            group = group << 6 | static_cast<std::uint32_t>(digit);
        }
        for (std::size_t k = 0; k < 3 - padding; ++k) {
            out += static_cast<char>(group >> (16 - 8 * k) & 255);
        }
    }
    return out;
}

} // namespace sparserl
