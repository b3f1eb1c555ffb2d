// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/write_dialog.h"

#include "base/hash.h"
#include "widgets/common/delegates.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/common/theme.h"
#include "widgets/kernels/edit_dialog.h"
#include "widgets/kernels/source_view.h"
#include "widgets/kernels/verdict_text.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QListWidget>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QSplitter>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>

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

WriteDialog::WriteDialog(ProjectSession* session, QWidget* parent)
    : QDialog(parent)
    , m_session(session)
    , m_policies(new QComboBox(this))
    , m_matrices(new QListWidget(this))
    , m_count(new QSpinBox(this))
    , m_temperature(new QDoubleSpinBox(this))
    , m_busy(new QProgressBar(this))
    , m_table(new QTableWidget(0, Columns, this))
    , m_source(new SourceView(this))
    , m_outcome(new QLabel(this))
{
    setWindowTitle(tr("Let a policy write programs"));
    resize(960, 680);
    m_count->setButtonSymbols(QAbstractSpinBox::NoButtons);
    m_temperature->setButtonSymbols(QAbstractSpinBox::NoButtons);
    m_count->setRange(1, 1000);
    m_count->setValue(8);
    m_count->setAccessibleName(tr("Programs for each matrix"));
    m_temperature->setRange(0, 5);
    m_temperature->setSingleStep(0.1);
    m_temperature->setSpecialValueText(tr("the policy's own"));
    m_temperature->setAccessibleName(tr("Temperature"));
    m_policies->setAccessibleName(tr("Policy"));
    m_policies->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_policies->setMinimumContentsLength(20);
    m_matrices->setAccessibleName(tr("Matrices to write programs for"));
    m_busy->setRange(0, 0);
    m_busy->setTextVisible(false);
    m_busy->setFixedHeight(6);
    m_busy->hide();
    m_outcome->setWordWrap(true);
    m_outcome->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);

    auto* choose = new QWidget(this);
    auto* form = new QFormLayout(choose);
    form->setContentsMargins(0, 0, 0, 0);
    form->setRowWrapPolicy(QFormLayout::WrapAllRows);
    form->addRow(tr("Policy"), m_policies);
    form->addRow(tr("Matrices"), m_matrices);
    form->addRow(tr("Programs for each"), m_count);
    form->addRow(tr("Temperature"), m_temperature);
    styleTable(m_table);
    m_table->setAccessibleName(tr("Programs that were written"));
    m_table->setHorizontalHeaderLabels(
        {tr("Matrix"), tr("Verdict"), tr("Family"), tr("Speed-up"), tr("Time")});
    for (const int column : {SpeedupColumn, TimeColumn})
        m_table->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_table->horizontalHeader()->setSectionResizeMode(MatrixColumn, QHeaderView::Stretch);
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
    m_session->query<Choices>(
        m_jobs,
        [](ProjectReader& reader) -> Result<Choices> {
            SPARSERL_TRY(auto checkpoints, reader.checkpoints());
            // Evaluations keep checkpoints too, but no policy.
            std::erase_if(checkpoints, [](const CheckpointRow& checkpoint) {
                std::error_code code;
                return !checkpoint.present ||
                       !std::filesystem::exists(checkpoint.path / "model.safetensors", code);
            });
            SPARSERL_TRY(auto matrices, reader.matrices());
            return Choices{std::move(checkpoints), std::move(matrices)};
        },
        [this](Result<Choices> choices) {
            if (choices)
                fill(*choices);
            else
                m_outcome->setText(sentenceOf(choices.error()));
        });
}

void WriteDialog::fill(const Choices& choices)
{
    std::vector<CheckpointRow> present = choices.checkpoints;
    std::stable_sort(present.begin(), present.end(),
                     [](const CheckpointRow& x, const CheckpointRow& y) { return x.t > y.t; });
    for (const CheckpointRow& checkpoint : present)
        m_policies->addItem(
            tr("%1, step %2").arg(toQString(checkpoint.runName), formatCount(checkpoint.step)),
            toQString(checkpoint.path.string()));
    for (const MatrixRow& matrix : choices.matrices) {
        if (!matrix.problem.empty())
            continue;
        auto* item = new QListWidgetItem(toQString(matrix.name), m_matrices);
        item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
        item->setCheckState(m_matrices->count() == 1 ? Qt::Checked : Qt::Unchecked);
        item->setData(Qt::UserRole, toQString(matrix.digest));
        item->setToolTip(
            tr("%1 rows, %2 entries, %3")
                .arg(formatCount(matrix.rows), formatCount(matrix.nnz), toQString(matrix.split)));
    }
    m_start->setEnabled(m_policies->count() > 0 && m_matrices->count() > 0);
    if (m_policies->count() == 0)
        m_outcome->setText(tr("The project has no checkpoint yet. Start a training run first."));
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
            ended(tr("Cancelled."));
        }
        return;
    }
    std::vector<std::string> digests;
    for (int row = 0; row < m_matrices->count(); ++row)
        if (m_matrices->item(row)->checkState() == Qt::Checked)
            digests.push_back(m_matrices->item(row)->data(Qt::UserRole).toString().toStdString());
    if (digests.empty()) {
        m_outcome->setText(tr("Choose at least one matrix."));
        return;
    }
    m_programs.clear();
    m_table->setRowCount(0);
    m_source->clear();
    setRunning(true);
    m_outcome->setText(tr("The policy writes…"));
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
    QStringList arguments{QStringLiteral("generate"), QStringLiteral("--policy"),
                          m_policies->currentData().toString(), QStringLiteral("-n"),
                          QString::number(m_count->value())};
    if (m_temperature->value() > 0)
        arguments << QStringLiteral("--temperature") << QLocale::c().toString(m_temperature->value(), 'f', 3);
    for (const auto& [digest, one] : m_files)
        arguments << QStringLiteral("--matrix") << one.matrix;
    m_command.start(arguments);
}

void WriteDialog::take(const nlohmann::json& line)
{
    const auto text = line.find("program");
    if (text == line.end() || !text->is_string())
        return;
    const auto word = [&](const char* key) {
        const auto found = line.find(key);
        return found != line.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    PolicyProgram program;
    program.text = text->get<std::string>();
    program.target.digest = word("digest");
    program.family = word("family");
    program.stopReason = word("stop_reason");
    const QString file = toQString(word("matrix"));
    program.target.name = QFileInfo(file).completeBaseName().toStdString();
    if (const auto verdict = line.find("verdict"); verdict != line.end() && verdict->is_object())
        if (auto record = verdictRecordFromJson(*verdict))
            program.record = std::move(*record);
    const int row = m_table->rowCount();
    m_table->insertRow(row);
    const auto& record = program.record;
    const QString texts[] = {
        toQString(program.target.name), verdictText(record ? std::optional(record->verdict) : std::nullopt),
        program.family.empty() ? QStringLiteral("–") : toQString(program.family),
        formatRatio(record ? record->speedup() : 0),
        record && record->warm ? formatMicroseconds(record->warm->median) : QStringLiteral("–")};
    for (int column = 0; column < Columns; ++column) {
        auto* item = new QTableWidgetItem(texts[column]);
        if (column == SpeedupColumn || column == TimeColumn)
            item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        if (column == VerdictColumn && record)
            item->setForeground(toneColour(Theme::of(this), verdictTone(record->verdict)));
        item->setToolTip(record ? toQString(record->message) : toQString(program.stopReason));
        m_table->setItem(row, column, item);
    }
    m_programs.push_back(std::move(program));
    if (row == 0)
        m_table->selectRow(0);
}

void WriteDialog::ended(const QString& problem)
{
    setRunning(false);
    m_files.clear();
    std::int64_t correct = 0;
    double best = 0;
    for (const PolicyProgram& program : m_programs)
        if (program.record && program.record->correct()) {
            ++correct;
            best = std::max(best, program.record->speedup());
        }
    QString text = problem;
    if (!m_programs.empty()) {
        if (!text.isEmpty())
            text += QLatin1Char(' ');
        text += tr("%1 programs were written, %2 of them are correct; the best speed-up is %3.")
                    .arg(formatCount(static_cast<std::int64_t>(m_programs.size())), formatCount(correct),
                         formatRatio(best));
    }
    m_outcome->setText(text);
}

void WriteDialog::showProgram()
{
    const int row = m_table->currentRow();
    const bool valid = row >= 0 && row < static_cast<int>(m_programs.size());
    m_edit->setEnabled(valid);
    if (valid)
        m_source->show(toQString(m_programs[static_cast<std::size_t>(row)].text),
                       m_programs[static_cast<std::size_t>(row)].record);
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
    original.candidate.target.digest = program.target.digest;
    original.candidate.target.name = program.target.name;
    auto* dialog = new EditDialog(m_session, std::move(original), {}, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

} // namespace sparserl
