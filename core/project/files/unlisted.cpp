// SPDX-License-Identifier: Apache-2.0
#include "project/files/unlisted.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/free_name.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

namespace fs = std::filesystem;

namespace {

bool isListed(const fs::path& project, const std::vector<MatrixEntry>& matrices, const fs::path& file)
{
    return std::any_of(matrices.begin(), matrices.end(), [&](const MatrixEntry& entry) {
        return !entry.file.empty() && (project / entry.file).lexically_normal() == file;
    });
}

bool isText(const fs::path& file)
{
    return file.extension() == ".md" || file.extension() == ".txt";
}

} // namespace

std::vector<fs::path> unlistedFiles(const fs::path& project, const std::vector<MatrixEntry>& matrices)
{
    std::vector<fs::path> files = entriesOf(project / "matrices");
    std::erase_if(files, [&](const fs::path& file) {
        const std::string name = file.filename().string();
        return name.starts_with('.') || isText(file) || isListed(project, matrices, file) ||
               !glance(file).regular;
    });
    return files;
}

MatrixPlace placeFor(const fs::path& project, const std::vector<MatrixEntry>& matrices,
                     const std::string& name, std::string_view bytes)
{
    bool present = false;
    const auto taken = [&](const std::string& one) {
        const fs::path path = project / "matrices" / one;
        const Entry there = glance(path);
        if (there.regular && there.bytes == bytes.size() && !isListed(project, matrices, path))
            if (const auto known = readFile(path, bytes.size()); known && *known == bytes)
                present = true;
        return there.exists && !present;
    };
    // The number stands first: the ending says what a file is.
    const auto numberedName = [&](int n) { return n == 1 ? name : fmt::format("{}-{}", n, name); };
    const std::string free = firstFree(numberedName, taken);
    return {project / "matrices" / free, present};
}

} // namespace sparserl
