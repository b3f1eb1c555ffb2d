// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/specialise_dialog.h"

#include "base/json.h"
#include "widgets/common/form_row.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/common/target_text.h"
#include "widgets/common/theme.h"
#include "widgets/common/typed_path.h"
#include "widgets/kernels/policy_choice.h"
#include "widgets/kernels/verdict_text.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDateTime>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace sparserl {

namespace {

enum Column
{
    MatrixColumn,
    RankColumn,
    FamilyColumn,
    TimeColumn,
    SpeedupColumn,
    PaysColumn,
    Columns
};

constexpr int progressSteps = 1000;

/// "after 120 calls": when a kernel's set-up has paid.
QString paysText(const nlohmann::json& line)
{
    const auto calls = line.find("break_even_calls");
    if (calls == line.end() || !calls->is_number())
        return SpecialiseDialog::tr("not faster");
    const auto count = static_cast<qint64>(calls->get<double>());
    return count == 0
               ? SpecialiseDialog::tr("at once")
               : SpecialiseDialog::tr("after %1")
                     .arg(counted(count, SpecialiseDialog::tr("one call"), SpecialiseDialog::tr("%1 calls")));
}

} // namespace

SpecialiseDialog::SpecialiseDialog(ProjectSession* session, std::vector<std::string> digests, QWidget* parent)
    : QDialog(parent)
    , m_session(session)
    , m_choice(new PolicyChoice(session, std::move(digests), false, this))
    , m_iterations(new QSpinBox(this))
    , m_samples(new QSpinBox(this))
    , m_folder(new QLineEdit(this))
    , m_export(new QCheckBox(tr("E&xport the best kernel of each matrix"), this))
    , m_table(new QTableWidget(0, Columns, this))
    , m_progress(new QProgressBar(this))
    , m_outcome(new QLabel(this))
{
    setWindowTitle(tr("Specialise a policy"));
    resize(atTextSize(980), atTextSize(620));
    for (QSpinBox* box : {m_iterations, m_samples})
        box->setButtonSymbols(QAbstractSpinBox::NoButtons);
    m_iterations->setRange(1, 1'000'000);
    m_iterations->setValue(20);
    m_samples->setRange(2, 65'536);
    m_samples->setValue(16);
    m_samples->setToolTip(
        tr("Programs that the policy writes for each matrix, in each iteration and at the end."));
    const auto stamp = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
    m_folder->setText(toQString((session->path() / "specialised" / stamp.toStdString()).string()));
    m_progress->setRange(0, progressSteps);
    m_progress->setTextVisible(false);
    m_progress->setFixedHeight(6);
    m_progress->hide();
    m_outcome->setWordWrap(true);
    m_outcome->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);

    auto* about = makeMuted(
        tr("Trains a copy of the policy on the ticked matrices only, then lets it write programs for them, "
           "judges the best ones again and ranks them. Runs and kernels go into a separate project."),
        this);
    about->setWordWrap(true);
    auto* left = new QWidget(this);
    auto* column = new QVBoxLayout(left);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_choice, 1);
    auto* form = new QFormLayout;
    addFormRow(form, tr("&Iterations"), m_iterations);
    addFormRow(form, tr("&Programs per matrix"), m_samples);
    auto* across = new QHBoxLayout;
    across->addWidget(m_folder, 1);
    auto* browse = makeToolButton(QStringLiteral("open"), {}, tr("Choose a folder"), this);
    across->addWidget(browse);
    addFormRow(form, tr("&Folder"), m_folder, across);
    levelLabels(form);
    column->addLayout(form);
    column->addWidget(m_export);

    styleTable(m_table);
    m_table->setAccessibleName(tr("Ranked kernels"));
    m_table->setHorizontalHeaderLabels(
        {tr("Matrix"), tr("Rank"), tr("Family"), tr("Time"), tr("Speed-up"), tr("Pays off")});
    for (const int number : {RankColumn, TimeColumn, SpeedupColumn})
        m_table->horizontalHeaderItem(number)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    fitColumns(m_table,
               {QString(), QStringLiteral("Rank"), QStringLiteral("S10 · ELL "),
                QStringLiteral("0,000.00 µs"), QStringLiteral("Speed-up"),
                QStringLiteral("after 10,000 calls")},
               MatrixColumn);
    tellWhenEmpty(m_table, tr("The ranked kernels appear here."));
    auto* both = new QHBoxLayout;
    both->addWidget(left, 2);
    both->addWidget(m_table, 3);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(about);
    layout->addLayout(both, 1);
    layout->addWidget(m_progress);
    layout->addWidget(m_outcome);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    m_start = buttons->addButton(tr("&Start"), QDialogButtonBox::ActionRole);
    makePrimary(m_start);
    m_start->setDefault(true);
    m_start->setEnabled(false);
    m_open = buttons->addButton(tr("&Open its project"), QDialogButtonBox::ActionRole);
    m_open->setEnabled(false);
    layout->addWidget(buttons);

    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_start, &QPushButton::clicked, this, &SpecialiseDialog::start);
    connect(m_open, &QPushButton::clicked, this, [this] { Q_EMIT projectAsked(m_out); });
    connect(browse, &QToolButton::clicked, this, [this] {
        const QString path =
            QFileDialog::getExistingDirectory(this, tr("Location of the project"), m_folder->text());
        if (!path.isEmpty())
            m_folder->setText(path);
    });
    connect(m_choice, &PolicyChoice::filled, this, [this](const QString& problem) {
        m_start->setEnabled(problem.isEmpty());
        m_outcome->setText(problem);
    });
    connect(&m_command, &CommandJob::lineCame, this, &SpecialiseDialog::take);
    connect(&m_command, &CommandJob::finished, this,
            [this](const std::vector<nlohmann::json>&, const QString& problem) { ended(problem); });
}

// What is under way outlives the sight of it.
void SpecialiseDialog::done(int result)
{
    if (m_running)
        hide();
    else
        QDialog::done(result);
}

void SpecialiseDialog::setRunning(bool running)
{
    m_running = running;
    m_progress->setVisible(running);
    for (QWidget* field :
         {static_cast<QWidget*>(m_choice), static_cast<QWidget*>(m_iterations),
          static_cast<QWidget*>(m_samples), static_cast<QWidget*>(m_folder), static_cast<QWidget*>(m_export)})
        field->setEnabled(!running);
    m_start->setText(running ? tr("&Stop") : tr("&Start"));
}

void SpecialiseDialog::start()
{
    if (m_running) {
        m_outcome->setText(tr("The run saves a checkpoint and ends."));
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
    const auto folder = typedPath(m_folder->text());
    if (!folder) {
        m_outcome->setText(sentenceOf(folder.error()));
        return;
    }
    m_out = toQString(folder->string());
    m_table->setRowCount(0);
    m_open->setEnabled(false);
    m_progress->setValue(0);
    setRunning(true);
    m_outcome->setText(tr("Writing the matrices…"));
    m_task =
        TaskTicket(m_session->tasks(), {tr("Specialisation"), m_choice->policies()->currentText()}, [this] {
            if (m_running)
                start(); // which asks for the end
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

void SpecialiseDialog::run(std::map<std::string, JobFiles> files)
{
    m_files = std::move(files);
    QStringList arguments{QStringLiteral("specialise")};
    arguments << CommandJob::options({{"policy", m_choice->policy()},
                                      {"out", m_out},
                                      {"iterations", QString::number(m_iterations->value())},
                                      {"samples", QString::number(m_samples->value())}});
    if (m_export->isChecked())
        arguments << QStringLiteral("--export");
    arguments << m_choice->typeArguments();
    for (const auto& [digest, one] : m_files)
        arguments << CommandJob::options({{"matrix", one.matrix}});
    m_command.start(m_session->path(), arguments);
}

void SpecialiseDialog::take(const nlohmann::json& line)
{
    if (line.contains("progress")) {
        const double fraction = jsonValue(line, "progress", 0.0);
        const QString phase = toQString(jsonValue<std::string>(line, "phase", {}));
        m_progress->setValue(static_cast<int>(fraction * progressSteps));
        if (!m_command.cancelled())
            m_outcome->setText(phase);
        m_task.say(fraction, phase);
        return;
    }
    if (!line.contains("rank"))
        return;
    const int row = m_table->rowCount();
    m_table->insertRow(row);
    const auto verdict = verdictFromName(jsonValue<std::string>(line, "verdict", {}));
    const bool good = verdict == Verdict::Correct;
    TargetId target;
    target.name = jsonValue<std::string>(line, "matrix", {});
    target.variant.columns = jsonValue<std::int64_t>(line, "dense_columns", 1);
    target.variant.type =
        elementTypeFromName(jsonValue<std::string>(line, "element_type", {})).value_or(ElementType::F32);
    const QString texts[] = {targetText(target),
                             QString::number(jsonValue(line, "rank", 0)),
                             familyText(jsonValue<std::string>(line, "family", {})),
                             good ? formatMicroseconds(jsonValue(line, "warm_us", 0.0)) : QStringLiteral("–"),
                             good ? formatRatio(jsonValue(line, "speedup", 0.0)) : QStringLiteral("–"),
                             good ? paysText(line) : verdictText(verdict)};
    const QString file = toQString(jsonValue<std::string>(line, "file", {}));
    for (int column = 0; column < Columns; ++column) {
        auto* item = new QTableWidgetItem(texts[column]);
        if (column == RankColumn || column == TimeColumn || column == SpeedupColumn)
            item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        item->setToolTip(file);
        m_table->setItem(row, column, item);
    }
}

void SpecialiseDialog::ended(const QString& problem)
{
    setRunning(false);
    m_files.clear();
    const bool any = m_table->rowCount() > 0;
    QString text = problem;
    if (m_command.cancelled())
        text = tr("The specialisation was stopped. To resume it, choose the same folder and press Start.");
    else if (problem.isEmpty())
        text = tr("%1 for %2. The project is in %3.")
                   .arg(counted(m_table->rowCount(), tr("One ranked kernel"), tr("%1 ranked kernels")),
                        counted(static_cast<qint64>(m_choice->chosen().size()), tr("one matrix"),
                                tr("%1 matrices")),
                        m_out);
    m_outcome->setText(text);
    m_open->setEnabled(any);
    if (m_command.cancelled())
        m_task.cancelled(text);
    else if (!problem.isEmpty())
        m_task.failed(text, report());
    else
        m_task.done(text, report());
}

QString SpecialiseDialog::report() const
{
    QStringList lines;
    for (int row = 0; row < m_table->rowCount(); ++row) {
        QStringList cells;
        for (int column = 0; column < Columns; ++column)
            cells.append(m_table->item(row, column)->text());
        lines.append(cells.join(QLatin1Char('\t')));
    }
    return lines.join(QLatin1Char('\n'));
}

} // namespace sparserl
