// SPDX-License-Identifier: Apache-2.0
#include "base/allowed_links.h"

#include "base/files.h"

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace sparserl {

namespace fs = std::filesystem;

namespace {

struct AllowedLink
{
    std::string place, target;
    bool operator==(const AllowedLink&) const = default;
};

fs::path linksFile()
{
    return userSettingsFolder() / "allowed-links";
}

/// A line each: where the link is, a tab, and what it says. Read without openFile(), which asks here.
std::vector<AllowedLink> allowedLinks()
{
    std::ifstream file(linksFile(), std::ios::binary);
    std::vector<AllowedLink> links;
    for (std::string line; std::getline(file, line);)
        if (const auto tab = line.find('\t'); tab != std::string::npos)
            links.push_back({line.substr(0, tab), line.substr(tab + 1)});
    return links;
}

} // namespace

fs::path userSettingsFolder()
{
    const char* configured = std::getenv("XDG_CONFIG_HOME");
    if (configured != nullptr && *configured == '/')
        return fs::path(configured) / "sparserl";
    const char* home = std::getenv("HOME");
    return fs::path(home != nullptr ? home : "/") / ".config" / "sparserl";
}

bool isLinkAllowed(const fs::path& link)
{
    std::error_code code;
    const fs::path target = fs::read_symlink(link, code);
    if (code)
        return false;
    for (const AllowedLink& allowed : allowedLinks())
        if (allowed == AllowedLink{link.string(), target.string()})
            return true;
    return false;
}

Status allowLink(const fs::path& path)
{
    std::error_code code;
    fs::path link = fs::absolute(path, code).lexically_normal();
    if (!link.has_filename())
        link = link.parent_path();
    const fs::path target = fs::read_symlink(link, code);
    if (code || !fs::is_directory(link, code))
        return failAt(link.string(), 0, "this is no link to a folder",
                      "Give a link below the project, such as PROJECT/runs");
    if ((link.string() + target.string()).find_first_of("\t\n") != std::string::npos)
        return failAt(link.string(), 0, "a path with a tab or a line break cannot be allowed", "Rename it");
    std::vector<AllowedLink> links = allowedLinks();
    std::erase_if(links, [&](const AllowedLink& known) { return known.place == link.string(); });
    links.push_back({link.string(), target.string()});
    std::string text;
    for (const AllowedLink& known : links)
        text += known.place + "\t" + known.target + "\n";
    return writeFileAtomic(linksFile(), text);
}

} // namespace sparserl
