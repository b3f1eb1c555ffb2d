// SPDX-License-Identifier: Apache-2.0
#include "export/exported.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/json.h"

namespace sparserl {

namespace fs = std::filesystem;

namespace {

bool sameManifest(const std::string& there, const std::string& wanted)
{
    auto one = nlohmann::json::parse(there, nullptr, false), other = nlohmann::json::parse(wanted);
    if (!one.is_object())
        return false;
    one["created"] = other["created"] = 0;
    return one == other;
}

bool sameFile(const fs::path& file, const std::string& name, const std::string& wanted)
{
    const auto there = readFile(file, wanted.size() + 4096);
    return there && (name == "manifest.json" ? sameManifest(*there, wanted) : *there == wanted);
}

} // namespace

bool holdsBundle(const fs::path& folder, const std::map<std::string, std::string>& files)
{
    std::size_t found = 0;
    std::vector<fs::path> folders = {folder};
    while (!folders.empty()) {
        const auto entries = listDirectory(folders.back());
        folders.pop_back();
        if (!entries)
            return false;
        for (const fs::path& path : *entries) {
            const std::string name = path.lexically_relative(folder).generic_string();
            const Entry look = glance(path);
            const auto wanted = files.lower_bound(look.folder ? name + "/" : name);
            if (look.folder && wanted != files.end() && wanted->first.starts_with(name + "/"))
                folders.push_back(path);
            else if (look.regular && wanted != files.end() && wanted->first == name &&
                     sameFile(path, name, wanted->second))
                ++found;
            else
                return false;
        }
    }
    return found == files.size();
}

} // namespace sparserl
