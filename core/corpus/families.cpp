// SPDX-License-Identifier: Apache-2.0
#include "corpus/families.h"

#include <algorithm>

namespace sparserl {

const std::vector<KernelFamily>& kernelFamilies()
{
    static const std::vector<KernelFamily> table = {
#define SPARSERL_FAMILY(task, name) task::name(),
#include "corpus/families.def"
#undef SPARSERL_FAMILY
    };
    return table;
}

const KernelFamily* findKernelFamily(std::string_view id)
{
    const auto& all = kernelFamilies();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const KernelFamily& one) { return one.family.id == id; });
    return found == all.end() ? nullptr : &*found;
}

const std::vector<Family>& families(Task task)
{
    static const auto of = [](Task wanted) {
        std::vector<Family> list;
        for (const KernelFamily& one : kernelFamilies()) {
            if (one.task() == wanted && one.write)
                list.push_back(one.family);
        }
        return list;
    };
    static const std::vector<Family> spmv = of(Task::SpMV);
    static const std::vector<Family> spmm = of(Task::SpMM);
    return task == Task::SpMV ? spmv : spmm;
}

const Family* findFamily(std::string_view id)
{
    const KernelFamily* found = findKernelFamily(id);
    return found && found->write ? &found->family : nullptr;
}

} // namespace sparserl
