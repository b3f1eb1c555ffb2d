// SPDX-License-Identifier: Apache-2.0
#include "project/unlisted.h"

#include "base/beneath.h"
#include "base/files.h"

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
        return name.starts_with('.') || name.find(".tmp-") != std::string::npos || isText(file) ||
               isListed(project, matrices, file) || !glance(file).regular;
    });
    return files;
}

MatrixPlace placeFor(const fs::path& project, const std::vector<MatrixEntry>& matrices,
                     const std::string& name, std::string_view bytes)
{
    fs::path path = project / "matrices" / name;
    for (int n = 2;; ++n) {
        const Entry there = glance(path);
        if (!there.exists)
            return {path, false};
        if (there.regular && there.bytes == bytes.size() && !isListed(project, matrices, path))
            if (const auto known = readFile(path); known && *known == bytes)
                return {path, true};
        path = project / "matrices" / fmt::format("{}-{}", n, name);
    }
}

} // namespace sparserl
