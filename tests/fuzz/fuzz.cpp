// SPDX-License-Identifier: Apache-2.0
#include "fuzz.h"

#include "base/files.h"
#include "base/printable.h"

#include <cstdio>
#include <cstdlib>
#include <optional>

namespace sparserl::fuzz {

void broken(const char* file, int line, const std::string& what)
{
    const std::string text = std::string(file) + ":" + std::to_string(line) + ": " + what;
    std::fprintf(stderr, "property broken: %s\n", text.c_str());
    throw PropertyBroken{text};
}

void checkReason(std::string_view reason)
{
    constexpr std::size_t longest = 2000;
    FUZZ_CHECK(!reason.empty());
    FUZZ_CHECK(reason.size() <= longest);
    const std::string shown = printable(reason);
    FUZZ_CHECK(printable(shown) == shown);
    for (const char c : shown)
        FUZZ_CHECK(static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t');
}

void checkError(const Error& error)
{
    FUZZ_CHECK(!error.what.empty());
    FUZZ_CHECK(error.line >= 0);
    const std::string sentence = error.sentence();
    checkReason(sentence);
    FUZZ_CHECK(sentence.find('\n') == std::string::npos);
}

std::filesystem::path scratch(const std::string& target)
{
    static const std::optional<TempDir> folder = [] {
        std::error_code code;
        const bool memory = std::filesystem::is_directory("/dev/shm", code);
        auto made = TempDir::create("sparserl-fuzz", memory ? "/dev/shm" : "");
        return made ? std::optional(std::move(*made)) : std::nullopt;
    }();
    FUZZ_CHECK(folder.has_value());
    std::filesystem::path path = folder->path() / target;
    std::filesystem::create_directory(path);
    return path;
}

std::filesystem::path writeFile(std::filesystem::path path, std::string_view bytes)
{
    std::FILE* file = std::fopen(path.c_str(), "wb");
    FUZZ_CHECK(file != nullptr);
    const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    FUZZ_CHECK(std::fclose(file) == 0 && written);
    return path;
}

} // namespace sparserl::fuzz
