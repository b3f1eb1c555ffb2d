// SPDX-License-Identifier: Apache-2.0
#include "app/cli/family_words.h"

#include "app/cli/usage.h"
#include "corpus/corpus.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace sparserl::cli {

namespace {

std::vector<std::string> familyIds()
{
    std::vector<std::string> ids;
    for (const Task task : {Task::SpMV, Task::SpMM})
        for (const Family& family : families(task))
            ids.push_back(family.id);
    // Those of SpMV first, each kind by its numbers: "S2" before "S10", and "dense" after all S.
    const auto place = [](const std::string& id) {
        const bool numbered = id.size() > 1 && id.find_first_not_of("0123456789", 1) == std::string::npos;
        return std::tuple(id.starts_with('M'), !numbered, numbered ? std::stoi(id.substr(1)) : 0, id);
    };
    std::ranges::sort(ids, {}, place);
    return ids;
}

} // namespace

CLI::Option* takesFamilies(CLI::Option* option)
{
    suggests(option, familyIds);
    return option->check(CLI::Validator(
        [](std::string& words) {
            std::istringstream in(words);
            for (std::string word; std::getline(in, word, ',');) {
                if (word.empty() || findFamily(word) != nullptr)
                    continue;
                const auto ids = familyIds();
                throw WrongValue{
                    {fmt::format("there is no kernel family \"{}\"", word),
                     {},
                     0,
                     nearRemedy(word, ids, fmt::format("Families are {}", fmt::join(ids, ", ")))}};
            }
            return std::string();
        },
        std::string()));
}

} // namespace sparserl::cli
