// SPDX-License-Identifier: Apache-2.0
#include "matrix/file_names.h"

#include <algorithm>
#include <cctype>

namespace sparserl {
namespace {

bool endsWith(std::string_view name, std::string_view ending)
{
    return name.size() > ending.size() &&
           std::equal(ending.begin(), ending.end(), name.end() - static_cast<std::ptrdiff_t>(ending.size()),
                      [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
}

/// Takes one of the endings off, if there is one.
bool takeOff(std::string& name, const std::vector<std::string_view>& endings)
{
    for (const std::string_view ending : endings) {
        if (endsWith(name, ending)) {
            name.resize(name.size() - ending.size());
            return true;
        }
    }
    return false;
}

} // namespace

const std::vector<std::string_view>& matrixEndings()
{
    static const std::vector<std::string_view> endings{".mtx", ".smtx", ".mm",  ".npz", ".npy", ".petsc",
                                                       ".rb",  ".hb",   ".rua", ".rsa", ".rza", ".rra",
                                                       ".pua", ".psa",  ".pra", ".iua", ".isa"};
    return endings;
}

const std::vector<std::string_view>& archiveEndings()
{
    static const std::vector<std::string_view> endings{".tar.gz", ".tgz", ".tar", ".zip", ".gz"};
    return endings;
}

std::vector<std::string> matrixFilePatterns()
{
    std::vector<std::string> patterns;
    for (const std::string_view ending : matrixEndings()) {
        patterns.push_back("*" + std::string(ending));
        patterns.push_back("*" + std::string(ending) + ".gz");
    }
    for (const std::string_view ending : archiveEndings()) {
        if (ending != ".gz") // of anything
            patterns.push_back("*" + std::string(ending));
    }
    return patterns;
}

bool isMatrixFileName(const std::string& name)
{
    return hasMatrixEnding(name) ||
           std::any_of(archiveEndings().begin(), archiveEndings().end(),
                       [&](std::string_view ending) { return ending != ".gz" && endsWith(name, ending); });
}

std::string withoutMatrixEndings(std::string name)
{
    takeOff(name, archiveEndings());
    takeOff(name, matrixEndings());
    return name;
}

bool hasMatrixEnding(const std::string& name)
{
    std::string rest = name;
    static const std::vector<std::string_view> gzip{".gz"};
    takeOff(rest, gzip);
    return takeOff(rest, matrixEndings());
}

} // namespace sparserl
