// SPDX-License-Identifier: Apache-2.0
#include "app/cli/name_list.h"

#include <utility>

namespace sparserl::cli {

std::vector<std::string> splitNames(const std::vector<std::string>& words,
                                    const std::function<bool(const std::string&)>& isWhole)
{
    std::vector<std::string> names;
    for (const std::string& word : words) {
        if (word.find(',') == std::string::npos || isWhole(word)) {
            names.push_back(word);
            continue;
        }
        std::string name;
        int depth = 0;
        for (const char c : word + ",") {
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
            if (c != ',' || depth > 0)
                name += c;
            else if (!name.empty())
                names.push_back(std::exchange(name, {}));
        }
        if (name.size() > 1) { // a parenthesis that is never closed; its generator says so
            name.pop_back();
            names.push_back(std::move(name));
        }
    }
    return names;
}

Error allOf(const std::vector<Error>& errors)
{
    Error all = errors.back();
    if (errors.size() == 1)
        return all;
    std::string before;
    for (std::size_t i = 0; i + 1 < errors.size(); ++i)
        before += errors[i].sentence() + " ";
    if (!all.file.empty())
        before += all.file + ": ";
    all.what = before + all.what;
    all.file.clear();
    all.line = 0;
    return all;
}

} // namespace sparserl::cli
