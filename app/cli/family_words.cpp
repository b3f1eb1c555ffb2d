// SPDX-License-Identifier: Apache-2.0
#include "app/cli/family_words.h"

#include "app/cli/usage.h"
#include "corpus/corpus.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>
#include <vector>

namespace sparserl::cli {

namespace {

std::vector<std::string> familyIds()
{
    std::vector<std::string> ids;
    for (const Task task : {Task::SpMV, Task::SpMM})
        for (const Family& family : families(task))
            ids.push_back(family.id);
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
