// SPDX-License-Identifier: Apache-2.0
#include "ptx/special_registers.h"

#include <algorithm>
#include <unordered_map>

namespace sparserl::ptx {

std::optional<SpecialRegister> findSpecialRegister(std::string_view name)
{
    using S = SpecialRegister;
    static const std::unordered_map<std::string_view, S> index = {{"%tid.x", S::TidX},
                                                                  {"%tid.y", S::TidY},
                                                                  {"%tid.z", S::TidZ},
                                                                  {"%ntid.x", S::NtidX},
                                                                  {"%ntid.y", S::NtidY},
                                                                  {"%ntid.z", S::NtidZ},
                                                                  {"%ctaid.x", S::CtaidX},
                                                                  {"%ctaid.y", S::CtaidY},
                                                                  {"%ctaid.z", S::CtaidZ},
                                                                  {"%nctaid.x", S::NctaidX},
                                                                  {"%nctaid.y", S::NctaidY},
                                                                  {"%nctaid.z", S::NctaidZ},
                                                                  {"%laneid", S::LaneId},
                                                                  {"%lanemask_eq", S::LanemaskEq},
                                                                  {"%lanemask_le", S::LanemaskLe},
                                                                  {"%lanemask_lt", S::LanemaskLt},
                                                                  {"%lanemask_ge", S::LanemaskGe},
                                                                  {"%lanemask_gt", S::LanemaskGt},
                                                                  {"WARP_SZ", S::WarpSize}};
    const auto found = index.find(name);
    return found == index.end() ? std::nullopt : std::optional(found->second);
}

bool isSpecialRegisterName(std::string_view name)
{
    static const std::string_view stems[] = {"%tid",
                                             "%ntid",
                                             "%ctaid",
                                             "%nctaid",
                                             "%laneid",
                                             "%lanemask",
                                             "%warpid",
                                             "%nwarpid",
                                             "%smid",
                                             "%nsmid",
                                             "%gridid",
                                             "%clock",
                                             "%pm",
                                             "%envreg",
                                             "%globaltimer",
                                             "%reserved_smem",
                                             "%total_smem",
                                             "%dynamic_smem",
                                             "%aggr_smem",
                                             "%cluster",
                                             "%is_explicit_cluster",
                                             "%current_graph_exec",
                                             "%nclusterid"};
    return std::any_of(std::begin(stems), std::end(stems), [&](std::string_view stem) {
        if (name.substr(0, stem.size()) != stem)
            return false;
        const std::string_view tail = name.substr(stem.size());
        const auto ordinary = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '$';
        };
        return tail.empty() || !ordinary(tail.front());
    });
}

} // namespace sparserl::ptx
