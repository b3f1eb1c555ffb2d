// SPDX-License-Identifier: Apache-2.0
#include "corpus/names.h"

#include "base/rng.h"

#include <algorithm>

namespace sparserl {

namespace {

/// Canonical, short and long name of a role, then more for mixed naming.
struct RoleNames
{
    std::string_view role;
    std::vector<std::string_view> names;
};

const std::vector<RoleNames>& roleNames()
{
    static const std::vector<RoleNames> table = {
        {"kernel", {"spmv", "k", "spmv_kernel", "multiply", "matvec", "csr_spmv", "apply"}},
        {"rows", {"rows", "n", "num_rows", "m", "nrows"}},
        {"cols", {"cols", "m", "num_cols", "ncols"}},
        {"row_ptr", {"row_ptr", "rp", "row_offsets", "ptr", "offsets", "row_start"}},
        {"col", {"col", "ci", "col_indices", "idx", "indices", "column"}},
        {"val", {"val", "v", "values", "a", "data", "entries"}},
        {"row", {"row", "r", "row_index", "my_row", "i"}},
        {"sum", {"sum", "s", "total", "acc", "dot", "result"}},
        {"i", {"i", "j", "entry", "k", "p", "pos"}},
        {"end", {"end", "e", "row_end", "stop", "last"}},
        {"lane", {"lane", "l", "lane_id", "t", "part"}},
        {"offset", {"o", "d", "delta", "step", "shift"}},
        {"partial", {"part", "sh", "partial_sums", "buf", "warp_sums"}},
        {"width", {"width", "w", "row_width", "max_len"}},
        {"slices", {"slices", "ns", "num_slices", "slice_count"}},
        {"slice_ptr", {"slice_ptr", "sp", "slice_offsets", "slice_start"}},
        {"slice", {"slice", "c", "slice_index", "chunk"}},
        {"row_ids", {"row_ids", "ids", "row_numbers", "perm"}},
        {"thread", {"t", "g", "thread_index", "gid", "tid"}},
        {"diagonals", {"diagonals", "nd", "num_diagonals", "ndiag"}},
        {"diagonal_offset", {"offset", "off", "diagonal_offset", "shifts"}},
        {"d", {"d", "q", "diagonal", "diag"}},
        {"column", {"c", "u", "column_index", "xi"}},
    };
    return table;
}

} // namespace

const std::string& Names::of(std::string_view role)
{
    if (const auto found = m_chosen.find(role); found != m_chosen.end())
        return found->second;
    const auto& table = roleNames();
    const auto entry =
        std::find_if(table.begin(), table.end(), [&](const RoleNames& names) { return names.role == role; });
    std::string name(role);
    if (entry != table.end()) {
        std::size_t index = 0;
        if (m_style.naming == Style::Naming::Short)
            index = 1;
        else if (m_style.naming == Style::Naming::Long)
            index = 2;
        else if (m_style.naming == Style::Naming::Mixed)
            index = Rng(m_style.seed).derive(role).below(entry->names.size());
        for (std::size_t k = 0; k < entry->names.size(); ++k) {
            name = entry->names[(index + k) % entry->names.size()];
            if (m_used.count(name) == 0)
                break;
        }
    }
    while (!m_used.insert(name).second)
        name += '_';
    return m_chosen.emplace(role, name).first->second;
}

} // namespace sparserl
