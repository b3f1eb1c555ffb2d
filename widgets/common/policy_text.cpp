// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/policy_text.h"

#include "widgets/common/format.h"
#include "widgets/common/translate.h"

#include <QStringList>

namespace sparserl {

QString architectureText(const PolicyFacts& facts)
{
    return tr("%1, %2 layers of width %3")
        .arg(toQString(facts.family), formatCount(facts.layers), formatCount(facts.width));
}

QString weightsText(const PolicyFacts& facts)
{
    return facts.trainable == facts.weights
               ? formatCount(facts.weights)
               : tr("%1, %2 of them learn").arg(formatCount(facts.weights), formatCount(facts.trainable));
}

QString adaptersText(const PolicyFacts& facts)
{
    if (facts.rank == 0)
        return tr("none");
    QStringList targets;
    for (const std::string& target : facts.targets)
        targets << toQString(target);
    return tr("rank %1 on %2").arg(formatCount(facts.rank), targets.join(QStringLiteral(", ")));
}

QString factsText(const PolicyFacts& facts)
{
    QStringList parts{architectureText(facts), tr("weights: %1").arg(weightsText(facts)),
                      tr("%1 tokens").arg(formatCount(facts.vocabulary))};
    if (facts.rank > 0)
        parts << tr("adapters: %1").arg(adaptersText(facts));
    if (facts.textEntries > 0)
        parts << tr("reads %1 entries of a matrix in words").arg(formatCount(facts.textEntries));
    if (!facts.chat.empty())
        parts << tr("chat format %1").arg(toQString(facts.chat));
    if (!facts.licenceFile.empty())
        parts << tr("licence in %1").arg(toQString(facts.licenceFile));
    return parts.join(QStringLiteral("; ")) + QLatin1Char('.');
}

} // namespace sparserl
