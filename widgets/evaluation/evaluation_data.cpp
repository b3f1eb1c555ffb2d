// SPDX-License-Identifier: Apache-2.0
#include "widgets/evaluation/evaluation_data.h"

#include "verdict/names.h"
#include "widgets/common/format.h"
#include "widgets/common/translate.h"

#include <algorithm>
#include <map>
#include <set>

namespace sparserl {

namespace {

/// As many lines as can be told apart at a glance, until the user says which.
constexpr std::size_t shownAtFirst = 4;

/// What a search has found is summed up as an evaluation is, but a search is no policy.
constexpr const char* searchStage = "search";

bool isOf(const QString& split, const EvaluationEvent& event)
{
    return split.isEmpty() || toQString(event.split) == split;
}

std::vector<EvaluationEvent> rowsOf(const EvaluationSet& set, const QString& split)
{
    std::vector<EvaluationEvent> rows;
    for (const EvaluationRow& row : set.rows)
        if (isOf(split, row.event))
            rows.push_back(row.event);
    return rows;
}

bool sameMatrix(const EvaluationEvent& a, const EvaluationEvent& b)
{
    return a.target == b.target && a.split == b.split;
}

// The policy's name alone where that is enough; a stage that evaluates names the run that trained it.
void nameSets(std::vector<EvaluationSet>& sets)
{
    std::map<QString, int> names;
    for (const EvaluationSet& set : sets)
        ++names[set.label];
    for (EvaluationSet& set : sets)
        if (names[set.label] > 1)
            set.label = tr("%1 by %2").arg(set.label, set.run);
}

// Fills in what the user left open, and drops what is no longer there.
EvaluationChoice resolved(EvaluationChoice choice, const std::vector<EvaluationSet>& sets)
{
    const auto find = [&](const QString& key) {
        return std::find_if(sets.begin(), sets.end(),
                            [&](const EvaluationSet& set) { return set.key == key; });
    };
    const bool held = std::any_of(sets.begin(), sets.end(), [](const EvaluationSet& set) {
        return std::any_of(set.rows.begin(), set.rows.end(),
                           [](const EvaluationRow& row) { return row.event.split == "held-out"; });
    });
    if (choice.split == QLatin1String("held-out") && !held)
        choice.split.clear(); // rather all than none
    choice.shown.removeIf([&](const QString& key) { return find(key) == sets.end(); });
    if (!choice.chosen) {
        choice.shown.clear();
        for (std::size_t i = 0; i < std::min(shownAtFirst, sets.size()); ++i)
            choice.shown.append(sets[i].key);
    }
    if (find(choice.other) == sets.end())
        choice.other.clear();
    for (auto set = sets.rbegin(); set != sets.rend() && choice.other.isEmpty(); ++set)
        if (choice.shown.contains(set->key))
            choice.other = set->key;
    if (!choice.other.isEmpty() && !choice.shown.contains(choice.other))
        choice.shown.append(choice.other);
    return choice;
}

} // namespace

std::vector<EvaluationSet> groupEvaluations(const std::vector<EvaluationRow>& rows)
{
    std::map<QString, EvaluationSet> sets;
    std::map<QString, std::map<std::pair<std::string, std::string>, std::size_t>> places;
    for (const EvaluationRow& row : rows) {
        if (row.stage == searchStage)
            continue;
        const QString run = toQString(row.runName), policy = toQString(row.event.policy);
        // A stage that evaluates reports its matrices one after another, at steps of their own; only where
        // the policy has no label do steps tell policies apart.
        const QString key = policy.isEmpty() ? QStringLiteral("%1//%2").arg(run).arg(row.step)
                                             : QStringLiteral("%1/%2").arg(run, policy);
        EvaluationSet& set = sets[key];
        if (set.rows.empty()) {
            const bool whole = policy.contains(QLatin1Char('/'));
            set.key = key;
            set.run = run;
            set.label = policy.isEmpty() ? tr("%1, step %2").arg(run).arg(row.step)
                        : whole          ? policy
                                         : QStringLiteral("%1/%2").arg(run, policy);
            set.policy = policy.isEmpty() ? key : set.label;
        }
        if (!row.baseline.empty())
            set.baseline = toQString(row.baseline);
        set.t = std::max(set.t, row.t);
        // A target evaluated twice under one key (after a resume): the later answer counts.
        const auto [at, fresh] =
            places[key].try_emplace({row.event.target.key(), row.event.split}, set.rows.size());
        if (fresh)
            set.rows.push_back(row);
        else if (row.t >= set.rows[at->second].t)
            set.rows[at->second] = row;
    }
    std::vector<EvaluationSet> list;
    list.reserve(sets.size());
    for (auto& [key, set] : sets)
        list.push_back(std::move(set));
    std::sort(list.begin(), list.end(),
              [](const EvaluationSet& a, const EvaluationSet& b) { return a.t > b.t; });
    for (std::size_t i = 0; i < list.size(); ++i)
        list[i].colour = static_cast<int>(list.size() - 1 - i);
    nameSets(list);
    return list;
}

QString markedName(const QString& label, std::int64_t trainedOn, std::int64_t matrices)
{
    if (trainedOn == 0)
        return label;
    return trainedOn == matrices
               ? tr("%1 (trained on)").arg(label)
               : tr("%1 (trained on %2 of %3)").arg(label, formatCount(trainedOn), formatCount(matrices));
}

QString PolicyLine::name() const
{
    return markedName(label, trainedOn, matrices);
}

EvaluationView viewOf(std::shared_ptr<const std::vector<EvaluationSet>> sets, EvaluationChoice choice)
{
    EvaluationView view;
    view.sets = std::move(sets);
    view.choice = resolved(std::move(choice), *view.sets);
    const QString& split = view.choice.split;
    std::set<std::int64_t> ks;
    std::vector<const EvaluationSet*> shown;
    for (const EvaluationSet& set : *view.sets) {
        EvaluationResult result =
            sparserl::resultOf(set.label.toStdString(), set.baseline.toStdString(), rowsOf(set, split));
        PolicyLine line{set.key, set.label, set.run, set.colour, view.choice.shown.contains(set.key)};
        line.matrices = static_cast<std::int64_t>(result.rows.size());
        for (const EvaluationEvent& row : result.rows) {
            line.solved += row.correct > 0 ? 1 : 0;
            line.samples += row.samples;
            line.trainedOn += row.split == split::train ? 1 : 0;
        }
        line.figures = figuresOf(result);
        result.label = line.name().toStdString();
        if (line.shown) {
            ks.insert(result.ks.begin(), result.ks.end());
            shown.push_back(&set);
            view.colours.push_back(set.colour);
            view.passes.push_back(passCurve(result.rows, view.choice.fasterOnly));
            view.rates.push_back(ratesBySplit(rowsOf(set, {})));
            view.results.push_back(std::move(result));
        }
        view.policies.push_back(std::move(line));
    }
    view.ks.assign(ks.begin(), ks.end());
    view.boxes = gflopsBySize(view.results);
    const int other = view.resultOf(view.choice.other);
    for (std::size_t i = 0; other >= 0 && i < shown.size(); ++i) {
        if (static_cast<int>(i) == other)
            continue;
        if (shown[i]->policy == shown[static_cast<std::size_t>(other)]->policy) {
            ++view.leftOut;
            continue;
        }
        for (PairedFigure& figure :
             comparePolicies(view.results[i], view.results[static_cast<std::size_t>(other)]))
            if (figure.matrices > 0)
                view.comparison.push_back(
                    {shown[i]->key, toQString(view.results[i].label), shown[i]->colour, std::move(figure)});
    }
    return view;
}

const EvaluationSet* EvaluationView::find(const QString& key) const
{
    if (sets)
        for (const EvaluationSet& set : *sets)
            if (!key.isEmpty() && set.key == key)
                return &set;
    return nullptr;
}

QString EvaluationView::nameOf(const QString& key) const
{
    for (const PolicyLine& line : policies)
        if (line.key == key)
            return line.name();
    return {};
}

int EvaluationView::resultOf(const QString& key) const
{
    int at = 0;
    for (const PolicyLine& line : policies) {
        if (line.shown && line.key == key)
            return at;
        at += line.shown ? 1 : 0;
    }
    return -1;
}

std::vector<BoxLine> EvaluationView::boxLines() const
{
    std::vector<BoxLine> lines;
    QString baseline;
    for (const EvaluationResult& result : results)
        if (baseline.isEmpty())
            baseline = toQString(result.baseline);
    for (const SizeBoxes& bin : boxes) {
        for (std::size_t i = 0; i < results.size(); ++i)
            if (bin.policies[i].matrices > 0)
                lines.push_back({toQString(bin.bin), toQString(results[i].label), colours[i],
                                 bin.policies[i].matrices, bin.policies[i].box});
        if (bin.baseline.count > 0)
            lines.push_back({toQString(bin.bin),
                             baseline.isEmpty() ? tr("Baseline") : tr("Baseline (%1)").arg(baseline),
                             {},
                             bin.baseline.count,
                             bin.baseline});
    }
    return lines;
}

TextTable EvaluationView::comparisonTable() const
{
    const EvaluationSet* other = find(choice.other);
    if (!other)
        return {};
    // What compares it is never the same policy once more.
    std::vector<EvaluationResult> compared;
    std::size_t at = 0;
    for (const PolicyLine& line : policies) {
        const EvaluationSet* set = line.shown ? find(line.key) : nullptr;
        if (!set || (set != other && set->policy == other->policy))
            continue;
        if (set == other)
            at = compared.size();
        compared.push_back(results[static_cast<std::size_t>(resultOf(line.key))]);
    }
    return sparserl::comparisonTable(compared, at);
}

std::vector<MatrixLine> EvaluationView::matricesOf(const QString& key) const
{
    std::vector<MatrixLine> lines;
    const EvaluationSet* set = find(key);
    if (!set)
        return lines;
    std::map<std::pair<std::string, std::string>, const EvaluationEvent*> others;
    if (const EvaluationSet* other = key == choice.other ? nullptr : find(choice.other))
        for (const EvaluationRow& row : other->rows)
            others[{row.event.target.key(), row.event.split}] = &row.event;
    for (const EvaluationRow& row : set->rows) {
        if (!isOf(choice.split, row.event))
            continue;
        MatrixLine line{row.event, {}};
        if (const auto at = others.find({row.event.target.key(), row.event.split}); at != others.end())
            line.other = *at->second;
        lines.push_back(std::move(line));
    }
    return lines;
}

std::vector<std::pair<const EvaluationSet*, EvaluationEvent>>
EvaluationView::policiesOf(const EvaluationEvent& matrix) const
{
    std::vector<std::pair<const EvaluationSet*, EvaluationEvent>> list;
    for (const PolicyLine& line : policies) {
        const EvaluationSet* set = line.shown ? find(line.key) : nullptr;
        if (!set)
            continue;
        for (const EvaluationRow& row : set->rows)
            if (sameMatrix(row.event, matrix))
                list.emplace_back(set, row.event);
    }
    return list;
}

} // namespace sparserl
