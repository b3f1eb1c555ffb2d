// SPDX-License-Identifier: Apache-2.0
// Body of lane_ops_{baseline,avx2,avx512}.cpp: everything is in anonymous namespaces, see lane_ops.h.
#include "device/simulator/lane_addresses.h"
#include "device/simulator/lane_lookup.h"
#include "device/simulator/lane_shuffles.h"

namespace sparserl::sim {

LaneTable SPARSERL_LANES()
{
    return {SPARSERL_LANES_NAME,
            &findLaneFns,
            {&offsets64, &offsets32, &contiguous, &misaligned, &gather32},
            {&sectorsOf, &distinct, &probe4, &probe16, &probeResident},
            {&shuffleLanes<Op::ShflUp>, &shuffleLanes<Op::ShflDown>, &shuffleLanes<Op::ShflBfly>,
             &shuffleLanes<Op::ShflIdx>}};
}

} // namespace sparserl::sim
