// SPDX-License-Identifier: Apache-2.0
#include "base/allowed_links.h"

#include "base/toml.h"

#include <cstdlib>
#include <fstream>
#include <sstream>
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
    return userSettingsFolder() / "links.toml";
}

/// Read without openFile(), which asks here.
std::vector<AllowedLink> allowedLinks()
{
    std::ifstream file(linksFile(), std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    std::vector<AllowedLink> links;
    const auto table = parseToml(text.str(), linksFile().string());
    const toml::array* list = table ? (*table)["link"].as_array() : nullptr;
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i)
        if (const toml::table* entry = list->get(i)->as_table())
            links.push_back(
                {(*entry)["place"].value_or(std::string()), (*entry)["target"].value_or(std::string())});
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
    std::vector<AllowedLink> links = allowedLinks();
    std::erase_if(links, [&](const AllowedLink& known) { return known.place == link.string(); });
    links.push_back({link.string(), target.string()});
    toml::array list;
    for (const AllowedLink& known : links)
        list.push_back(toml::table{{"place", known.place}, {"target", known.target}});
    return writeToml(linksFile(), toml::table{{"link", std::move(list)}});
}

} // namespace sparserl
