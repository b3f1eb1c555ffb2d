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

/// One evaluation of one policy: a row for each matrix.
struct EvaluationSet
{
    QString key;    ///< Run, policy and step: stays the same while rows arrive.
    QString label;  ///< For people.
    QString run;    ///< That evaluated it.
    QString policy; ///< Tells policies apart, however often one of them was evaluated.
    QString baseline;
    double t = 0;
    int colour = 0; ///< Of Theme::seriesColour(), by age: stays the same while newer ones come.
    std::vector<EvaluationRow> rows;
};

/// Groups rows by run, policy and step; newest first. Those of searches are left out.
std::vector<EvaluationSet> groupEvaluations(const std::vector<EvaluationRow>& rows);

/// What the user wants to see.
struct EvaluationChoice
{
    QStringList shown;   ///< Keys of evaluations.
    bool chosen = false; ///< `shown` is the user's; else the newest ones are shown.
    QString other;       ///< The evaluation that the others are compared with; empty: the oldest shown.
    /// Of matrices; empty: all. What was trained on tells little, so at first it is left out.
    QString split = QStringLiteral("held-out");
    bool fasterOnly = false; ///< Only what is faster than the baseline passes.

    bool operator==(const EvaluationChoice&) const = default;
};

/// A line of the list of policies.
struct PolicyLine
{
    QString key, label, run;
    int colour = 0;
    bool shown = false;
    std::int64_t matrices = 0, solved = 0, samples = 0; ///< Of the chosen split.
    PolicyFigures figures;
};

/// A line of the comparison.
struct ComparisonLine
{
    QString key, label;
    int colour = 0;
    PairedFigure figure;
};

/// A line of the table below the box plot; no colour: the baseline.
struct BoxLine
{
    QString bin, label;
    std::optional<int> colour;
    std::int64_t matrices = 0;
    BoxFigures box;
};

/// A matrix under a policy, and under the one that it is compared with.
struct MatrixLine
{
    EvaluationEvent row;
    std::optional<EvaluationEvent> other;
};

/// Everything the page shows, worked out away from its thread.
struct EvaluationView
{
    std::shared_ptr<const std::vector<EvaluationSet>> sets; ///< Newest first.
    EvaluationChoice choice;                                ///< With what was left open filled in.
    std::vector<std::int64_t> ks;                           ///< Of pass@k, of all shown policies.
    std::vector<PolicyLine> policies;                       ///< All there are.
    std::vector<EvaluationResult> results;                  ///< Of those shown, in the same order.
    std::vector<int> colours;                               ///< Of the results.
    std::vector<std::vector<double>> passes;                ///< pass@1, pass@2, ... of the results.
    std::vector<std::vector<SplitRates>> rates;             ///< Of the results, whatever the chosen split.
    std::vector<SizeBoxes> boxes;
    std::vector<ComparisonLine> comparison;
    std::int64_t leftOut = 0; ///< Shown evaluations of the very policy that the others are compared with.

    const EvaluationSet* find(const QString& key) const;
    /// Where a key is among the results; -1: it is not shown.
    int resultOf(const QString& key) const;
    std::vector<BoxLine> boxLines() const;
    /// `comparison` as it is exported; no rows where nothing is compared.
    TextTable comparisonTable() const;
    /// The matrices of the chosen split under an evaluation.
    std::vector<MatrixLine> matricesOf(const QString& key) const;
    /// One matrix under all shown policies: the key of the evaluation, and its row.
    std::vector<std::pair<const EvaluationSet*, EvaluationEvent>>
    policiesOf(const EvaluationEvent& matrix) const;
};

EvaluationView viewOf(std::shared_ptr<const std::vector<EvaluationSet>> sets, EvaluationChoice choice);

} // namespace sparserl
