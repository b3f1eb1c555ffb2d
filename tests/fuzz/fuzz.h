// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

/// What every fuzz target is made of. A target reads hostile bytes with one reader of the product and checks
/// what must hold of any input; a property that does not hold ends it with PropertyBroken. libFuzzer takes
/// the uncaught exception for a crash and keeps the input; the corpus test reports it with the file's name.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace sparserl::fuzz {

struct PropertyBroken
{
    std::string text; ///< FILE:LINE: CONDITION
};

[[noreturn]] void broken(const char* file, int line, const std::string& what);

inline std::string_view textOf(const std::uint8_t* data, std::size_t size)
{
    return {reinterpret_cast<const char*>(data), size};
}

/// An error that a person is going to read: a sentence on one line, printable once it went through
/// printable(), without more foreign text than one can read.
void checkError(const Error& error);
void checkReason(std::string_view reason);

/// What a matrix of a few words may take: larger ones say nothing new and take long.
inline constexpr std::int64_t matrixMemory = std::int64_t(1) << 20;

/// A folder for a target's files, in memory where the machine has such a file system; removed at the end.
std::filesystem::path scratch(const std::string& target);
/// Writes a file (without sync) and gives its path.
std::filesystem::path writeFile(std::filesystem::path path, std::string_view bytes);

} // namespace sparserl::fuzz

#define FUZZ_CHECK(...)                                                                                      \
    do {                                                                                                     \
        if (!(__VA_ARGS__))                                                                                  \
            ::sparserl::fuzz::broken(__FILE__, __LINE__, #__VA_ARGS__);                                      \
    } while (false)
