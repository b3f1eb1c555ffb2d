// SPDX-License-Identifier: Apache-2.0
#include "widgets/evaluation/evaluation_data.h"

#include "widgets/common/format.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <map>

namespace sparserl {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("Evaluation", text);
}

double share(std::int64_t part, std::int64_t whole)
{
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

QStringList cells(const EvaluationEvent& e)
{
    const auto number = [](double v) { return QString::number(v, 'g', 6); };
    return {QString::number(e.samples),
            number(share(e.compiled, e.samples)),
            number(share(e.correct, e.samples)),
            number(share(e.faster, e.samples)),
            e.bestMicroseconds > 0 ? number(e.bestMicroseconds) : QString(),
            e.baselineMicroseconds > 0 ? number(e.baselineMicroseconds) : QString(),
            bestSpeedup(e) > 0 ? number(bestSpeedup(e)) : QString()};
}

const char* const cellNames[] = {"samples", "compile_rate", "correct_rate", "faster_rate",
                                 "best_us", "baseline_us",  "speedup"};

std::vector<QStringList> tableOf(const std::vector<EvaluationLine>& lines, const EvaluationSet& first,
                                 const EvaluationSet* second)
{
    std::vector<QStringList> table;
    QStringList head{QStringLiteral("matrix"), QStringLiteral("split"), QStringLiteral("nnz")};
    for (const EvaluationSet* set : {&first, second}) {
        if (!set)
            continue;
        for (const char* name : cellNames)
            head.append(second ? QStringLiteral("%1 (%2)").arg(QLatin1String(name), set->label)
                               : QString::fromLatin1(name));
    }
    head.append(QStringLiteral("families"));
    table.push_back(head);
    for (const EvaluationLine& line : lines) {
        QStringList row{toQString(line.first.matrixName), toQString(line.first.split),
                        QString::number(line.first.nnz)};
        row += cells(line.first);
        if (second)
            row += line.second ? cells(*line.second) : QStringList(7, QString());
        row.append(toQString(familiesText(line.first)));
        table.push_back(row);
    }
    return table;
}

} // namespace

double bestSpeedup(const EvaluationEvent& event)
{
    return event.bestMicroseconds > 0 && event.baselineMicroseconds > 0
               ? event.baselineMicroseconds / event.bestMicroseconds
               : 0;
}

std::vector<EvaluationSet> groupEvaluations(const std::vector<EvaluationRow>& rows)
{
    std::map<QString, EvaluationSet> sets;
    for (const EvaluationRow& row : rows) {
        const QString policy = toQString(row.event.policy);
        // A stage that evaluates reports its matrices one after another, at steps of their own; only where
        // the policy has no label do steps tell policies apart.
        const QString key = policy.isEmpty()
                                ? QStringLiteral("%1//%2").arg(toQString(row.runName)).arg(row.step)
                                : QStringLiteral("%1/%2").arg(toQString(row.runName), policy);
        EvaluationSet& set = sets[key];
        set.key = key;
        set.label = policy.isEmpty() ? tr("%1, step %2").arg(toQString(row.runName)).arg(row.step)
                                     : QStringLiteral("%1 · %2").arg(toQString(row.runName), policy);
        set.t = std::max(set.t, row.t);
        // A matrix evaluated twice under one key (after a resume): the later answer counts.
        const auto same = std::find_if(set.rows.begin(), set.rows.end(), [&](const EvaluationRow& r) {
            return r.event.matrixDigest == row.event.matrixDigest && r.event.split == row.event.split;
        });
        if (same == set.rows.end())
            set.rows.push_back(row);
        else if (row.t >= same->t)
            *same = row;
    }
    std::vector<EvaluationSet> list;
    list.reserve(sets.size());
    for (auto& [key, set] : sets)
        list.push_back(std::move(set));
    std::sort(list.begin(), list.end(),
              [](const EvaluationSet& a, const EvaluationSet& b) { return a.t > b.t; });
    return list;
}

std::vector<EvaluationLine> pairUp(const EvaluationSet& first, const EvaluationSet* second)
{
    std::vector<EvaluationLine> lines;
    for (const EvaluationRow& row : first.rows) {
        EvaluationLine line{row.event, {}};
        if (second)
            for (const EvaluationRow& other : second->rows)
                if (other.event.matrixDigest == row.event.matrixDigest)
                    line.second = other.event;
        lines.push_back(std::move(line));
    }
    return lines;
}

EvaluationTotals totalsOf(const EvaluationSet& set)
{
    EvaluationTotals totals;
    std::int64_t compiled = 0, correct = 0, faster = 0, solved = 0, timed = 0;
    double logSum = 0;
    for (const EvaluationRow& row : set.rows) {
        const EvaluationEvent& e = row.event;
        ++totals.matrices;
        totals.samples += e.samples;
        compiled += e.compiled;
        correct += e.correct;
        faster += e.faster;
        solved += e.correct > 0;
        const double speedup = bestSpeedup(e);
        if (speedup > 0) {
            logSum += std::log(speedup);
            ++timed;
            totals.fasterMatrices += speedup > 1;
        }
    }
    totals.compiled = share(compiled, totals.samples);
    totals.correct = share(correct, totals.samples);
    totals.faster = share(faster, totals.samples);
    totals.solved = share(solved, totals.matrices);
    totals.meanSpeedup = timed > 0 ? std::exp(logSum / static_cast<double>(timed)) : 0;
    return totals;
}

std::shared_ptr<Curve> passCurve(const EvaluationSet& set, bool fasterOnly)
{
    std::int64_t most = 0;
    for (const EvaluationRow& row : set.rows)
        most = most == 0 ? row.event.samples : std::min(most, row.event.samples);
    auto curve = std::make_shared<Curve>();
    for (std::int64_t k = 1; k <= most; ++k) {
        double sum = 0;
        for (const EvaluationRow& row : set.rows)
            sum += passAtK(row.event.samples, fasterOnly ? row.event.faster : row.event.correct, k);
        curve->append(static_cast<double>(k), sum / static_cast<double>(set.rows.size()));
    }
    return curve;
}

QString toCsv(const std::vector<EvaluationLine>& lines, const EvaluationSet& first,
              const EvaluationSet* second)
{
    QString text;
    for (const QStringList& row : tableOf(lines, first, second)) {
        QStringList quoted;
        for (QString cell : row) {
            if (cell.contains(QLatin1Char(',')) || cell.contains(QLatin1Char('"')) ||
                cell.contains(QLatin1Char('\n')))
                cell = QLatin1Char('"') + cell.replace(QLatin1Char('"'), QStringLiteral("\"\"")) +
                       QLatin1Char('"');
            quoted.append(cell);
        }
        text += quoted.join(QLatin1Char(',')) + QLatin1Char('\n');
    }
    return text;
}

QString toMarkdown(const std::vector<EvaluationLine>& lines, const EvaluationSet& first,
                   const EvaluationSet* second)
{
    QString text;
    bool head = true;
    for (const QStringList& row : tableOf(lines, first, second)) {
        QStringList escaped;
        for (QString cell : row)
            escaped.append(cell.replace(QLatin1Char('|'), QStringLiteral("\\|")));
        text += QStringLiteral("| ") + escaped.join(QStringLiteral(" | ")) + QStringLiteral(" |\n");
        if (head) {
            text += QLatin1Char('|');
            for (qsizetype i = 0; i < row.size(); ++i)
                text += i < 2 ? QStringLiteral(" --- |") : QStringLiteral(" ---: |");
            text += QLatin1Char('\n');
        }
        head = false;
    }
    return text;
}

} // namespace sparserl
