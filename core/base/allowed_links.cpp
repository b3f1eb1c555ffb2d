// SPDX-License-Identifier: Apache-2.0
#include "base/allowed_links.h"

#include <string>

namespace sparserl {

namespace fs = std::filesystem;

namespace {

fs::path linksFile()
{
    return userSettingsFolder() / "allowed-links";
}

/// A line of the file: where the link is, a tab, and what it says.
std::string allowedLine(const fs::path& place, const fs::path& target)
{
    return place.string() + "\t" + target.string();
}

} // namespace

bool isLinkAllowed(const fs::path& link)
{
    std::error_code code;
    const fs::path target = fs::read_symlink(link, code);
    const auto allowed = code ? Result<std::string>() : readSettings(linksFile());
    if (!allowed)
        return false;
    const std::string asked = allowedLine(link, target);
    for (const std::string_view line : linesOf(*allowed))
        if (line == asked)
            return true;
    return false;
}

std::vector<fs::path> allowedLinksTo(const fs::path& path)
{
    std::error_code code;
    const std::string real = fs::weakly_canonical(path, code).string();
    std::vector<fs::path> links;
    const auto allowed = code ? Result<std::string>() : readSettings(linksFile());
    for (const std::string_view line : allowed ? linesOf(*allowed) : std::vector<std::string_view>()) {
        const auto tab = line.find('\t');
        if (line.starts_with('#') || tab == std::string_view::npos)
            continue;
        const fs::path link = line.substr(0, tab);
        const fs::path target = fs::read_symlink(link, code);
        if (code || line != allowedLine(link, target))
            continue;
        const std::string folder = fs::canonical(link, code).string();
        if (!code && folder.size() > 1 && real.starts_with(folder + "/"))
            links.push_back(link);
    }
    return links;
}

Status allowLink(const fs::path& path)
{
    std::error_code code;
    fs::path link = fs::absolute(path, code).lexically_normal();
    if (!link.has_filename())
        link = link.parent_path();
    const fs::path target = fs::read_symlink(link, code);
    if (code || !fs::is_directory(link, code))
        return failAt(link.string(), 0, "this is not a link to a folder",
                      "Give a link below the project, such as PROJECT/runs");
    if ((link.string() + target.string()).find_first_of("\t\n") != std::string::npos)
        return failAt(link.string(), 0, "a path with a tab or a line break cannot be allowed", "Rename it");
    return changeSettings(linksFile(), [&](const std::string& before) -> Result<std::string> {
        const std::string place = link.string() + "\t";
        std::string after;
        for (const std::string_view line : linesOf(before))
            if (!line.starts_with(place)) // it led elsewhere
                after.append(line) += '\n';
        return after + allowedLine(link, target) + '\n';
    });
}

} // namespace sparserl
