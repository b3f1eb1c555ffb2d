// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/curve.h"
#include "project/queries.h"

#include <QString>
#include <memory>
#include <optional>
#include <vector>

namespace sparserl {

/// One evaluation of one policy: a row for each matrix.
struct EvaluationSet
{
    QString key;   ///< Run, policy and step: stays the same while rows arrive.
    QString label; ///< For people.
    double t = 0;
    std::vector<EvaluationRow> rows;
};

/// Groups rows by run, policy and step; newest first.
std::vector<EvaluationSet> groupEvaluations(const std::vector<EvaluationRow>& rows);

/// A matrix under one or two policies.
struct EvaluationLine
{
    EvaluationEvent first;
    std::optional<EvaluationEvent> second;
};
/// The first set's matrices in its order, with the second set's numbers beside them where it has the matrix.
std::vector<EvaluationLine> pairUp(const EvaluationSet& first, const EvaluationSet* second);

/// Numbers over all matrices of a set.
struct EvaluationTotals
{
    std::int64_t matrices = 0, samples = 0;
    double compiled = 0, correct = 0, faster = 0; ///< Shares of all samples.
    double solved = 0;                            ///< Share of matrices with a correct program.
    double meanSpeedup = 0; ///< Geometric mean of the best speed-ups over solved matrices; 0 without any.
    std::int64_t fasterMatrices = 0; ///< Matrices where the best program beats the baseline.
};
EvaluationTotals totalsOf(const EvaluationSet& set);
/// Best time against the baseline, or 0.
double bestSpeedup(const EvaluationEvent& event);

/// Mean over the matrices of pass@k for k = 1.. (Chen et al. 2021): correct, or correct and faster than the
/// baseline.
std::shared_ptr<Curve> passCurve(const EvaluationSet& set, bool fasterOnly);

/// The table as text; numbers in the C locale.
QString toCsv(const std::vector<EvaluationLine>& lines, const EvaluationSet& first,
              const EvaluationSet* second);
QString toMarkdown(const std::vector<EvaluationLine>& lines, const EvaluationSet& first,
                   const EvaluationSet* second);

} // namespace sparserl
