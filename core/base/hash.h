// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace sparserl {

/// Computes SHA-256 over a stream of bytes.
class Hasher
{
public:
    Hasher();
    ~Hasher();
    Hasher(Hasher&&) noexcept;
    Hasher& operator=(Hasher&&) noexcept;

    void update(const void* data, std::size_t size);
    void update(std::string_view text) { update(text.data(), text.size()); }
    /// Adds the bytes of an arithmetic value in host order (little-endian on every machine we support).
    template <typename T>
    requires std::is_arithmetic_v<T>
    void updateValue(T value) { update(&value, sizeof value); }
    /// Returns the hash as 64 lower-case hex digits and resets the hasher.
    std::string hex();

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

/// Returns SHA-256 as 64 lower-case hex digits.
std::string sha256Hex(std::string_view bytes);
std::string sha256Hex(std::span<const std::byte> bytes);

/// Derives a seed from text or bytes: the first 64 bits of SHA-256 as a number.
std::uint64_t seedFrom(std::string_view bytes);

/// Returns the CRC-32 of bytes (as in zlib), continued from `seed`. This is a cheap checksum for files, not a
/// digest.
std::uint32_t crc32Of(const void* data, std::size_t size, std::uint32_t seed = 0);

} // namespace sparserl
