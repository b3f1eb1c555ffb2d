// SPDX-License-Identifier: Apache-2.0
// Body of lane_ops_{baseline,avx2,avx512}.cpp: everything is in anonymous namespaces, see lane_ops.h.
#include "device/simulator/lanes/lane_addresses.h"
#include "device/simulator/lanes/lane_lookup.h"
#include "device/simulator/lanes/lane_shuffles.h"

namespace sparserl::sim {

LaneTable SPARSERL_LANES()
{
    return {SPARSERL_LANES_NAME,
            &findLaneFns,
            {&offsets64, &offsets32, &contiguous, &misaligned, &gather32},
            {&sectorsOf, &distinct, &probe4, &probe16, &probeResident},
            {{&shuffleLanes<ShuffleMode::Up>, &shuffleLanes<ShuffleMode::Down>,
              &shuffleLanes<ShuffleMode::Butterfly>, &shuffleLanes<ShuffleMode::Index>}},
            {arithmetic<Same, Type::U32>(), arithmetic<Same, Type::U64>(), arithmetic<Sum, Type::U64>(),
             arithmetic<Difference, Type::U64>(), &resized}};
}

} // namespace sparserl::sim
