// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/search_dialog.h"

#include "project/run/default_policy.h"
#include "training/parameters/matrix_names.h"
#include "training/parameters/parameter_keys.h"
#include "training/parameters/stage_parameters.h"
#include "widgets/common/form_row.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/common/policy_box.h"
#include "widgets/common/theme.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>

namespace sparserl {

struct SearchDialog::Choices
{
    std::vector<MatrixRow> matrices;
    std::vector<CheckpointRow> checkpoints;
    std::optional<RunConfig> last; ///< Of the project's newest search.
};

SearchDialog::SearchDialog(ProjectSession* session, std::vector<std::string> digests, QWidget* parent)
    : QDialog(parent)
    , m_digests(std::move(digests))
    , m_matrices(new QListWidget(this))
    , m_task(new QComboBox(this))
    , m_policy(new QComboBox(this))
    , m_device(new QComboBox(this))
    , m_budget(new QComboBox(this))
    , m_columns(new QSpinBox(this))
    , m_seconds(new QSpinBox(this))
    , m_programs(new QSpinBox(this))
    , m_outcome(new QLabel(this))
{
    setWindowTitle(tr("Search for fast programs"));
    resize(atTextSize(560), atTextSize(560));
    auto* about = makeMuted(
        tr("Tries the programs of the corpus first, then repeatedly changes the best ones and judges each "
           "change. At the end, the best programs are measured once more, and the record is compared with "
           "the "
           "best program that \"bench\" finds. The search continues in the background as a run of the "
           "project: it can be paused, stopped and resumed, and its programs are on this page."),
        this);
    about->setWordWrap(true);
    m_task->addItem(tr("y = A x (SpMV)"), QStringLiteral("spmv"));
    m_task->addItem(tr("C = A B (SpMM)"), QStringLiteral("spmm"));
    m_policy->addItem(tr("none"), QString());
    m_policy->setToolTip(
        tr("A policy, or a model on a server, that also proposes programs. Without one, programs come from "
           "the corpus, from its parameters and from changes to the best programs."));
    m_policy->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_device->addItem(tr("automatic"), QStringLiteral("auto"));
    m_device->addItem(tr("GPU"), QStringLiteral("cuda"));
    m_device->addItem(tr("simulated device"), QStringLiteral("sim"));
    m_device->setToolTip(tr("Where programs run: a GPU if one works, or the simulated device."));
    m_budget->addItem(tr("Time"));
    m_budget->addItem(tr("Number of programs"));
    m_budget->setToolTip(tr(
        "If the limit is a number of programs and the device is simulated, equal seeds give equal results."));
    for (QSpinBox* box : {m_columns, m_seconds, m_programs}) {
        box->setButtonSymbols(QAbstractSpinBox::NoButtons);
        box->setGroupSeparatorShown(true);
    }
    m_columns->setRange(2, 1024);
    m_columns->setValue(8);
    m_columns->setEnabled(false);
    m_seconds->setRange(1, 1'000'000);
    m_seconds->setValue(60);
    m_seconds->setSuffix(tr(" s"));
    m_programs->setRange(1, 100'000'000);
    m_programs->setValue(500);
    m_outcome->setWordWrap(true);
    m_outcome->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);

    auto* form = new QFormLayout;
    addFormRow(form, tr("&Matrices"), m_matrices);
    addFormRow(form, tr("&Task"), m_task);
    addFormRow(form, tr("Columns of &B"), m_columns);
    addFormRow(form, tr("Polic&y"), m_policy);
    addFormRow(form, tr("&Device"), m_device);
    addFormRow(form, tr("B&udget"), m_budget);
    addFormRow(form, tr("S&econds per matrix"), m_seconds);
    addFormRow(form, tr("&Programs per matrix"), m_programs);
    levelLabels(form);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(about);
    layout->addLayout(form, 1);
    layout->addWidget(m_outcome);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_start = buttons->addButton(tr("&Start"), QDialogButtonBox::ActionRole);
    makePrimary(m_start);
    m_start->setDefault(true);
    m_start->setEnabled(false);
    layout->addWidget(buttons);

    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_start, &QPushButton::clicked, this, &SearchDialog::start);
    connect(m_task, &QComboBox::currentIndexChanged, this,
            [this](int index) { m_columns->setEnabled(index == 1); });
    connect(m_budget, &QComboBox::currentIndexChanged, this, &SearchDialog::showBudget);
    connect(m_programs, &QSpinBox::valueChanged, this, &SearchDialog::showBudget);
    showBudget();
    session->query<Choices>(
        m_jobs,
        [](ProjectReader& reader) -> Result<Choices> {
            Choices choices;
            SPARSERL_TRY(choices.matrices, reader.matrices());
            SPARSERL_TRY(choices.checkpoints, reader.checkpoints());
            SPARSERL_TRY(const auto runs, reader.runs());
            const auto last = std::find_if(runs.begin(), runs.end(), [](const RunSummary& run) {
                return run.stage == nameOf(StageKind::Search);
            });
            if (last != runs.end()) {
                if (auto config = reader.runConfig(last->id)) // a run whose folder went has none
                    choices.last = std::move(*config);
            }
            return choices;
        },
        [this](const Result<Choices>& choices) {
            if (choices)
                fill(*choices);
            else
                refuse(sentenceOf(choices.error()));
        });
}

void SearchDialog::showBudget()
{
    m_seconds->setEnabled(m_budget->currentIndex() == 0);
    m_programs->setEnabled(m_budget->currentIndex() == 1);
    const ParameterSet values(stageParameters(StageKind::Search));
    const auto first = static_cast<int>(values[param::search::benchPrograms]);
    const QString few = tr("The programs that \"bench\" would try come first, up to %1 for each matrix. With "
                           "a limit of %1 or less, nothing else is tried.")
                            .arg(first);
    const bool isFew = m_budget->currentIndex() == 1 && m_programs->value() <= first;
    if (isFew)
        m_outcome->setText(few);
    else if (m_outcome->text() == few)
        m_outcome->clear();
}

void SearchDialog::fill(const Choices& choices)
{
    addDefaultPolicy(m_policy);
    addPolicies(m_policy, choices.checkpoints);
    addEndpoints(m_policy);
    if (choices.last)
        takeOver(*choices.last);
    std::vector<std::string> named;
    if (choices.last) {
        const auto found = choices.last->parameters.find(std::string(param::search::matrices.key));
        if (found != choices.last->parameters.end())
            named = matrixNames(toText(found->second));
    }
    for (const MatrixRow& matrix : choices.matrices) {
        if (!matrix.problem.empty() || matrix.nnz == 0)
            continue;
        auto* item = new QListWidgetItem(toQString(matrix.name), m_matrices);
        item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
        const bool ticked =
            !m_digests.empty()
                ? std::find(m_digests.begin(), m_digests.end(), matrix.digest) != m_digests.end()
            : !named.empty() ? std::find(named.begin(), named.end(), matrix.name) != named.end()
                             : m_matrices->count() == 1;
        item->setCheckState(ticked ? Qt::Checked : Qt::Unchecked);
        item->setToolTip(counted(matrix.rows, tr("one row"), tr("%1 rows")) + QStringLiteral(", ") +
                         counted(matrix.nnz, tr("one entry"), tr("%1 entries")));
        if (ticked)
            m_matrices->scrollToItem(item);
    }
    m_start->setEnabled(m_matrices->count() > 0);
    if (m_matrices->count() == 0)
        m_outcome->setText(tr("The project has no matrix yet. Import one first."));
}

/// What the last search was asked for, as far as this form has it.
void SearchDialog::takeOver(const RunConfig& last)
{
    const auto values = parametersFromRun(StageKind::Search, last.parameters);
    if (!values)
        return; // of another version
    const auto choose = [](QComboBox* box, const std::string& data) {
        if (const int index = box->findData(toQString(data)); index >= 0)
            box->setCurrentIndex(index);
    };
    choose(m_task, (*values)[param::task]);
    choose(m_device, (*values)[param::judge::device]);
    if (const std::string& endpoint = (*values)[param::search::endpoint]; !endpoint.empty())
        chooseEndpoint(m_policy, toQString(endpoint));
    else
        choose(m_policy, policyPlace(last.parentCheckpoint).string());
    const auto whole = [](double value) { return static_cast<int>(std::clamp(value, 0.0, 1e8)); };
    m_columns->setValue(whole(static_cast<double>((*values)[param::denseColumns])));
    m_seconds->setValue(whole((*values)[param::search::seconds]));
    const auto programs = static_cast<double>((*values)[param::search::candidates]);
    m_budget->setCurrentIndex(programs > 0 ? 1 : 0);
    if (programs > 0)
        m_programs->setValue(whole(programs));
}

QStringList SearchDialog::chosen() const
{
    QStringList names;
    for (int row = 0; row < m_matrices->count(); ++row) {
        if (m_matrices->item(row)->checkState() == Qt::Checked)
            names.append(m_matrices->item(row)->text());
    }
    return names;
}

RunConfig SearchDialog::config() const
{
    ParameterSet values(stageParameters(StageKind::Search));
    std::vector<std::string> names;
    for (const QString& name : chosen())
        names.push_back(name.toStdString());
    // Each is a value of its own range: none of these can fail.
    const auto set = [&values](std::string_view key, const std::string& text) {
        static_cast<void>(values.setText(key, text));
    };
    set(param::search::matrices.key, joinMatrixNames(names));
    set(param::task.key, m_task->currentData().toString().toStdString());
    set(param::denseColumns.key, std::to_string(m_columns->value()));
    set(param::judge::device.key, m_device->currentData().toString().toStdString());
    set(param::search::seconds.key, std::to_string(m_seconds->value()));
    set(param::search::candidates.key,
        std::to_string(m_budget->currentIndex() == 1 ? m_programs->value() : 0));
    RunConfig config;
    config.stage = std::string(nameOf(StageKind::Search));
    config.title =
        names.size() == 1
            ? names.front()
            : counted(static_cast<qint64>(names.size()), tr("one matrix"), tr("%1 matrices")).toStdString();
    const QString policy = m_policy->currentData().toString();
    if (const QString endpoint = endpointOf(policy); !endpoint.isEmpty())
        set(param::search::endpoint.key, endpoint.toStdString());
    else
        config.parentCheckpoint = policy.toStdString();
    config.parameters = runValues(values);
    return config;
}

void SearchDialog::refuse(const QString& sentence)
{
    m_outcome->setText(sentence);
    m_start->setEnabled(m_matrices->count() > 0);
}

void SearchDialog::start()
{
    const QStringList names = chosen();
    if (names.isEmpty()) {
        m_outcome->setText(tr("Choose at least one matrix."));
        return;
    }
    for (const QString& name : names) {
        if (name.contains(QLatin1Char(';'))) {
            m_outcome->setText(
                tr("The name of the matrix \"%1\" contains a semicolon. Give it another name first.")
                    .arg(name));
            return;
        }
    }
    m_outcome->setText(tr("The search is being started."));
    m_start->setEnabled(false);
    Q_EMIT startAsked();
}

} // namespace sparserl
