// SPDX-License-Identifier: Apache-2.0
#include "app/cli/words.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace sparserl::cli {

namespace {

namespace fs = std::filesystem;

constexpr char mark = '\x02'; ///< Nobody types it.

/// Where in a word a path may begin: behind "--option=" and "key=".
std::size_t valueAt(std::string_view word)
{
    const auto equals = word.find('=');
    return equals == std::string_view::npos ? 0 : equals + 1;
}

/// The path with "LINK/.." replaced by the folder that it is; itself where there is none.
fs::path behindDots(const fs::path& path)
{
    fs::path at;
    bool followed = false;
    std::error_code code;
    for (const fs::path& name : path) {
        if (name == ".." && fs::is_symlink(at, code)) {
            const fs::path real = fs::canonical(at, code);
            if (code)
                return path; // the kernel finds nothing there either, and says why
            at = real.parent_path();
            followed = true;
        } else {
            at /= name;
        }
    }
    return followed ? at : path;
}

std::string asKernelResolves(const std::string& word)
{
    if (word.find("/..") == std::string::npos)
        return word;
    const std::size_t begin = valueAt(word);
    return word.substr(0, begin) + behindDots(word.substr(begin)).string();
}

std::string marked(std::string word)
{
    const std::size_t begin = word.starts_with("--") ? valueAt(word) : 0;
    const auto bracket = word.find_first_not_of(mark, begin);
    if (bracket != std::string::npos && word[bracket] == '[' && word.back() == ']')
        word.insert(begin, 1, mark);
    return word;
}

/// One mark less, if it is one.
std::string takeOff(std::string& word)
{
    const auto bracket = word.find_first_not_of(mark);
    if (bracket != std::string::npos && bracket > 0 && word[bracket] == '[' && word.back() == ']')
        word.erase(0, 1);
    return {};
}

} // namespace

std::vector<std::string> parserWords(int argc, const char* const* argv)
{
    std::vector<std::string> words(argv, argv + argc);
    for (auto word = words.begin() + std::min<std::ptrdiff_t>(1, argc); word != words.end(); ++word)
        *word = marked(asKernelResolves(*word));
    return words;
}

void takeMarksOff(CLI::App& app)
{
    for (CLI::Option* option : app.get_options())
        option->transform(CLI::Validator(takeOff, std::string()));
    for (CLI::App* command : app.get_subcommands({}))
        takeMarksOff(*command);
}

std::string withoutMarks(std::string text)
{
    std::erase(text, mark);
    return text;
}

} // namespace sparserl::cli
