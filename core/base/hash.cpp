// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#include <algorithm>
#include <array>
#include <new>
#include <openssl/evp.h>
#include <zlib.h>

namespace sparserl {

struct Hasher::Impl
{
    EVP_MD_CTX* context = nullptr;
    Impl()
        : context(EVP_MD_CTX_new())
    {
        if (!context) {
            throw std::bad_alloc();
        }
        EVP_DigestInit_ex(context, EVP_sha256(), nullptr);
    }
    ~Impl() { EVP_MD_CTX_free(context); }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
};

Hasher::Hasher()
    : m_impl(std::make_unique<Impl>())
{
}
Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

void Hasher::update(const void* data, std::size_t size)
{
    if (size > 0) {
        EVP_DigestUpdate(m_impl->context, data, size);
    }
}

namespace {

std::array<unsigned char, 32> finish(EVP_MD_CTX* context)
{
    std::array<unsigned char, 32> digest{};
    unsigned int size = 0;
    EVP_DigestFinal_ex(context, digest.data(), &size);
    EVP_DigestInit_ex(context, EVP_sha256(), nullptr);
    return digest;
}

} // namespace

std::string Hasher::hex()
{
    static constexpr char digits[] = "0123456789abcdef";
    std::string out;
    out.reserve(64);
    for (const unsigned char byte : finish(m_impl->context)) {
        out += digits[byte >> 4];
        out += digits[byte & 15];
    }
    return out;
}

std::string sha256Hex(std::string_view bytes)
{
    Hasher hasher;
    hasher.update(bytes);
    return hasher.hex();
}

std::string sha256Hex(std::span<const std::byte> bytes)
{
    Hasher hasher;
    hasher.update(bytes.data(), bytes.size());
    return hasher.hex();
}

std::uint64_t seedFrom(std::string_view bytes)
{
    const std::string hex = sha256Hex(bytes);
    return std::stoull(hex.substr(0, 16), nullptr, 16);
}

std::uint32_t crc32Of(const void* data, std::size_t size, std::uint32_t seed)
{
    const auto* bytes = static_cast<const Bytef*>(data);
    uLong crc = seed;
    while (size > 0) {
        const auto step = static_cast<uInt>(std::min<std::size_t>(size, 1u << 30));
        crc = ::crc32(crc, bytes, step);
        bytes += step;
        size -= step;
    }
    return static_cast<std::uint32_t>(crc);
}

} // namespace sparserl
