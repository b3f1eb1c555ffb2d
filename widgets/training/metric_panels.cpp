// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/metric_panels.h"

#include "project/run/metrics.h"
#include "training/parameters/stage_parameters.h"
#include "widgets/common/format.h"
#include "widgets/common/translate.h"

namespace sparserl {

namespace {

/// "per token, lower is better", of what the metric is declared as.
QString hintOf(const std::string& metric)
{
    const MetricDescription* description = findMetric(metric);
    if (!description)
        return {};
    QString hint =
        QString::fromUtf8(description->unit.data(), static_cast<qsizetype>(description->unit.size()));
    if (description->better != MetricDescription::Better::Neither) {
        hint += hint.isEmpty() ? QString() : QStringLiteral(", ");
        hint += description->better == MetricDescription::Better::Higher ? tr("higher is better")
                                                                         : tr("lower is better");
    }
    return hint;
}

MetricPanel panel(const QString& title, const std::vector<std::string>& metrics, const QString& missing,
                  bool zeroBased)
{
    return {title, metrics, hintOf(metrics.front()), missing, zeroBased};
}

/// 0 where the policy writes the same whatever matrix it is shown.
MetricPanel readsItsMatrix()
{
    return panel(tr("Information from the matrix"), {metric::programInformation, metric::familyInformation},
                 tr("Not measured yet: it takes an evaluation of at least two matrices."), false);
}

} // namespace

QString metricWords(const std::string& metric)
{
    // The names of the estimators say little; the terminal uses these words, too.
    if (metric == metric::klSftK1.text)
        return tr("KL to reference");
    if (metric == metric::ppoKl.text)
        return tr("KL of update");
    if (metric == metric::updateKl.text)
        return tr("KL of last update");
    if (const std::string best = metric::searchBest.part(""); metric.starts_with(best))
        return tr("matrix %1").arg(toQString(metric.substr(best.size())));
    const auto area = metric.find('/');
    return toQString(area == std::string::npos ? metric : metric.substr(area + 1))
        .replace(QLatin1Char('_'), QLatin1Char(' '))
        .replace(QLatin1Char('/'), QLatin1Char(' '));
}

std::vector<MetricPanel> defaultPanels(const std::string& stage)
{
    const QString soon = tr("No data points yet. The first one comes with the first step.");
    const StageDescription* known = findStage(stage);
    const StageCharts charts = known ? known->charts : StageCharts::Reinforcement;
    if (charts == StageCharts::Texts) {
        return {
            panel(tr("Loss"), {metric::loss}, soon, false),
            panel(tr("Perplexity"), {metric::perplexity}, soon, false),
            panel(tr("Confident tokens"), {metric::tokenConfident}, soon, true),
            panel(tr("Gradient"), {metric::gradNorm}, soon, true),
            panel(tr("Tokens seen"), {metric::tokensSeen}, soon, true),
        };
    }
    if (charts == StageCharts::Supervised) {
        const QString sampled = tr("No program has been sampled yet; every evaluation samples some.");
        return {
            panel(tr("Loss"), {metric::loss}, soon, false),
            panel(tr("Compile rate"), {metric::compileRate}, sampled, true),
            panel(tr("Correct rate"), {metric::correctRate}, sampled, true),
            panel(tr("Reward"), {metric::reward}, sampled, false),
            readsItsMatrix(),
        };
    }
    if (charts == StageCharts::Totals) {
        const QString atEnd =
            tr("The totals appear after the last matrix. The Evaluation page lists the matrices one by one.");
        return {
            panel(tr("Reward"), {metric::reward}, atEnd, false),
            panel(tr("Compile rate"), {metric::compileRate}, atEnd, true),
            panel(tr("Correct rate"), {metric::correctRate}, atEnd, true),
            panel(tr("Faster than the baseline"), {metric::fastRate.part("1.0")}, atEnd, true),
            readsItsMatrix(),
        };
    }
    if (charts == StageCharts::Search) {
        constexpr int mostMatrices = 8;
        MetricPanel best = panel(tr("Best time"), {metric::searchBest.part("1")}, soon, false);
        for (int matrix = 2; matrix <= mostMatrices; ++matrix)
            best.metrics.push_back(metric::searchBest.part(std::to_string(matrix)));
        return {
            std::move(best),
            panel(tr("Gain over bench's best"), {metric::searchGain, metric::searchRecordGain}, soon, false),
            panel(tr("Speed-up over the baseline"), {metric::searchSpeedup}, soon, false),
            panel(tr("Programs per second"), {metric::searchRate}, soon, true),
            panel(tr("Shares of the sources"),
                  {metric::searchShare.part("edits"), metric::searchShare.part("grid"),
                   metric::searchShare.part("policy"), metric::searchShare.part("refine")},
                  soon, true),
            panel(tr("Correct rate"), {metric::correctRate, metric::searchFresh}, soon, true),
        };
    }
    // One chart for each meaning: how far the policy has gone, and how far one update takes it.
    return {
        panel(tr("Reward"), {metric::reward}, soon, false),
        panel(metricWords(metric::klSftK1), {metric::klSftK1}, soon, false),
        panel(metricWords(metric::ppoKl), {metric::ppoKl, metric::updateKl}, soon, false),
        panel(tr("Entropy"), {metric::entropy}, soon, true),
        panel(tr("Value loss"), {metric::valueLoss}, tr("This run has no critic, so there is no value loss."),
              true),
        panel(tr("Correct rate"), {metric::correctRate}, soon, true),
        panel(tr("Speed-up of correct programs"), {metric::speedupGeomean},
              tr("No program of these runs has been correct yet, so there is no speed-up."), true),
        readsItsMatrix(),
    };
}

MetricPanel panelFor(const std::string& metric)
{
    return panel(toQString(metric), {metric}, tr("The selected runs do not report this metric."), false);
}

} // namespace sparserl
