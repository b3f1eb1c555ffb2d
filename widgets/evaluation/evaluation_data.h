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
    QString key;    ///< Run, policy and step: constant while rows arrive.
    QString label;  ///< For display.
    QString run;    ///< The evaluating run.
    QString policy; ///< Identifies the policy across evaluations.
    QString baseline;
    double t = 0;
    int colour = 0; ///< For Theme::seriesColour(), by age: constant while newer ones arrive.
    std::vector<EvaluationRow> rows;
};

/// Groups rows by run, policy and step; newest first. Those of searches are left out.
std::vector<EvaluationSet> groupEvaluations(const std::vector<EvaluationRow>& rows);

/// The user's selection.
struct EvaluationChoice
{
    QStringList shown;   ///< Keys of evaluations.
    bool chosen = false; ///< `shown` is the user's choice; otherwise the newest ones are shown.
    QString other;       ///< The reference evaluation; empty: the oldest shown.
    /// Of matrices; empty: all. Initially excludes training matrices, which say little.
    QString split = QStringLiteral("held-out");
    bool fasterOnly = false; ///< Only programs faster than the baseline pass.

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
};

/// A row of the comparison.
struct ComparisonLine
{
    QString key, label;
    int colour = 0;
    PairedFigure figure;
};

/// A row of the table below the box plot; without a colour for the baseline.
struct BoxLine
{
    QString bin, label;
    std::optional<int> colour;
    std::int64_t matrices = 0;
    BoxFigures box;
};

/// A matrix under a policy, and under the reference policy.
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
    std::vector<std::int64_t> ks;                           ///< Of pass@k, for all shown policies.
    std::vector<PolicyLine> policies;                       ///< All policies.
    std::vector<EvaluationResult> results;                  ///< Shown results, in the same order.
    std::vector<int> colours;                               ///< Of the results.
    std::vector<std::vector<double>> passes;                ///< pass@1, pass@2, ... of the results.
    std::vector<std::vector<SplitRates>> rates;             ///< Of the results, for all splits.
    std::vector<SizeBoxes> boxes;
    std::vector<ComparisonLine> comparison;
    std::int64_t leftOut = 0; ///< Shown evaluations of the reference policy itself.

    const EvaluationSet* find(const QString& key) const;
    /// Index of a key among the results; -1: not shown.
    int resultOf(const QString& key) const;
    std::vector<BoxLine> boxLines() const;
    /// `comparison` for export; no rows without a comparison.
    TextTable comparisonTable() const;
    /// The matrices of the selected split in an evaluation.
    std::vector<MatrixLine> matricesOf(const QString& key) const;
    /// One matrix under all shown policies: the evaluation and its row.
    std::vector<std::pair<const EvaluationSet*, EvaluationEvent>>
    policiesOf(const EvaluationEvent& matrix) const;
};

EvaluationView viewOf(std::shared_ptr<const std::vector<EvaluationSet>> sets, EvaluationChoice choice);

} // namespace sparserl
