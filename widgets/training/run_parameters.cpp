// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/run_parameters.h"

#include "training/parameters/stage_parameters.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/training/run_model.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QTableWidget>
#include <set>

namespace sparserl {

namespace {

constexpr int DifferentRole = Qt::UserRole + 1;

const ParameterSpec* specOf(const std::string& stage, const std::string& key)
{
    const auto kind = stageKindFromName(stage);
    return kind ? stageParameters(*kind).find(key) : nullptr;
}

} // namespace

RunParameters::RunParameters(QWidget* parent)
    : QWidget(parent)
    , m_search(new QLineEdit(this))
    , m_different(new QCheckBox(this))
    , m_table(new QTableWidget(this))
{
    m_search->setPlaceholderText(tr("Find a parameter"));
    m_search->setAccessibleName(tr("Find a parameter"));
    m_search->setClearButtonEnabled(true);
    m_search->setMaximumWidth(240);
    styleTable(m_table);
    m_table->setAccessibleName(tr("Parameters of the runs"));
    auto* bar = new QHBoxLayout;
    bar->setSpacing(10);
    bar->addWidget(m_search, 1);
    bar->addWidget(m_different);
    bar->addStretch();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 4, 0, 0);
    layout->setSpacing(6);
    layout->addLayout(bar);
    layout->addWidget(m_table, 1);
    connect(m_search, &QLineEdit::textChanged, this, &RunParameters::filter);
    connect(m_different, &QCheckBox::toggled, this, &RunParameters::filter);
}

void RunParameters::clear()
{
    m_jobs.cancel();
    m_asked.clear();
    m_columns.clear();
    fill();
}

void RunParameters::setOnlyDifferent(bool on)
{
    m_different->setChecked(on);
}

void RunParameters::show(ProjectSession* session, const std::vector<RunSummary>& runs)
{
    std::vector<RunId> ids;
    ids.reserve(runs.size());
    for (const RunSummary& run : runs)
        ids.push_back(run.id);
    if (ids == m_asked)
        return;
    m_asked = std::move(ids);
    session->query<std::vector<Column>>(
        m_jobs,
        [runs](ProjectReader& reader) -> Result<std::vector<Column>> {
            std::vector<Column> columns;
            for (const RunSummary& run : runs) {
                SPARSERL_TRY(auto config, reader.runConfig(run.id));
                columns.push_back({run, std::move(config)});
            }
            return columns;
        },
        [this](Result<std::vector<Column>> columns) {
            if (!columns) {
                m_asked.clear();
                Q_EMIT problem(sentenceOf(columns.error()));
                return;
            }
            // Of several, what differs is what is looked for.
            if (columns->size() > 1 && m_columns.size() <= 1)
                m_different->setChecked(true);
            else if (columns->size() == 1 && m_columns.size() > 1)
                m_different->setChecked(false);
            m_columns = std::move(*columns);
            fill();
        });
}

void RunParameters::fill()
{
    const bool several = m_columns.size() > 1;
    m_different->setText(several ? tr("Only what &differs") : tr("Only values that are not &defaults"));
    std::set<std::string> keys;
    for (const Column& column : m_columns)
        for (const auto& [key, value] : column.config.parameters)
            keys.insert(key);
    const int runs = static_cast<int>(m_columns.size());
    m_table->clear();
    m_table->setColumnCount(runs + 3);
    m_table->setRowCount(static_cast<int>(keys.size()));
    QStringList headers{tr("Parameter")};
    for (const Column& column : m_columns)
        headers.append(several ? runLabel(column.run) : tr("Value"));
    m_table->setHorizontalHeaderLabels(headers << tr("Unit") << tr("Meaning"));
    int row = 0;
    for (const std::string& key : keys) {
        const auto& first = m_columns.front();
        const ParameterSpec* spec = nullptr;
        for (const Column& column : m_columns)
            spec = spec ? spec : specOf(column.config.stage, key);
        bool different = false;
        for (int i = 0; i < runs; ++i) {
            const Column& column = m_columns[static_cast<std::size_t>(i)];
            const auto value = column.config.parameters.find(key);
            const bool has = value != column.config.parameters.end();
            auto* item = new QTableWidgetItem(has ? toQString(toText(value->second)) : QStringLiteral("–"));
            bool stands = false;
            if (several) {
                const auto other = first.config.parameters.find(key);
                stands = has != (other != first.config.parameters.end()) ||
                         (has && !(value->second == other->second));
            } else if (spec && has && !(spec->defaultValue == value->second)) {
                stands = true;
                item->setToolTip(tr("The default is %1.").arg(toQString(toText(spec->defaultValue))));
            }
            if (stands) {
                QFont font = item->font();
                font.setWeight(QFont::DemiBold);
                item->setFont(font);
            }
            different = different || stands;
            m_table->setItem(row, i + 1, item);
        }
        auto* name = new QTableWidgetItem(toQString(key));
        name->setData(DifferentRole, different);
        m_table->setItem(row, 0, name);
        m_table->setItem(row, runs + 1, new QTableWidgetItem(spec ? toQString(spec->unitText) : QString()));
        m_table->setItem(row, runs + 2, new QTableWidgetItem(spec ? toQString(spec->helpText) : QString()));
        ++row;
    }
    m_table->horizontalHeader()->setStretchLastSection(true);
    fitColumn(m_table, 0, QStringLiteral("alarm.explained_variance_action"));
    for (int i = 0; i < runs; ++i)
        fitColumn(m_table, i + 1, QStringLiteral("0.000000000000"));
    fitColumn(m_table, runs + 1, QStringLiteral("iterations"));
    filter();
}

void RunParameters::filter()
{
    const QString wanted = m_search->text().trimmed();
    for (int row = 0; row < m_table->rowCount(); ++row) {
        bool found = wanted.isEmpty();
        for (int column = 0; column < m_table->columnCount() && !found; ++column)
            found = m_table->item(row, column)->text().contains(wanted, Qt::CaseInsensitive);
        const bool different = m_table->item(row, 0)->data(DifferentRole).toBool();
        m_table->setRowHidden(row, !found || (m_different->isChecked() && !different));
    }
}

} // namespace sparserl
