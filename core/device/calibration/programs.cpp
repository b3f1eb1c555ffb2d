// SPDX-License-Identifier: Apache-2.0
#include "device/calibration/programs.h"

#include "base/rng.h"

#include <set>

namespace sparserl {

std::vector<DerivedProgram> programsToMeasure(const TargetVariant& variant, const MatrixFeatures& features,
                                              const DeviceModel& model, const MeasureChoice& choice)
{
    std::vector<DerivedProgram> chosen;
    std::set<std::string> texts;
    auto take = [&](const std::string& family, const FamilyParameters& parameters) {
        auto program = derive(family, parameters, {}, true, variant.type);
        if (program && chosen.size() < choice.count && texts.insert(program->text).second)
            chosen.push_back(std::move(*program));
    };
    std::size_t recommended = 0;
    for (const Candidate& candidate :
         recommend(variant.task(), features, model, variant.columns, variant.type)) {
        if (recommended++ == choice.recommended)
            break;
        take(candidate.family, candidate.parameters);
    }
    Rng rng(choice.seed);
    const std::vector<Family>& all = families(variant.task());
    for (int round = 0; round < 24 && chosen.size() < choice.count && !all.empty(); ++round) {
        std::vector<std::size_t> order(all.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = i;
        rng.shuffle(order);
        for (const std::size_t i : order) {
            FamilyParameters parameters;
            for (const FamilyParameter& parameter : all[i].parameters) {
                if (!parameter.values.empty())
                    parameters[parameter.name] = parameter.values[rng.below(parameter.values.size())];
            }
            take(all[i].id, parameters);
        }
    }
    return chosen;
}

} // namespace sparserl
