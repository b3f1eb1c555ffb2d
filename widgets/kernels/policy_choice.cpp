// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/policy_choice.h"

#include "widgets/common/format.h"
#include "widgets/common/policy_box.h"

#include <QComboBox>
#include <QFormLayout>
#include <QListWidget>
#include <algorithm>

namespace sparserl {

PolicyChoice::PolicyChoice(ProjectSession* session, std::vector<std::string> digests, bool endpoints,
                           QWidget* parent)
    : QWidget(parent)
    , m_wanted(std::move(digests))
    , m_endpoints(endpoints)
    , m_policies(new QComboBox(this))
    , m_types(new QComboBox(this))
    , m_matrices(new QListWidget(this))
{
    m_policies->setAccessibleName(tr("Policy"));
    m_policies->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_policies->setMinimumContentsLength(20);
    m_types->setAccessibleName(tr("Element type"));
    m_types->setToolTip(tr("Element type of the programs. A policy that was trained with one type writes "
                           "few programs that run with the other type."));
    m_types->addItem(tr("the policy's own"));
    m_types->addItem(tr("single precision (f32)"), QStringLiteral("f32"));
    m_types->addItem(tr("double precision (f64)"), QStringLiteral("f64"));
    m_matrices->setAccessibleName(tr("Matrices for which to write programs"));
    auto* form = new QFormLayout(this);
    form->setContentsMargins(0, 0, 0, 0);
    form->setRowWrapPolicy(QFormLayout::WrapAllRows);
    form->addRow(tr("Policy"), m_policies);
    form->addRow(tr("Element type"), m_types);
    form->addRow(tr("Matrices"), m_matrices);
    QSizePolicy tall = m_matrices->sizePolicy();
    tall.setVerticalStretch(1);
    m_matrices->setSizePolicy(tall);
    session->query<Choices>(
        m_jobs,
        [](ProjectReader& reader) -> Result<Choices> {
            SPARSERL_TRY(auto checkpoints, reader.checkpoints());
            SPARSERL_TRY(auto matrices, reader.matrices());
            return Choices{std::move(checkpoints), std::move(matrices)};
        },
        [this](Result<Choices> choices) {
            if (choices)
                fill(*choices);
            else
                Q_EMIT filled(sentenceOf(choices.error()));
        });
}

void PolicyChoice::fill(const Choices& choices)
{
    addDefaultPolicy(m_policies);
    const int others = m_policies->count();
    addPolicies(m_policies, choices.checkpoints);
    if (m_policies->count() > others)
        m_policies->setCurrentIndex(others); // The newest policy of the project.
    if (m_endpoints)
        addEndpoints(m_policies);
    if (m_policies->count() == 0) // with a placeholder a box does not choose its first line
        m_policies->setPlaceholderText(tr("None yet"));
    for (const MatrixRow& matrix : choices.matrices) {
        if (!matrix.problem.empty())
            continue;
        auto* item = new QListWidgetItem(toQString(matrix.name), m_matrices);
        item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
        const bool ticked =
            m_wanted.empty() ? m_matrices->count() == 1
                             : std::find(m_wanted.begin(), m_wanted.end(), matrix.digest) != m_wanted.end();
        item->setCheckState(ticked ? Qt::Checked : Qt::Unchecked);
        item->setData(Qt::UserRole, toQString(matrix.digest));
        item->setToolTip(QStringList{counted(matrix.rows, tr("one row"), tr("%1 rows")),
                                     counted(matrix.nnz, tr("one entry"), tr("%1 entries")),
                                     toQString(matrix.split)}
                             .join(QStringLiteral(", ")));
        if (ticked)
            m_matrices->scrollToItem(item);
    }
    Q_EMIT filled(m_policies->count() == 0
                      ? tr("The project has no checkpoint yet. Start a training run first.")
                  : m_matrices->count() == 0 ? tr("The project has no matrix yet. Import one first.")
                                             : QString());
}

QString PolicyChoice::policy() const
{
    return endpoint().isEmpty() ? m_policies->currentData().toString() : QString();
}

QString PolicyChoice::endpoint() const
{
    return endpointOf(m_policies->currentData().toString());
}

QStringList PolicyChoice::typeArguments() const
{
    const QString type = m_types->currentData().toString();
    return type.isEmpty() ? QStringList() : QStringList{QStringLiteral("--type"), type};
}

std::vector<std::string> PolicyChoice::chosen() const
{
    std::vector<std::string> digests;
    for (int row = 0; row < m_matrices->count(); ++row)
        if (m_matrices->item(row)->checkState() == Qt::Checked)
            digests.push_back(m_matrices->item(row)->data(Qt::UserRole).toString().toStdString());
    return digests;
}

QString PolicyChoice::nameOf(const std::string& digest) const
{
    for (int row = 0; row < m_matrices->count(); ++row)
        if (m_matrices->item(row)->data(Qt::UserRole).toString() == toQString(digest))
            return m_matrices->item(row)->text();
    return shortHash(digest);
}

} // namespace sparserl
