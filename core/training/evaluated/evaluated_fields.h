// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/fields.h"
#include "training/evaluated/evaluated_matrix.h"

namespace sparserl {

template <>
struct Fields<EvaluatedSample>
{
    static void of(auto& s, auto& field)
    {
        field("compiled", s.compiled);
        field("correct", s.correct);
        field("verbatim", s.verbatim);
        field("family", s.family);
        field("kernel", s.kernel);
        field("reward", s.reward);
        field("us", s.microseconds);
    }
};

template <>
struct Fields<EvaluatedMatrix>
{
    static void of(auto& m, auto& field)
    {
        field("digest", m.target);
        field("name", m.name);
        field("split", m.split);
        field("nnz", m.nnz);
        field("baseline_us", m.baselineMicroseconds);
        field("baseline", m.baseline);
        field("best_family", m.bestFamily);
        field("samples", m.samples);
        field("compiled", m.compiled);
        field("correct", m.correct);
        field("faster", m.faster);
        field("reward_sum", m.rewardSum);
        field("best_speedup", m.bestSpeedup);
        field("each", m.each);
        field("programs", m.programs);
    }
};

} // namespace sparserl
