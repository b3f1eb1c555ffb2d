// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/input_mixture.h"

#include <algorithm>
#include <cmath>

namespace sparserl {

std::vector<Input> mixtureOf(std::size_t special, const InputRange& range, std::int64_t columns, Rng& rng)
{
    std::vector<Input> inputs = specialInputs(special, range, columns, rng);
    inputs.push_back(timedInput(range, columns, rng));
    return inputs;
}

InputMixture withReferences(const Csr& matrix, std::vector<Input> inputs, std::int64_t columns,
                            const JudgeObserver* observer)
{
    InputMixture mixture;
    for (Input& input : inputs) {
        if (observer && observer->control == JudgeObserver::Control::Signs)
            for (std::size_t i = input.x.size() - std::min<std::size_t>(8, input.x.size());
                 i < input.x.size(); ++i)
                input.x.set(i, std::abs(input.x[i]));
        mixture.kinds.push_back(input.kind);
        mixture.expected.push_back(
            std::make_shared<Reference>(reference(matrix, input.x, columns, input.signs)));
        mixture.x.push_back(std::move(input.x));
    }
    return mixture;
}

void addMixture(CasePlan& cases, const SharedContents& contents, InputMixture mixture,
                const SimulationCase& settings, CaseCheck check)
{
    check.kinds = std::move(mixture.kinds);
    check.references.insert(check.references.end(), mixture.expected.begin(), mixture.expected.end());
    cases.add(contents, std::move(mixture.x), settings, std::move(check));
}

} // namespace sparserl
