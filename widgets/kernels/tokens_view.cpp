// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/tokens_view.h"

#include "base/json.h"
#include "widgets/common/busy_bar.h"
#include "widgets/common/delegates.h"
#include "widgets/common/format.h"
#include "widgets/common/number_columns.h"
#include "widgets/common/panels.h"
#include "widgets/common/policy_box.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QProgressBar>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace sparserl {

namespace {

enum Column
{
    NumberColumn,
    TextColumn,
    ProbabilityColumn,
    LogColumn,
    EntropyColumn,
    AdvantageColumn,
    PartColumn,
    Columns
};

bool isNumber(int column)
{
    return column == NumberColumn || column == ProbabilityColumn || column == LogColumn ||
           column == EntropyColumn || column == AdvantageColumn;
}

/// With signs for what is not seen: a token often begins with a space or is a line break.
QString visible(QString text)
{
    return text.replace(QLatin1Char('\n'), QChar(0x21B5))
        .replace(QLatin1Char('\t'), QChar(0x2192))
        .replace(QLatin1Char(' '), QChar(0x00B7));
}

/// "+0.250". Empty if there is none.
QString advantageText(double value)
{
    if (std::isnan(value))
        return {};
    return (value > 0 ? QStringLiteral("+") : QString()) + QLocale().toString(value, 'f', 3);
}

/// What surprises the policy stands out.
Tone toneOf(double probability)
{
    return probability < 0.01 ? Tone::Bad : probability < 0.1 ? Tone::Warn : Tone::Neutral;
}

} // namespace

TokensView::TokensView(QWidget* parent)
    : QWidget(parent)
    , m_policies(new QComboBox(this))
    , m_button(new QPushButton(this))
    , m_note(makeMuted({}, this))
    , m_bar(makeBusyBar(this))
    , m_table(new QTableWidget(0, Columns, this))
{
    m_policies->setAccessibleName(tr("Policy that reads the program"));
    m_policies->setToolTip(tr("The policy that is asked how likely each token of the program is"));
    m_policies->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_policies->setMinimumContentsLength(16);
    letShrink(m_note);
    styleTable(m_table, 4);
    m_table->setAccessibleName(tr("Tokens of the program"));
    m_table->setHorizontalHeaderLabels({tr("No."), tr("Token"), tr("Probability"), tr("Log-probability"),
                                        tr("Entropy"), tr("Advantage"), tr("Part")});
    alignTitles(m_table, isNumber);
    m_table->horizontalHeaderItem(EntropyColumn)
        ->setToolTip(tr("How undecided the policy was before this token: 0 if one token was certain, the "
                        "logarithm of the vocabulary's size if all were equally likely"));
    m_table->horizontalHeaderItem(AdvantageColumn)
        ->setToolTip(
            tr("By how much the sample was better than expected when a policy was trained on it. The "
               "update made tokens with an advantage above 0 more likely, and tokens with an advantage "
               "below 0 less likely."));
    m_table->setItemDelegate(new PlainDelegate(m_table));
    fitColumns(m_table,
               {QStringLiteral("00000"), QStringLiteral("a longer token"), QStringLiteral("100.00 %"),
                QStringLiteral("-00.000"), QStringLiteral("00.000"), QStringLiteral("+00.000"),
                QStringLiteral("plan, stops here")},
               TextColumn);
    tellWhenEmpty(m_table, tr("\"Compute\" asks the policy how likely each token of this program is."));
    auto* above = new QHBoxLayout;
    above->setContentsMargins(12, 6, 8, 4);
    above->setSpacing(6);
    auto* label = new QLabel(tr("Policy"), this);
    label->setBuddy(m_policies);
    above->addWidget(label);
    above->addWidget(m_policies);
    above->addWidget(m_button);
    above->addWidget(m_note, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(above);
    layout->addWidget(m_bar);
    layout->addWidget(m_table, 1);
    connect(m_button, &QPushButton::clicked, this, &TokensView::compute);
    connect(&m_command, &CommandJob::finished, this, &TokensView::ended);
    m_table->setColumnHidden(AdvantageColumn, true);
    setRunning(false);
}

void TokensView::setSession(ProjectSession* session)
{
    m_jobs.cancel();
    m_fileJobs.cancel();
    if (m_command.running())
        m_command.cancel();
    m_session = session;
    m_candidate.reset();
    m_text.clear();
    m_advantages.clear();
    m_stale = false;
    m_policies->clear();
    m_table->setRowCount(0);
    m_note->clear();
    setRunning(false);
}

void TokensView::show(const CandidateRow& candidate)
{
    if (m_candidate && m_candidate->id == candidate.id)
        return;
    m_candidate = candidate;
    m_stale = true;
    if (m_command.running())
        m_command.cancel();
    m_table->setRowCount(0);
    m_note->clear();
    if (isVisible())
        load();
}

void TokensView::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_stale)
        load();
}

void TokensView::load()
{
    if (!m_session || !m_candidate)
        return;
    m_stale = false;
    m_text.clear();
    m_advantages.clear();
    setRunning(false);
    m_session->query<Known>(
        m_jobs,
        [hash = m_candidate->programHash, id = m_candidate->id](ProjectReader& reader) -> Result<Known> {
            Known known;
            SPARSERL_TRY(known.text, reader.programText(hash));
            SPARSERL_TRY(known.advantages, reader.advantages(id));
            SPARSERL_TRY(known.checkpoints, reader.checkpoints());
            return known;
        },
        [this](Result<Known> known) {
            if (!known) {
                m_note->setText(sentenceOf(known.error()));
                return;
            }
            m_text = std::move(known->text);
            m_advantages = std::move(known->advantages);
            m_table->setColumnHidden(AdvantageColumn, m_advantages.empty());
            fillPolicies(known->checkpoints);
            setRunning(false);
        });
}

void TokensView::fillPolicies(const std::vector<CheckpointRow>& checkpoints)
{
    const QString before = m_policies->currentData().toString();
    m_policies->clear();
    addPolicies(m_policies, checkpoints);
    addImportedPolicies(m_policies, m_session->path());
    addDefaultPolicy(m_policies);
    if (m_policies->count() == 0)
        m_policies->setPlaceholderText(tr("None yet"));
    int chosen = m_policies->findData(before);
    // Else the newest one of the run that the program is of.
    for (int i = 0; chosen < 0 && i < m_policies->count(); ++i)
        if (m_policies->itemText(i).startsWith(QString(
                toQString(runLabelOf(m_candidate->runName, m_candidate->runTitle)) + QStringLiteral(" / "))))
            chosen = i;
    m_policies->setCurrentIndex(chosen >= 0 ? chosen : m_policies->count() > 0 ? 0 : -1);
}

void TokensView::setRunning(bool running)
{
    m_running = running;
    m_bar->setVisible(running);
    m_button->setText(running ? tr("&Cancel") : tr("Com&pute"));
    m_button->setEnabled(running || (!m_text.empty() && m_policies->count() > 0));
}

void TokensView::compute()
{
    if (m_running) {
        m_fileJobs.cancel();
        if (m_command.running())
            m_command.cancel();
        else
            ended({}, tr("Cancelled."));
        return;
    }
    if (!m_session || !m_candidate || m_text.empty() || m_policies->currentIndex() < 0)
        return;
    m_table->setRowCount(0);
    m_note->setText(tr("The policy reads the program…"));
    setRunning(true);
    m_session->work<JobFiles>(
        m_fileJobs,
        [text = m_text, digest = m_candidate->target.contents](Project& project) {
            return writeJobFiles(project, text, digest);
        },
        [this](Result<JobFiles> files) {
            if (files)
                start(*files);
            else
                ended({}, sentenceOf(files.error()));
        });
}

void TokensView::start(const JobFiles& files)
{
    m_files = files;
    const TargetVariant& variant = m_candidate->target.variant;
    QStringList arguments{QStringLiteral("policy"), QStringLiteral("score"), files.program};
    arguments << CommandJob::options({{"policy", m_policies->currentData().toString()},
                                      {"matrix", files.matrix},
                                      {"task", toQString(nameOf(variant.task()))},
                                      {"columns", QString::number(variant.columns)},
                                      {"type", toQString(nameOf(variant.type))}});
    m_command.start(m_session->path(), arguments);
}

void TokensView::fillRow(int row, const nlohmann::json& line)
{
    const double logProb = jsonValue(line, "log_probability", std::nan(""));
    const double entropy = jsonValue(line, "entropy", std::nan(""));
    const QString text = toQString(jsonValue(line, "text", std::string()));
    const bool plan = jsonValue(line, "class", std::string()) == "plan";
    const double advantage = advantageAt(m_advantages, jsonValue(line, "offset", std::int64_t(-1)));
    const QLocale locale;
    const QString texts[] = {locale.toString(jsonValue(line, "token", std::int64_t(0)) + 1),
                             text.isEmpty() ? tr("(end)") : visible(text),
                             locale.toString(100 * std::exp(logProb), 'f', 2) + QStringLiteral(" %"),
                             locale.toString(logProb, 'f', 3),
                             locale.toString(entropy, 'f', 3),
                             advantageText(advantage),
                             plan ? tr("plan") : tr("code")};
    for (int column = 0; column < Columns; ++column) {
        auto* item = makeCell(texts[column], isNumber(column));
        if (column == ProbabilityColumn || column == LogColumn)
            item->setData(TextToneRole, static_cast<int>(toneOf(std::exp(logProb))));
        if (column == AdvantageColumn && advantage != 0 && !std::isnan(advantage))
            item->setData(TextToneRole, static_cast<int>(advantage > 0 ? Tone::Good : Tone::Bad));
        if (column == TextColumn)
            item->setToolTip(tr("Token %1 of the vocabulary").arg(jsonValue(line, "id", 0)));
        m_table->setItem(row, column, item);
    }
}

void TokensView::ended(const std::vector<nlohmann::json>& lines, const QString& problem)
{
    m_files = {};
    setRunning(false);
    if (!problem.isEmpty()) {
        m_note->setText(problem);
        return;
    }
    const auto isToken = [](const nlohmann::json& line) { return line.contains("token"); };
    m_table->setUpdatesEnabled(false);
    m_table->setRowCount(static_cast<int>(std::count_if(lines.begin(), lines.end(), isToken)));
    int row = 0;
    for (const nlohmann::json& line : lines) {
        if (isToken(line)) {
            fillRow(row++, line);
        } else if (line.contains("stopped_at")) {
            const double all = jsonValue(line, "log_probability", std::nan(""));
            const QLocale locale;
            m_note->setText(tr("%1 with a log-probability of %2 at temperature %3.")
                                .arg(counted(row, tr("One token"), tr("%1 tokens")),
                                     locale.toString(all, 'f', 2),
                                     locale.toString(jsonValue(line, "temperature", 1.0))));
            markStop(jsonValue(line, "stopped_at", std::int64_t(-1)),
                     toQString(jsonValue(line, "stop_reason", std::string())));
        }
    }
    m_table->setUpdatesEnabled(true);
}

void TokensView::markStop(std::int64_t at, const QString& reason)
{
    if (at < 0 || at >= m_table->rowCount())
        return;
    QTableWidgetItem* part = m_table->item(static_cast<int>(at), PartColumn);
    part->setText(tr("%1, stops here").arg(part->text()));
    part->setData(TextToneRole, static_cast<int>(Tone::Bad));
    m_note->setText(m_note->text() + QLatin1Char(' ') +
                    tr("The verifier stops at token %1: %2.").arg(QLocale().toString(at + 1), reason));
    m_table->selectRow(static_cast<int>(at));
}

} // namespace sparserl
