// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/policy_box.h"

#include "project/run/default_policy.h"
#include "widgets/common/format.h"

#include <QComboBox>
#include <QCoreApplication>
#include <algorithm>

namespace sparserl {

void addPolicies(QComboBox* box, const std::vector<CheckpointRow>& checkpoints, const QString& also)
{
    std::vector<const CheckpointRow*> offered;
    for (const CheckpointRow& checkpoint : checkpoints)
        if (checkpoint.present && (checkpoint.hasPolicy || toQString(checkpoint.path.string()) == also))
            offered.push_back(&checkpoint);
    std::stable_sort(offered.begin(), offered.end(),
                     [](const CheckpointRow* x, const CheckpointRow* y) { return x->t > y->t; });
    for (const CheckpointRow* checkpoint : offered)
        box->addItem(
            QStringLiteral("%1 / %2").arg(toQString(checkpoint->runName), toQString(checkpoint->name)),
            toQString(checkpoint->path.string()));
}

void addDefaultPolicy(QComboBox* box)
{
    const auto folder = defaultPolicyFolder();
    if (!folder)
        return;
    box->addItem(QCoreApplication::translate("PolicyBox", "Default policy"), toQString(folder->string()));
    box->setItemData(box->count() - 1,
                     QCoreApplication::translate("PolicyBox",
                                                 "The policy that comes with the program, for SpMV "
                                                 "and for SpMM with 8 and 32 columns"),
                     Qt::ToolTipRole);
}

} // namespace sparserl
