// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/lanes/lane_ops.h"

#include <cstdlib>
#include <string_view>

namespace sparserl::sim {

namespace {

LaneTable choose()
{
#if defined(SPARSERL_LANES_X86)
    // SPARSERL_SIMULATOR_LANES=baseline|avx2|avx512 chooses by hand, to compare them.
    const char* wanted = std::getenv("SPARSERL_SIMULATOR_LANES");
    const std::string_view name = wanted ? wanted : "";
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
    if (avx512 && (name.empty() || name == "avx512"))
        return avx512Lanes();
    if (avx2 && name != "baseline")
        return avx2Lanes();
#endif
    return baselineLanes();
}

} // namespace

const LaneTable& laneTable()
{
    static const LaneTable table = choose();
    return table;
}

} // namespace sparserl::sim
