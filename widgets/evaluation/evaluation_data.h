// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"
#include "training/evaluated/evaluation_figures.h"

#include <QString>
#include <QStringList>
#include <memory>
#include <optional>
#include <vector>

namespace sparserl {

/// One evaluation of one policy: one row per matrix.
struct EvaluationSet
{
    QString key;    ///< Run, policy and step; does not change while rows arrive.
    QString label;  ///< For display.
    QString run;    ///< The evaluating run.
    QString policy; ///< Identifies the policy across evaluations.
    QString baseline;
    double t = 0;
    int colour = 0; ///< For Theme::seriesColour(). Assigned by age, so it does not change when newer
                    ///< evaluations arrive.
    std::vector<EvaluationRow> rows;
};

/// Groups rows by run, policy and step, newest first. Omits rows from searches.
std::vector<EvaluationSet> groupEvaluations(const std::vector<EvaluationRow>& rows);

/// The user's selection.
struct EvaluationChoice
{
    QStringList shown;   ///< Keys of evaluations.
    bool chosen = false; ///< `shown` is the user's choice; otherwise the newest evaluations are shown.
    QString other;       ///< Key of the reference evaluation; empty: the oldest one shown.
    /// The split of the matrices; empty: all. The initial choice excludes training matrices, whose results
    /// say little.
    QString split = QStringLiteral("held-out");
    bool fasterOnly = false; ///< Only programs that are faster than the baseline count as passes.

    bool operator==(const EvaluationChoice&) const = default;
};

/// A row in the list of policies.
struct PolicyLine
{
    QString key, label, run;
    int colour = 0;
    bool shown = false;
    std::int64_t matrices = 0, solved = 0, samples = 0; ///< For the selected split.
    PolicyFigures figures;
    std::int64_t trainedOn = 0; ///< Number of `matrices` that the policy was trained on.

    /// `label`, followed by whether the policy was trained on the matrices, as in the tables of
    /// `sparserl evaluate`. Wherever figures are shown, they have this name.
    QString name() const;
};
/// `label`, marked if the policy was trained on this many of the matrices.
QString markedName(const QString& label, std::int64_t trainedOn, std::int64_t matrices);

/// A row of the comparison.
struct ComparisonLine
{
    QString key, label;
    int colour = 0;
    PairedFigure figure;
};

/// A row of the table below the box plot. The row of the baseline has no colour.
struct BoxLine
{
    QString bin, label;
    std::optional<int> colour;
    std::int64_t matrices = 0;
    BoxFigures box;
};

/// The results of a policy and of the reference policy on one matrix.
struct MatrixLine
{
    EvaluationEvent row;
    std::optional<EvaluationEvent> other;
};

/// The contents of the page, computed on another thread.
struct EvaluationView
{
    std::shared_ptr<const std::vector<EvaluationSet>> sets; ///< Newest first.
    EvaluationChoice choice;                                ///< With defaults filled in.
    std::vector<std::int64_t> ks;                           ///< The k of pass@k, for all shown policies.
    std::vector<PolicyLine> policies;                       ///< All policies.
    std::vector<EvaluationResult> results;                  ///< Shown results, in the same order, marked.
    std::vector<int> colours;                               ///< Colours of the results.
    std::vector<std::vector<double>> passes;                ///< pass@1, pass@2, ... of each result.
    std::vector<std::vector<SplitRates>> rates;             ///< Rates of each result, for all splits.
    std::vector<SizeBoxes> boxes;
    std::vector<ComparisonLine> comparison;
    std::int64_t leftOut = 0; ///< Number of shown evaluations of the reference policy itself.

    const EvaluationSet* find(const QString& key) const;
    /// PolicyLine::name() of an evaluation, or empty.
    QString nameOf(const QString& key) const;
    /// Index of the result with this key; -1: not shown.
    int resultOf(const QString& key) const;
    std::vector<BoxLine> boxLines() const;
    /// `comparison` as a table for export; it has no rows if there is no comparison.
    TextTable comparisonTable() const;
    /// The matrices of the selected split in an evaluation.
    std::vector<MatrixLine> matricesOf(const QString& key) const;
    /// The results of all shown policies on one matrix: each evaluation, and its row.
    std::vector<std::pair<const EvaluationSet*, EvaluationEvent>>
    policiesOf(const EvaluationEvent& matrix) const;
};

EvaluationView viewOf(std::shared_ptr<const std::vector<EvaluationSet>> sets, EvaluationChoice choice);

} // namespace sparserl
