// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/metric_panels.h"

#include "training/stage_parameters.h"
#include "widgets/common/format.h"

#include <QCoreApplication>

namespace sparserl {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("MetricPanels", text);
}

} // namespace

std::vector<MetricPanel> defaultPanels(const std::string& stage)
{
    const QString soon = tr("No point yet. The first one comes with the first step.");
    const StageDescription* known = findStage(stage);
    const StageCharts charts = known ? known->charts : StageCharts::Reinforcement;
    if (charts == StageCharts::Supervised) {
        return {
            {tr("Loss"), {"loss"}, tr("per token, lower is better"), soon, false},
            {tr("Compile rate"),
             {"kernel/compile_rate"},
             tr("of sampled programs, higher is better"),
             tr("No program was sampled yet: that happens at every evaluation."),
             true},
            {tr("Correct rate"),
             {"kernel/correct_rate"},
             tr("of sampled programs, higher is better"),
             tr("No program was sampled yet: that happens at every evaluation."),
             true},
            {tr("Reward"),
             {"reward"},
             tr("higher is better"),
             tr("No program was sampled yet: that happens at every evaluation."),
             false},
        };
    }
    if (charts == StageCharts::Totals) {
        const QString atEnd =
            tr("The totals come with the last matrix; the page Evaluation has them one by one.");
        return {
            {tr("Reward"), {"reward"}, tr("higher is better"), atEnd, false},
            {tr("Compile rate"),
             {"kernel/compile_rate"},
             tr("of sampled programs, higher is better"),
             atEnd,
             true},
            {tr("Correct rate"),
             {"kernel/correct_rate"},
             tr("of sampled programs, higher is better"),
             atEnd,
             true},
            {tr("Faster than the baseline"),
             {"kernel/fast_p/1.0"},
             tr("of sampled programs, higher is better"),
             atEnd,
             true},
        };
    }
    return {
        {tr("Reward"), {"reward"}, tr("higher is better"), soon, false},
        {tr("KL divergence"), {"actor/ppo_kl", "objective/kl"}, tr("per token"), soon, false},
        {tr("Entropy"), {"actor/entropy"}, tr("per token"), soon, true},
        {tr("Value loss"),
         {"critic/vf_loss"},
         tr("of the critic, lower is better"),
         tr("This run has no critic, so there is no value loss."),
         true},
    };
}

MetricPanel panelFor(const std::string& metric)
{
    return {toQString(metric), {metric}, {}, tr("The selected runs do not report this metric."), false};
}

} // namespace sparserl
