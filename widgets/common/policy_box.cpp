// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/policy_box.h"

#include "base/files.h"
#include "endpoint/endpoint_settings.h"
#include "project/run/checkpoint_files.h"
#include "project/run/default_policy.h"
#include "widgets/common/format.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QStandardItemModel>
#include <algorithm>

namespace sparserl {

namespace {

constexpr QLatin1String endpointMark("endpoint:"); ///< No folder of a policy: those are absolute.

} // namespace

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
            QStringLiteral("%1 / %2").arg(toQString(runLabelOf(checkpoint->runName, checkpoint->runTitle)),
                                          toQString(checkpoint->name)),
            toQString(checkpoint->path.string()));
}

void addImportedPolicies(QComboBox* box, const std::filesystem::path& project)
{
    const auto entries = listDirectory(project / policiesFolder);
    if (!entries)
        return; // there is no such folder
    for (const std::filesystem::path& one : *entries)
        if (isPolicyFolder(one))
            box->addItem(QCoreApplication::translate("PolicyBox", "Imported / %1")
                             .arg(toQString(one.filename().string())),
                         toQString(one.string()));
}

void addEndpoints(QComboBox* box)
{
    const auto endpoints = readEndpoints();
    if (!endpoints) {
        box->addItem(QCoreApplication::translate("PolicyBox", "Endpoints cannot be read"));
        box->setItemData(box->count() - 1, sentenceOf(endpoints.error()), Qt::ToolTipRole);
        if (auto* lines = qobject_cast<QStandardItemModel*>(box->model()))
            lines->item(box->count() - 1)->setEnabled(false);
        return;
    }
    for (const EndpointSettings& one : *endpoints) {
        box->addItem(QCoreApplication::translate("PolicyBox", "Endpoint %1").arg(toQString(one.name)),
                     QString(endpointMark + toQString(one.name)));
        box->setItemData(box->count() - 1,
                         QCoreApplication::translate("PolicyBox", "The model %1 at %2")
                             .arg(toQString(one.model), toQString(one.url)),
                         Qt::ToolTipRole);
    }
}

QString endpointOf(const QString& data)
{
    return data.startsWith(endpointMark) ? data.mid(endpointMark.size()) : QString();
}

void chooseEndpoint(QComboBox* box, const QString& name)
{
    if (const int index = box->findData(QString(endpointMark + name)); index >= 0)
        box->setCurrentIndex(index);
}

QStringList endpointNames()
{
    QStringList names;
    if (const auto endpoints = readEndpoints())
        for (const EndpointSettings& one : *endpoints)
            names << toQString(one.name);
    return names;
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
