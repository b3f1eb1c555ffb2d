// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/policies_dialog.h"

#include "base/files.h"
#include "project/run/checkpoint_files.h"
#include "project/run/default_policy.h"
#include "widgets/common/format.h"
#include "widgets/common/number_columns.h"
#include "widgets/common/panels.h"
#include "widgets/common/policy_box.h"
#include "widgets/common/policy_text.h"
#include "widgets/common/theme.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace sparserl {

namespace {

enum Column
{
    NameColumn,
    ArchitectureColumn,
    WeightsColumn,
    TokensColumn,
    AdaptersColumn,
    LicenceColumn,
    Columns
};

bool isNumber(int column)
{
    return column == TokensColumn;
}

/// A name and a folder; what the files say comes later.
using Place = std::pair<QString, std::filesystem::path>;

std::vector<Place> importedPolicies(const std::filesystem::path& project)
{
    std::vector<Place> places;
    if (const auto entries = listDirectory(project / policiesFolder))
        for (const std::filesystem::path& one : *entries)
            if (isPolicyFolder(one))
                places.emplace_back(
                    PoliciesDialog::tr("Imported / %1").arg(toQString(one.filename().string())), one);
    if (const auto folder = defaultPolicyFolder())
        places.emplace_back(PoliciesDialog::tr("Default policy"), *folder);
    return places;
}

std::vector<ListedPolicy> readAll(std::vector<CheckpointRow> checkpoints,
                                  const std::filesystem::path& project)
{
    std::stable_sort(checkpoints.begin(), checkpoints.end(),
                     [](const CheckpointRow& a, const CheckpointRow& b) { return a.t > b.t; });
    std::vector<Place> places;
    for (const CheckpointRow& one : checkpoints)
        if (one.present && one.hasPolicy)
            places.emplace_back(QStringLiteral("%1 / %2").arg(toQString(one.runName), toQString(one.name)),
                                one.path);
    const auto more = importedPolicies(project);
    places.insert(places.end(), more.begin(), more.end());
    std::vector<ListedPolicy> policies;
    policies.reserve(places.size());
    for (const auto& [name, folder] : places)
        policies.push_back({name, folder, readPolicyFacts(folder)});
    return policies;
}

} // namespace

PoliciesDialog::PoliciesDialog(ProjectSession* session, QWidget* parent)
    : QDialog(parent)
    , m_table(new QTableWidget(0, Columns, this))
    , m_about(makeMuted({}, this))
    , m_licence(new QPlainTextEdit(this))
{
    setObjectName(QStringLiteral("policies"));
    setWindowTitle(tr("Policies"));
    resize(atTextSize(980), atTextSize(600));
    styleTable(m_table, 4);
    m_table->setAccessibleName(tr("Policies"));
    m_table->setHorizontalHeaderLabels(
        {tr("Policy"), tr("Architecture"), tr("Weights"), tr("Tokens"), tr("Adapters"), tr("Licence")});
    alignTitles(m_table, isNumber);
    m_table->horizontalHeaderItem(TokensColumn)->setToolTip(tr("Number of tokens of the policy's tokenizer"));
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    fitColumns(m_table,
               {QStringLiteral("0001-sft / step-000100"), QStringLiteral("qwen2, 24 layers of width 896"),
                QStringLiteral("494,032,768, 8,798,208 of them learn"), QStringLiteral("151,646"),
                QStringLiteral("rank 16 on q_proj, v_proj"), QStringLiteral("LICENSE.txt")},
               NameColumn);
    tellWhenEmpty(m_table, tr("The project has no policies yet."));
    m_about->setText(tr("The policies are read…"));
    m_about->setWordWrap(true);
    m_about->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_licence->setReadOnly(true);
    m_licence->setAccessibleName(tr("Licence of the policy"));
    m_licence->setPlaceholderText(tr("The folder of the policy has no licence file."));
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_table, 2);
    layout->addWidget(m_about);
    layout->addWidget(m_licence, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_table, &QTableWidget::itemSelectionChanged, this, &PoliciesDialog::showChosen);
    session->query<std::vector<ListedPolicy>>(
        m_jobs,
        [project = session->path()](ProjectReader& reader) -> Result<std::vector<ListedPolicy>> {
            SPARSERL_TRY(auto checkpoints, reader.checkpoints());
            return readAll(std::move(checkpoints), project);
        },
        [this](Result<std::vector<ListedPolicy>> policies) {
            m_loading = false;
            m_about->clear();
            if (policies)
                fill(std::move(*policies));
            else
                m_about->setText(sentenceOf(policies.error()));
        });
}

void PoliciesDialog::fill(std::vector<ListedPolicy> policies)
{
    m_policies = std::move(policies);
    m_table->setRowCount(static_cast<int>(m_policies.size()));
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const ListedPolicy& one = m_policies[static_cast<std::size_t>(row)];
        QString texts[Columns] = {one.name};
        if (one.facts) {
            texts[ArchitectureColumn] = architectureText(*one.facts);
            texts[WeightsColumn] = weightsText(*one.facts);
            texts[TokensColumn] = formatCount(one.facts->vocabulary);
            texts[AdaptersColumn] = adaptersText(*one.facts);
            texts[LicenceColumn] =
                one.facts->licenceFile.empty() ? tr("none") : toQString(one.facts->licenceFile);
        } else {
            texts[ArchitectureColumn] = tr("cannot be read");
        }
        for (int column = 0; column < Columns; ++column) {
            auto* item = makeCell(texts[column], isNumber(column));
            item->setToolTip(texts[column]);
            m_table->setItem(row, column, item);
        }
    }
    if (m_table->rowCount() > 0)
        m_table->selectRow(0);
    showChosen();
}

void PoliciesDialog::showChosen()
{
    const int row = m_table->currentRow();
    if (row < 0 || row >= static_cast<int>(m_policies.size()))
        return;
    const ListedPolicy& one = m_policies[static_cast<std::size_t>(row)];
    m_about->setText(one.facts ? toQString(one.folder.string()) + QStringLiteral(": ") + factsText(*one.facts)
                               : asSentence(sentenceOf(one.facts.error())));
    m_licence->setPlainText(one.facts ? toQString(one.facts->licence) : QString());
}

} // namespace sparserl
