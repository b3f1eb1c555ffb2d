// SPDX-License-Identifier: Apache-2.0
#include "export/exported.h"

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
    std::error_code code;
    std::size_t found = 0;
    if (!fs::is_directory(fs::symlink_status(folder, code)))
        return false;
    for (fs::recursive_directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
        const std::string name = it->path().lexically_relative(folder).generic_string();
        const fs::file_status status = it->symlink_status(code);
        const auto wanted = files.lower_bound(name);
        if (fs::is_directory(status)) {
            const auto below = files.lower_bound(name + "/");
            if (below == files.end() || !below->first.starts_with(name + "/"))
                return false;
        } else if (!fs::is_regular_file(status) || wanted == files.end() || wanted->first != name ||
                   !sameFile(it->path(), name, wanted->second)) {
            return false;
        } else {
            ++found;
        }
    }
    return !code && found == files.size();
}

} // namespace sparserl
