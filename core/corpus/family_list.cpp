// SPDX-License-Identifier: Apache-2.0
#include "corpus/family_list.h"

#include "corpus/corpus.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

namespace {

bool isOf(const std::string& id, Task task)
{
    return std::ranges::any_of(families(task), [&](const Family& one) { return one.id == id; });
}

} // namespace

Result<std::vector<std::string>> parseFamilies(std::string_view list, const std::vector<Task>& tasks)
{
    std::vector<std::string> ids;
    while (!list.empty()) {
        const std::size_t end = std::min(list.find(','), list.size());
        std::string id(list.substr(0, end));
        list.remove_prefix(std::min(end + 1, list.size()));
        if (id.empty())
            continue;
        if (findFamily(id) == nullptr)
            return fail(fmt::format("there is no kernel family \"{}\"", id),
                        "Write ids of docs/kernels.md, such as S1,S6");
        if (std::ranges::none_of(tasks, [&](Task task) { return isOf(id, task); })) {
            const bool spmv = isOf(id, Task::SpMV);
            return fail(fmt::format("{} is a family for {}", id, spmv ? "spmv" : "spmm"),
                        spmv ? "Leave out --task spmm, or name families for it"
                             : "Add --task spmm, or name families for spmv");
        }
        ids.push_back(std::move(id));
    }
    for (const Task task : tasks)
        if (!ids.empty() && std::ranges::none_of(ids, [&](const std::string& id) { return isOf(id, task); }))
            return fail(fmt::format("none of these families is for {}", nameOf(task)),
                        "Name families of each task, or leave them out");
    return ids;
}

} // namespace sparserl
