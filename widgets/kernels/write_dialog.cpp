// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/write_dialog.h"

#include "base/hash.h"
#include "base/json.h"
#include "project/run/default_policy.h"
#include "training/parameters/suggestions.h"
#include "verdict/names.h"
#include "widgets/common/busy_bar.h"
#include "widgets/common/delegates.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/common/target_text.h"
#include "widgets/common/theme.h"
#include "widgets/kernels/column_text.h"
#include "widgets/kernels/edit_dialog.h"
#include "widgets/kernels/policy_choice.h"
#include "widgets/kernels/scintilla.h"
#include "widgets/kernels/source_view.h"
#include "widgets/kernels/verdict_text.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QSplitter>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace sparserl {

namespace {

enum Column
{
    MatrixColumn,
    VerdictColumn,
    FamilyColumn,
    SpeedupColumn,
    TimeColumn,
    Columns
};

} // namespace

WriteDialog::WriteDialog(ProjectSession* session, QWidget* parent, std::vector<std::string> digests)
    : QDialog(parent)
    , m_session(session)
    , m_choice(new PolicyChoice(session, std::move(digests), true, this))
    , m_count(new QSpinBox(this))
    , m_temperature(new QDoubleSpinBox(this))
    , m_busy(makeBusyBar(this))
    , m_table(new QTableWidget(0, Columns, this))
    , m_source(new SourceView(this))
    , m_outcome(new QLabel(this))
{
    setWindowTitle(tr("Let a policy write programs"));
    resize(atTextSize(960), atTextSize(680));
    m_count->setButtonSymbols(QAbstractSpinBox::NoButtons);
    m_temperature->setButtonSymbols(QAbstractSpinBox::NoButtons);
    m_count->setRange(1, 1000);
    m_count->setValue(8);
    m_count->setAccessibleName(tr("Programs for each matrix"));
    m_temperature->setRange(0, 5);
    m_temperature->setSingleStep(0.1);
    m_temperature->setSpecialValueText(tr("the policy's own"));
    m_temperature->setAccessibleName(tr("Temperature"));
    m_outcome->setWordWrap(true);
    m_outcome->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);

    auto* choose = new QWidget(this);
    auto* form = new QFormLayout(choose);
    form->setContentsMargins(0, 0, 0, 0);
    form->setRowWrapPolicy(QFormLayout::WrapAllRows);
    form->addRow(m_choice);
    form->addRow(tr("Programs for each"), m_count);
    form->addRow(tr("Temperature"), m_temperature);
    styleTable(m_table);
    m_table->setAccessibleName(tr("Written programs"));
    m_table->setHorizontalHeaderLabels(
        {tr("Matrix"), tr("Verdict"), tr("Family"), tr("Speed-up"), tr("Time")});
    for (const int column : {SpeedupColumn, TimeColumn})
        m_table->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    fitColumns(m_table,
               {QStringLiteral("a matrix's name"), QStringLiteral("runtime-error"),
                QStringLiteral("S10 · ELL, a few"), QStringLiteral("00.00x"), QStringLiteral("000.00 us")},
               MatrixColumn, FamilyColumn);
    tellWhenEmpty(m_table, tr("The programs appear here as the policy writes them."));
    m_source->hide(); // until there is one
    auto* right = new QSplitter(Qt::Vertical, this);
    right->addWidget(m_table);
    right->addWidget(m_source);
    auto* across = new QSplitter(Qt::Horizontal, this);
    across->setChildrenCollapsible(false);
    across->addWidget(choose);
    across->addWidget(right);
    across->setSizes({260, 680});
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(across, 1);
    layout->addWidget(m_busy);
    layout->addWidget(m_outcome);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    m_start = buttons->addButton(tr("&Write programs"), QDialogButtonBox::ActionRole);
    makePrimary(m_start);
    m_start->setDefault(true);
    m_edit = buttons->addButton(tr("&Edit a copy…"), QDialogButtonBox::ActionRole);
    m_edit->setEnabled(false);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_start, &QPushButton::clicked, this, &WriteDialog::start);
    connect(m_edit, &QPushButton::clicked, this, &WriteDialog::editProgram);
    connect(m_table, &QTableWidget::itemSelectionChanged, this, &WriteDialog::showProgram);
    connect(&m_command, &CommandJob::lineCame, this, &WriteDialog::take);
    connect(&m_command, &CommandJob::finished, this,
            [this](const std::vector<nlohmann::json>&, const QString& problem) { ended(problem); });
    m_start->setEnabled(false);
    connect(m_choice, &PolicyChoice::filled, this, [this](const QString& problem) {
        m_start->setEnabled(problem.isEmpty());
        m_outcome->setText(problem);
    });
}

void WriteDialog::setRunning(bool running)
{
    m_running = running;
    m_busy->setVisible(running);
    m_start->setText(running ? tr("&Cancel") : tr("&Write programs"));
}

void WriteDialog::start()
{
    if (m_running) {
        if (m_command.running())
            m_command.cancel();
        else {
            m_fileJobs.cancel();
            m_task.cancelled();
            ended(tr("Cancelled."));
        }
        return;
    }
    const auto digests = m_choice->chosen();
    if (digests.empty()) {
        m_outcome->setText(tr("Choose at least one matrix."));
        return;
    }
    m_programs.clear();
    m_lost.clear();
    m_asked = false;
    m_ownTemperature = 0;
    const std::filesystem::path policy = m_choice->policy().toStdString(); // RUN/checkpoints/NAME
    m_policy = !m_choice->endpoint().isEmpty() ? "endpoint " + m_choice->endpoint().toStdString()
               : policy == defaultPolicyFolder()
                   ? std::string(defaultPolicyName)
                   : (policy.parent_path().parent_path().filename() / policy.filename()).string();
    m_table->setRowCount(0);
    m_source->clear();
    setRunning(true);
    m_outcome->setText(m_choice->endpoint().isEmpty()
                           ? tr("The policy writes…")
                           : tr("The endpoint %1 is asked…").arg(m_choice->endpoint()));
    m_task = TaskTicket(m_session->tasks(), {tr("Generation"), m_choice->policies()->currentText()}, [this] {
        if (m_running)
            start(); // which gives up what is under way
    });
    using Files = std::map<std::string, JobFiles>;
    m_session->work<Files>(
        m_fileJobs,
        [digests](Project& project) -> Result<Files> {
            Files files;
            for (const std::string& digest : digests) {
                SPARSERL_TRY(auto one, writeJobFiles(project, {}, digest));
                files[digest] = std::move(one);
            }
            return files;
        },
        [this](Result<Files> files) {
            if (files)
                run(std::move(*files));
            else
                ended(sentenceOf(files.error()));
        });
}

void WriteDialog::run(std::map<std::string, JobFiles> files)
{
    m_files = std::move(files);
    QStringList arguments{QStringLiteral("generate"), QStringLiteral("--stream"), QStringLiteral("-n"),
                          QString::number(m_count->value())};
    arguments << (m_choice->endpoint().isEmpty() ? CommandJob::options({{"policy", m_choice->policy()}})
                                                 : CommandJob::options({{"endpoint", m_choice->endpoint()}}));
    if (m_temperature->value() > 0)
        arguments << CommandJob::options(
            {{"temperature", QLocale::c().toString(m_temperature->value(), 'f', 3)}});
    arguments << m_choice->typeArguments();
    for (const auto& [digest, one] : m_files)
        arguments << CommandJob::options({{"matrix", one.matrix}});
    m_command.start(m_session->path(), arguments);
}

void WriteDialog::take(const nlohmann::json& line)
{
    const std::string stream = jsonValue<std::string>(line, "stream", {});
    if (stream == "policy")
        m_ownTemperature = jsonValue(line, "temperature", 0.0);
    else if (stream == "text")
        takeText(line);
    else if (stream == "verdict" || line.contains("program"))
        takeProgram(line);
}

void WriteDialog::takeText(const nlohmann::json& line)
{
    const auto pieces = line.find("pieces");
    if (pieces == line.end() || !pieces->is_array())
        return;
    const std::string digest = jsonValue<std::string>(line, "digest", {});
    for (const nlohmann::json& piece : *pieces) {
        const int row = rowOf(digest, jsonValue<std::int64_t>(piece, "sample", 0));
        PolicyProgram& program = m_programs[static_cast<std::size_t>(row)];
        if (program.complete)
            continue;
        program.text += jsonValue<std::string>(piece, "text", {});
        if (row == m_table->currentRow())
            showProgram();
    }
}

/// A verdict that came before the others are written, or all that is to be said of a program.
void WriteDialog::takeProgram(const nlohmann::json& line)
{
    const int row =
        rowOf(jsonValue<std::string>(line, "digest", {}), jsonValue<std::int64_t>(line, "sample", 0));
    PolicyProgram& program = m_programs[static_cast<std::size_t>(row)];
    if (const auto verdict = line.find("verdict"); verdict != line.end() && verdict->is_object())
        if (auto record = verdictRecordFromJson(*verdict))
            program.record = std::move(*record);
    if (const auto text = line.find("program"); text != line.end() && text->is_string()) {
        program.text = text->get<std::string>();
        program.family = jsonValue<std::string>(line, "family", {});
        program.stopReason = jsonValue<std::string>(line, "stop_reason", {});
        program.tokens = jsonValue<std::int64_t>(line, "tokens", 0);
        program.logProb = jsonValue(line, "log_probability", 0.0);
        program.complete = true;
        keep(program);
    }
    fillRow(row);
    if (row == m_table->currentRow())
        showProgram();
}

void WriteDialog::keep(PolicyProgram& program)
{
    if (std::exchange(program.kept, true))
        return;
    WrittenProgram written;
    written.origin = sample_origin::generated;
    written.source = m_policy;
    written.text = program.text;
    written.target = program.record ? program.record->target : program.target;
    written.target.name = program.target.name;
    written.family = program.family;
    written.tokens = program.tokens;
    written.logProb = program.logProb;
    written.record = program.record;
    m_session->keepProgram(std::move(written), this, [this](const Status& kept) {
        if (kept || !m_lost.isEmpty())
            return;
        m_lost = tr("The programs could not be kept: %1").arg(sentenceOf(kept.error()));
        m_outcome->setText(m_outcome->text() + QLatin1Char('\n') + m_lost);
    });
}

void WriteDialog::keepJudged()
{
    for (PolicyProgram& program : m_programs)
        if (program.record && !program.complete && sha256Hex(program.text) == program.record->programHash)
            keep(program);
}

void WriteDialog::done(int result)
{
    keepJudged();
    if (m_lost.isEmpty() || m_asked) {
        QDialog::done(result);
        return;
    }
    m_asked = true;
    m_outcome->setText(m_outcome->text() + QLatin1Char('\n') +
                       tr("Close the window again to discard the programs."));
}

int WriteDialog::rowOf(const std::string& digest, std::int64_t sample)
{
    for (std::size_t i = 0; i < m_programs.size(); ++i)
        if (m_programs[i].sample == sample && m_programs[i].target.contents == digest)
            return static_cast<int>(i);
    PolicyProgram program;
    program.sample = sample;
    program.target.contents = digest;
    program.target.name = m_choice->nameOf(digest).toStdString();
    m_programs.push_back(std::move(program));
    const int row = m_table->rowCount();
    m_table->insertRow(row);
    fillRow(row);
    if (row == 0)
        m_table->selectRow(0);
    return row;
}

void WriteDialog::fillRow(int row)
{
    const PolicyProgram& program = m_programs[static_cast<std::size_t>(row)];
    const auto& record = program.record;
    const bool writing = !record && !program.complete && m_running;
    const QString texts[] = {toQString(program.target.name),
                             writing ? tr("writing…")
                                     : verdictText(record ? std::optional(record->verdict) : std::nullopt),
                             familyText(program.family), columnRatio(record ? record->speedup() : 0),
                             columnMicroseconds(record && record->warm ? record->warm->median : 0)};
    for (int column = 0; column < Columns; ++column) {
        auto* item = new QTableWidgetItem(texts[column]);
        if (column == SpeedupColumn || column == TimeColumn)
            item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        if (column == VerdictColumn && record)
            item->setData(TextToneRole, static_cast<int>(verdictTone(record->verdict)));
        item->setToolTip(record ? toQString(record->message) : toQString(program.stopReason));
        m_table->setItem(row, column, item);
    }
}

void WriteDialog::ended(const QString& problem)
{
    setRunning(false);
    m_files.clear();
    keepJudged();
    for (int row = 0; row < m_table->rowCount(); ++row) // nothing is being written any more
        if (!m_programs[static_cast<std::size_t>(row)].record)
            fillRow(row);
    std::int64_t correct = 0, written = 0;
    double best = 0;
    for (const PolicyProgram& program : m_programs) {
        written += program.complete || program.record ? 1 : 0;
        if (program.record && program.record->correct()) {
            ++correct;
            best = std::max(best, program.record->speedup());
        }
    }
    QString text = problem;
    if (written > 0) {
        if (!text.isEmpty())
            text += QLatin1Char(' ');
        text += counted(written, tr("One program was written"), tr("%1 programs were written"));
        text += correct > 0 ? tr(", %1 of them correct; the best speed-up is %2.")
                                  .arg(formatCount(correct), formatRatio(best))
                            : tr("; none of them is correct.");
        if (const QString more = advice(correct); !more.isEmpty())
            text += QLatin1Char(' ') + more;
    }
    if (!m_lost.isEmpty())
        text += QLatin1Char('\n') + m_lost;
    m_outcome->setText(text);
    if (m_command.cancelled())
        m_task.cancelled(text);
    else if (!problem.isEmpty())
        m_task.failed(text);
    else
        m_task.done(text);
}

QString WriteDialog::advice(std::int64_t correct) const
{
    // Who chose a temperature needs no advice on it.
    if (m_temperature->value() > 0)
        return {};
    const auto judged = std::count_if(m_programs.begin(), m_programs.end(),
                                      [](const PolicyProgram& one) { return one.record.has_value(); });
    const double lower = lowerTemperature(static_cast<std::size_t>(correct), static_cast<std::size_t>(judged),
                                          m_ownTemperature);
    return lower > 0 ? tr("A lower temperature than the policy's own, %1, usually gives more correct "
                          "programs: try %2.")
                           .arg(QLocale().toString(m_ownTemperature), QLocale().toString(lower))
                     : QString();
}

void WriteDialog::showProgram()
{
    const int row = m_table->currentRow();
    const bool valid = row >= 0 && row < static_cast<int>(m_programs.size());
    m_edit->setEnabled(valid);
    m_source->setVisible(valid);
    if (!valid)
        return;
    const PolicyProgram& program = m_programs[static_cast<std::size_t>(row)];
    m_source->showProgram(toQString(program.text), program.record);
    if (!program.complete && m_running && !program.record) // its end is what is new
        m_source->revealLine(m_source->editor()->lines());
}

void WriteDialog::editProgram()
{
    const int row = m_table->currentRow();
    if (row < 0 || row >= static_cast<int>(m_programs.size()))
        return;
    const PolicyProgram& program = m_programs[static_cast<std::size_t>(row)];
    ComparedProgram original;
    original.text = program.text;
    original.record = program.record;
    original.candidate.programHash = sha256Hex(program.text);
    original.candidate.target = program.record ? program.record->target : program.target;
    original.candidate.target.name = program.target.name;
    auto* dialog = new EditDialog(m_session, std::move(original), {}, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

} // namespace sparserl
