// SPDX-License-Identifier: Apache-2.0
#include "reward/reward.h"
#include "training/parameters/parameter_groups.h"
#include "training/parameters/parameter_keys.h"

namespace sparserl {

using Spec = ParameterSpec;

void addRewards(ParameterDeclarations& all, const std::string& group, std::int64_t fewest, bool live)
{
    std::vector<std::string> presets;
    for (const auto& preset : RewardModel::presets())
        presets.push_back(preset.name);
    const auto add = [&](const Spec& spec) { all.add(live ? spec.nextIteration() : spec); };
    all.add(Spec::choice(param::reward::preset, "sparserl", presets)
                .group(group)
                .help("The rule by which a verdict becomes a reward; section 6 of docs/rl.md describes the "
                      "presets."));
    all.add(Spec::integer(param::reward::statsSamples, 6)
                .range(static_cast<double>(fewest), 10000)
                .unit("programs")
                .group(group)
                .source("SparseRL A.4.2")
                .help("Number of corpus programs judged for the speed statistics of a matrix that the SFT "
                      "stage has not seen."));
    add(Spec::real(param::reward::rEff, RewardWeights().efficiency)
            .range(0, 10)
            .group(group)
            .source("SparseRL Eq. 8, Table 4")
            .help("Weight of speed in the presets sparserl and sparserl-literal; 0: only correctness "
                  "counts (as in Figure 5 of the paper)."));
    add(Spec::real(param::reward::rPenalty, RewardWeights().penalty)
            .range(0, 0.5)
            .group(group)
            .source("SparseRL A.4, Table 5")
            .help("Penalty in the presets sparserl and sparserl-literal if a program uses more than 48 KiB "
                  "of shared memory."));
    add(Spec::real(param::reward::alpha, RewardWeights().correctness)
            .range(0, 1)
            .group(group)
            .source("SparseRL A.4.3")
            .help("Weight of correctness in the preset sparserl-literal; speed has the remaining weight."));
    add(Spec::text(param::reward::expression, "")
            .group(group)
            .source("ours")
            .help("Formula of the reward for reward.preset = expression, such as `correct ? 1 + "
                  "ln(speedup) : compiled - 1`; section 6 of docs/rl.md lists the quantities."));
}

} // namespace sparserl
