// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/launch_dialog.h"

#include "base/beneath.h"
#include "project/files/run_files.h"
#include "remote/known_hosts.h"
#include "training/parameters/parameter_keys.h"
#include "training/parameters/suggestions.h"
#include "training/work/memory_fit.h"
#include "training/work/stage_memory.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/common/parameter_form.h"
#include "widgets/common/policy_box.h"
#include "widgets/common/policy_text.h"
#include "widgets/common/tab_order.h"
#include "widgets/common/theme.h"
#include "widgets/training/host_chooser.h"
#include "widgets/training/run_model.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QShortcut>
#include <QVBoxLayout>
#include <algorithm>

namespace sparserl {

namespace {

/// What is chosen in a list of presets and runs: a preset counts from 0 up, a run from here down.
constexpr int defaults = -1, presetAbove = -2, firstRun = -3;

constexpr std::string_view endpointKeys[] = {param::rl::endpoint.key, param::evaluate::endpoint.key,
                                             param::search::endpoint.key};

} // namespace

LaunchDialog::LaunchDialog(std::vector<CheckpointRow> checkpoints, const std::filesystem::path& project,
                           QWidget* parent)
    : QDialog(parent)
    , m_checkpoints(std::move(checkpoints))
    , m_project(project)
    , m_stage(new QComboBox(this))
    , m_preset(new QComboBox(this))
    , m_parent(new QComboBox(this))
    , m_compare(new QComboBox(this))
    , m_title(new QLineEdit(this))
    , m_search(new QLineEdit(this))
    , m_changedOnly(new QCheckBox(tr("Only what &differs"), this))
    , m_about(makeMuted({}, this))
    , m_facts(makeMuted({}, this))
    , m_note(new QLabel(this))
    , m_forkNote(makeMuted({}, this))
    , m_memory(makeMuted({}, this))
    , m_tooLarge(new QLabel(this))
    , m_suggestion(makeMuted({}, this))
    , m_problem(new QLabel(this))
    , m_take(new QPushButton(tr("S&et this"), this))
    , m_form(new ParameterForm)
    , m_where(new HostChooser(readKnownHosts(), this))
{
    setObjectName(QStringLiteral("launch"));
    setWindowTitle(tr("New run"));
    resize(atTextSize(900), atTextSize(720));
    if (auto presets = builtInPresets())
        m_presets = std::move(*presets);

    for (const StageKind kind : stageKinds()) {
        QString text = stageText(std::string(nameOf(kind)));
        m_stage->addItem(text.replace(0, 1, text.at(0).toUpper()), static_cast<int>(kind));
    }
    m_stage->setCurrentIndex(m_stage->findData(static_cast<int>(StageKind::Sft))); // what most begin with
    fillParents({});
    fitWrapped(m_facts);
    m_facts->hide();
    fitWrapped(m_note);
    m_note->hide();
    fitWrapped(m_forkNote);
    m_forkNote->hide();
    // Titles of runs may have any length. First, because a box keeps the size that it was once asked for.
    for (QComboBox* box : {m_parent, m_compare}) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(16);
    }
    m_title->setPlaceholderText(tr("A name for your own use; may be empty"));
    m_search->setPlaceholderText(tr("Find a parameter"));
    m_search->setClearButtonEnabled(true);
    m_search->setAccessibleName(tr("Find a parameter"));
    fitWrapped(m_about);

    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(10);
    auto* top = new QFormLayout;
    top->setLabelAlignment(Qt::AlignLeft);
    top->setHorizontalSpacing(14);
    top->addRow(tr("&Stage"), m_stage);
    top->addRow(tr("&Preset"), m_preset);
    top->addRow(QString(), m_about);
    top->addRow(tr("Start &from"), m_parent);
    top->addRow(QString(), m_facts);
    top->addRow(QString(), m_note);
    top->addRow(QString(), m_forkNote);
    top->addRow(tr("&Title"), m_title);
    top->addRow(tr("&Where"), m_where);
    top->addRow(QString(), m_where->answer());
    levelLabels(top);
    layout->addLayout(top);
    layout->addLayout(makeBar());
    auto* area = new QScrollArea(this);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setFocusPolicy(Qt::NoFocus); // its fields have the focus
    m_form->setProperty("plain", true);
    area->setWidget(m_form);
    layout->addWidget(area, 1);
    m_memory->setWordWrap(true);
    layout->addWidget(m_memory);
    m_tooLarge->setProperty("bad", true);
    m_tooLarge->setWordWrap(true);
    m_tooLarge->hide();
    layout->addWidget(m_tooLarge);
    auto* advice = new QHBoxLayout;
    m_suggestion->setWordWrap(true);
    m_take->setAutoDefault(false); // Enter starts the run
    advice->addWidget(m_suggestion, 1);
    advice->addWidget(m_take, 0, Qt::AlignTop);
    layout->addLayout(advice);
    m_problem->setProperty("bad", true);
    m_problem->setWordWrap(true);
    layout->addWidget(m_problem);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_start = buttons->addButton(tr("Start the &run"), QDialogButtonBox::AcceptRole);
    makePrimary(m_start);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout->addWidget(buttons);

    connect(m_stage, &QComboBox::currentIndexChanged, this, &LaunchDialog::fillPresets);
    connect(m_preset, &QComboBox::currentIndexChanged, this, &LaunchDialog::applyPreset);
    connect(m_parent, &QComboBox::currentIndexChanged, this, &LaunchDialog::reconsider);
    connect(m_form, &ParameterForm::changed, this, &LaunchDialog::reconsider);
    connect(m_where, &HostChooser::changed, this, &LaunchDialog::reconsider);
    connect(m_take, &QPushButton::clicked, this, &LaunchDialog::enterSuggestion);
    connect(m_compare, &QComboBox::currentIndexChanged, this, &LaunchDialog::applyComparison);
    const auto filter = [this] { m_form->setFilter(m_search->text(), m_changedOnly->isChecked()); };
    connect(m_search, &QLineEdit::textChanged, this, filter);
    auto* find = new QShortcut(QKeySequence::Find, this);
    connect(find, &QShortcut::activated, this, [this] {
        m_search->setFocus();
        m_search->selectAll();
    });
    connect(m_changedOnly, &QCheckBox::toggled, this, filter);
    const QStringList endpoints = endpointNames();
    for (const std::string_view key : endpointKeys)
        m_form->offer(std::string(key), endpoints);
    fillPresets();
}

// Above the parameters: what they are compared with, and which are seen.
QLayout* LaunchDialog::makeBar()
{
    auto* bar = new QHBoxLayout;
    bar->addWidget(makeHeading(tr("Parameters"), this));
    bar->addStretch();
    auto* compare = makeMuted(tr("C&ompare with"), this);
    compare->setBuddy(m_compare);
    bar->addWidget(compare);
    m_compare->setAccessibleName(tr("Compare with"));
    bar->addWidget(m_compare);
    bar->addSpacing(8);
    bar->addWidget(m_changedOnly);
    bar->addSpacing(8);
    m_search->setFixedWidth(220);
    bar->addWidget(m_search);
    return bar;
}

void LaunchDialog::fillParents(const QString& chosen)
{
    const QSignalBlocker blocked(m_parent);
    m_parent->clear();
    m_parent->addItem(tr("From scratch"), QString());
    addPolicies(m_parent, m_checkpoints, chosen);
    addImportedPolicies(m_parent, m_project);
    addDefaultPolicy(m_parent);
    m_parent->setCurrentIndex(std::max(0, m_parent->findData(chosen)));
}

void LaunchDialog::setCheckpoints(std::vector<CheckpointRow> checkpoints)
{
    const QString chosen = m_parent->currentData().toString();
    const auto was = std::find_if(m_checkpoints.begin(), m_checkpoints.end(), [&](const CheckpointRow& c) {
        return toQString(c.path.string()) == chosen;
    });
    const std::string run = was != m_checkpoints.end() ? was->runName : std::string();
    const QString name = m_parent->currentText();
    m_checkpoints = std::move(checkpoints);
    fillParents(chosen);
    if (m_parent->currentData().toString() == chosen) {
        validate();
        return;
    }
    const CheckpointRow* newest = nullptr;
    for (const CheckpointRow& c : m_checkpoints)
        if (c.present && c.runName == run && (!newest || c.step >= newest->step))
            newest = &c;
    if (newest)
        m_parent->setCurrentIndex(m_parent->findData(toQString(newest->path.string())));
    m_note->setText(newest ? tr("%1 is gone: its run keeps only newer checkpoints. %2 was chosen instead.")
                                 .arg(name, m_parent->currentText())
                           : tr("%1 is gone, and its run has no other checkpoint. Choose where to start "
                                "from.")
                                 .arg(name));
    m_note->show();
    validate();
}

void LaunchDialog::setMatrices(std::size_t training, std::size_t heldOut)
{
    m_matrices = {training, heldOut};
    validate();
}

void LaunchDialog::setCorrectRates(std::map<RunId, double> rates)
{
    m_correctRates = std::move(rates);
    validate();
}

void LaunchDialog::accept()
{
    // One look at one file; what happens to it afterwards is caught where the run is made.
    const std::filesystem::path chosen = m_parent->currentData().toString().toStdString();
    if (chosenCheckpoint() && !glance(chosen / "DONE").exists) {
        auto now = m_checkpoints;
        for (CheckpointRow& c : now)
            c.present = glance(c.path / "DONE").exists;
        setCheckpoints(std::move(now));
        return;
    }
    hide(); // with its entries: should the run not be made, the user has not lost them
    Q_EMIT startAsked();
}

void LaunchDialog::refuse(const QString& sentence)
{
    m_refusal = sentence;
    validate();
    open();
}

void LaunchDialog::reconsider()
{
    m_refusal.clear();
    validate();
}

void LaunchDialog::setDefaults(const std::map<std::string, std::string>& values)
{
    m_defaults = values;
    applyPreset();
}

StageKind LaunchDialog::stage() const
{
    return static_cast<StageKind>(m_stage->currentData().toInt());
}

void LaunchDialog::setRuns(std::vector<LaunchReference> runs)
{
    m_runs = std::move(runs);
    fillPresets();
}

// What the project used last for this stage, or a relative of what it uses otherwise; for the first run of a
// project, the quickstart's, which ends in minutes on any machine; the paper's; the first.
int LaunchDialog::usualPreset() const
{
    const auto named = [this](const std::string& name) {
        for (std::size_t i = 0; i < m_presets.size(); ++i)
            if (m_presets[i].stage == stage() && m_presets[i].name == name)
                return m_preset->findData(static_cast<int>(i));
        return -1;
    };
    const std::string stageName(nameOf(stage()));
    for (const LaunchReference& run : m_runs)
        if (run.config.stage == stageName)
            if (const int at = named(run.config.preset); at >= 0)
                return at;
    for (const LaunchReference& run : m_runs) {
        const std::string family = run.config.preset.substr(0, run.config.preset.find('-'));
        for (const char* end : {"", "-ppo"})
            if (const int at = named(family + (*end ? end : "-" + stageName)); at >= 0)
                return at;
    }
    std::vector<std::string> names{"sparserl-ppo", stageName};
    if (m_runs.empty())
        names.insert(names.begin(), {"quickstart-" + stageName, "quickstart-ppo"});
    for (const std::string& name : names)
        if (const int at = named(name); at >= 0)
            return at;
    return 0;
}

void LaunchDialog::fillPresets()
{
    {
        const QSignalBlocker blocked(m_preset);
        m_preset->clear();
        for (std::size_t i = 0; i < m_presets.size(); ++i)
            if (m_presets[i].stage == stage())
                m_preset->addItem(toQString(m_presets[i].name), static_cast<int>(i));
        for (std::size_t i = 0; i < m_runs.size(); ++i)
            if (m_runs[i].config.stage == nameOf(stage()))
                m_preset->addItem(tr("as in %1").arg(m_runs[i].label), firstRun - static_cast<int>(i));
        m_preset->addItem(tr("every default"), defaults);
        m_preset->setCurrentIndex(usualPreset());
    }
    fillComparisons();
    applyPreset();
}

void LaunchDialog::fillComparisons()
{
    const QSignalBlocker blocked(m_compare);
    m_compare->clear();
    m_compare->addItem(tr("the preset above"), presetAbove);
    m_compare->addItem(tr("the defaults"), defaults);
    for (std::size_t i = 0; i < m_runs.size(); ++i)
        if (m_runs[i].config.stage == nameOf(stage()))
            m_compare->addItem(m_runs[i].label, firstRun - static_cast<int>(i));
}

std::optional<ParameterSet> LaunchDialog::parametersOf(int choice) const
{
    if (choice >= 0)
        return m_presets[static_cast<std::size_t>(choice)].parameters;
    if (choice <= firstRun) {
        const auto& config = m_runs[static_cast<std::size_t>(firstRun - choice)].config;
        if (auto values = parametersFromRun(stage(), config.parameters))
            return std::move(*values); // with what older runs did where they say nothing
        // Of a newer version: what this one does not know cannot be taken over.
        ParameterSet values(stageParameters(stage()));
        for (const auto& [key, value] : config.parameters)
            if (values.has(key))
                static_cast<void>(values.set(key, value));
        return values;
    }
    return ParameterSet(stageParameters(stage()));
}

QString LaunchDialog::labelOf(int choice) const
{
    if (choice >= 0)
        return toQString(m_presets[static_cast<std::size_t>(choice)].name);
    if (choice <= firstRun)
        return m_runs[static_cast<std::size_t>(firstRun - choice)].label;
    return tr("the defaults");
}

void LaunchDialog::applyPreset()
{
    const int choice = m_preset->currentData().toInt();
    if (choice >= 0) {
        const Preset& preset = m_presets[static_cast<std::size_t>(choice)];
        m_about->setText(
            toQString(preset.description) +
            (preset.source.empty() ? QString() : tr(" Source: %1.").arg(toQString(preset.source))));
    } else if (choice <= firstRun) {
        m_about->setText(tr("The parameters of %1.").arg(labelOf(choice)));
    } else {
        m_about->setText(tr("Every parameter at its default."));
    }
    m_form->setParameters(*parametersOf(choice));
    orderTabs(); // its fields are new
    applyComparison();
    if (choice <= firstRun) // what a run had, it had
        return;
    for (const auto& [key, value] : m_defaults)
        if (m_form->parameters().has(key))
            m_form->enter(key, toQString(value));
}

void LaunchDialog::applyComparison()
{
    int choice = m_compare->currentData().toInt();
    if (choice == presetAbove)
        choice = m_preset->currentData().toInt();
    m_form->setReference(*parametersOf(choice), labelOf(choice));
    m_form->setFilter(m_search->text(), m_changedOnly->isChecked());
}

void LaunchDialog::takeOver(const std::string& run, const std::map<std::string, std::string>& values)
{
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
        if (m_runs[i].run != run)
            continue;
        if (auto kind = stageKindFromName(m_runs[i].config.stage))
            m_stage->setCurrentIndex(m_stage->findData(static_cast<int>(*kind)));
        m_preset->setCurrentIndex(std::max(0, m_preset->findData(firstRun - static_cast<int>(i))));
        for (const auto& [key, value] : values)
            m_form->enter(key, toQString(value));
        m_fork = i;
    }
    validate();
}

const CheckpointRow* LaunchDialog::chosenCheckpoint() const
{
    const std::string chosen = m_parent->currentData().toString().toStdString();
    for (const CheckpointRow& c : m_checkpoints)
        if (!chosen.empty() && c.path == chosen)
            return &c;
    return nullptr;
}

std::optional<Result<ForkPlan>> LaunchDialog::forkPlan() const
{
    const CheckpointRow* checkpoint = chosenCheckpoint();
    if (!m_fork || !checkpoint || !m_form->valid())
        return std::nullopt;
    const LaunchReference& run = m_runs[*m_fork];
    if (checkpoint->runName != run.run || run.config.stage != nameOf(stage()))
        return std::nullopt;
    if (m_where->host()) {
        ForkPlan plan; // the state of the checkpoint is here
        plan.sentence =
            tr("Starts again at step 0 from the weights of the checkpoint: only the weights are sent to "
               "another machine.")
                .toStdString() +
            ' ' + forkFromWeights();
        return plan;
    }
    const auto before = parametersFromRun(stage(), run.config.parameters);
    if (!before)
        return std::nullopt; // of another version: what it was made with is not known here
    return planFork(stage(), *before, m_form->parameters(), checkpoint->step);
}

void LaunchDialog::orderTabs()
{
    if (m_start == nullptr) // not made yet
        return;
    setTabOrderOf({m_stage, m_preset, m_parent, m_title, m_where, m_compare, m_changedOnly, m_search, m_form,
                   m_take, m_start->parentWidget()});
}

void LaunchDialog::setTitle(const QString& title)
{
    m_title->setText(title);
}

void LaunchDialog::choose(const std::string& stageName, const std::string& preset,
                          const std::filesystem::path& checkpoint)
{
    if (auto kind = stageKindFromName(stageName))
        m_stage->setCurrentIndex(m_stage->findData(static_cast<int>(*kind)));
    for (std::size_t i = 0; i < m_presets.size(); ++i)
        if (m_presets[i].name == preset)
            if (const int at = m_preset->findData(static_cast<int>(i)); at >= 0)
                m_preset->setCurrentIndex(at);
    if (const int at = m_parent->findData(toQString(checkpoint.string())); at >= 0)
        m_parent->setCurrentIndex(at);
}

QString LaunchDialog::endpointProblem() const
{
    const ParameterSet& values = m_form->parameters();
    for (const std::string_view key : endpointKeys) {
        const QString name = values.has(key) ? toQString(toText(values.value(key))) : QString();
        if (name.isEmpty())
            continue;
        if (stage() != StageKind::Rl && !m_parent->currentData().toString().isEmpty())
            return tr("%1 names an endpoint, which takes the place of a policy. Choose \"From scratch\", or "
                      "leave %1 empty.")
                .arg(toQString(key));
        if (!m_where->host() && !endpointNames().contains(name)) // another machine has its own
            return tr("There is no endpoint \"%1\". Edit > Models on servers describes one.").arg(name);
    }
    return {};
}

QString LaunchDialog::problem() const
{
    if (!m_form->valid())
        return m_form->problem();
    if (const auto together = checkTogether(m_form->parameters()); !together)
        return sentenceOf(together.error());
    if (m_matrices) {
        const auto [training, heldOut] = *m_matrices;
        const auto missing = missingMatrices(stage(), m_form->parameters(), training, heldOut);
        if (!missing.empty())
            return tr("%1. Import some on the Matrices page, or change the split of matrices there.")
                .arg(toQString(missing));
    }
    if (const auto plan = forkPlan(); plan && !*plan)
        return sentenceOf(plan->error());
    if (QString said = endpointProblem(); !said.isEmpty())
        return said;
    const std::string_view reason = needsParent(stage(), m_form->parameters());
    if (!reason.empty() && m_parent->currentData().toString().isEmpty())
        return toQString(reason);
    return m_where->problem();
}

// As `sparserl train` does for a run that begins anew.
void LaunchDialog::suggest()
{
    m_suggested.clear();
    QStringList sentences;
    const CheckpointRow* checkpoint = chosenCheckpoint();
    std::string ownStage; // of the default policy, which is no checkpoint of the project
    const std::filesystem::path chosen = m_parent->currentData().toString().toStdString();
    if (!checkpoint && !chosen.empty())
        if (const auto made = readRunConfig(chosen / runFile))
            ownStage = made->stage;
    RunSurroundings found{0, 0, checkpoint ? checkpoint->stage : ownStage};
    if (const auto rate = m_correctRates.find(checkpoint ? checkpoint->run : 0); rate != m_correctRates.end())
        found.parentCorrect = rate->second;
    if (m_matrices) {
        found.training = m_matrices->first;
        found.heldOut = m_matrices->second;
    }
    if (m_matrices && !m_fork && m_form->valid())
        for (const Suggestion& one : suggestionsFor(stage(), m_form->parameters(), found)) {
            QString reason = toQString(one.reason);
            reason.replace(0, 1, reason.at(0).toUpper());
            QStringList values;
            for (const auto& [key, value] : one.values)
                values << tr("%1 to %2").arg(toQString(key), toQString(value));
            m_suggested.insert(one.values.begin(), one.values.end());
            sentences << (one.remedy == Suggestion::Remedy::Matrices
                              ? tr("%1. Import or generate more on the Matrices page.").arg(reason)
                          : one.remedy == Suggestion::Remedy::FineTuning
                              ? tr("%1. Fine-tune it longer first, with a run of the “%2” stage.")
                                    .arg(reason, m_stage->itemText(
                                                     m_stage->findData(static_cast<int>(StageKind::Sft))))
                              : tr("%1. Setting %2 %3.")
                                    .arg(reason, values.join(tr(" and ")), toQString(one.effect)));
        }
    m_suggestion->setText(sentences.join(QLatin1Char(' ')));
    m_suggestion->setVisible(!sentences.isEmpty());
    m_take->setVisible(!m_suggested.empty());
}

// What is known of the chosen policy before the run: what it is, and what memory the stage takes with it.
void LaunchDialog::tellPolicy()
{
    const QString chosen = m_parent->currentData().toString();
    if (chosen.isEmpty())
        m_known.reset();
    else if (!m_known || m_known->first != chosen)
        m_known.emplace(chosen, readPolicyFacts(chosen.toStdString()));
    const PolicyFacts* facts = m_known && m_known->second ? &*m_known->second : nullptr;
    m_facts->setText(facts     ? factsText(*facts)
                     : m_known ? asSentence(sentenceOf(m_known->second.error()))
                               : QString());
    m_facts->setVisible(m_known.has_value());
    const bool counts = facts && m_form->valid();
    if (counts) {
        const StageMemory memory = stageMemory(stage(), m_form->parameters(), *facts);
        QStringList parts;
        const auto add = [&](const QString& text, double bytes) {
            if (bytes > 0)
                parts << text.arg(formatBytes(bytes));
        };
        add(tr("weights %1"), memory.weights);
        add(tr("gradients %1"), memory.gradients);
        add(tr("optimizer %1"), memory.optimizer);
        add(tr("undo of an update %1"), memory.undo);
        add(tr("activations %1"), memory.activations);
        add(tr("keys and values %1"), memory.cache);
        m_memory->setText(tr("The stage needs about %1 of memory for the policy (%2).")
                              .arg(formatBytes(memory.total()), parts.join(QStringLiteral(", "))));
    }
    m_memory->setVisible(counts);
    m_tooLarge->setText(counts ? sizeProblem(*facts) : QString());
    m_tooLarge->setVisible(!m_tooLarge->text().isEmpty());
}

// That the stage will not fit into the memory of the device that it chooses. Another machine's is not known.
QString LaunchDialog::sizeProblem(const PolicyFacts& facts)
{
    const ParameterSet& parameters = m_form->parameters();
    if (m_where->host() || !parameters.has(param::device.key))
        return {};
    const std::string& name = parameters[param::device];
    if (!m_device || m_device->first != name)
        m_device.emplace(name, deviceMemory(name));
    const auto& device = m_device->second;
    const double bytes = stageMemory(stage(), parameters, facts).total();
    const MemoryFit fit = device ? memoryFit(bytes, *device) : MemoryFit::Fits;
    if (fit == MemoryFit::Fits)
        return {};
    const QString place = device->gpu ? tr("GPU %1").arg(*device->gpu) : tr("This machine");
    const bool never = fit == MemoryFit::Never;
    const QString has =
        never ? tr("%1 has %2 of memory: the stage will not fit.").arg(place, formatBytes(device->total))
              : tr("%1 has %2 of memory, of which %3 are free: the stage will not fit now.")
                    .arg(place, formatBytes(device->total), formatBytes(device->free));
    QStringList values;
    for (const auto& [key, value] :
         memorySavings(stage(), parameters, facts, never ? device->total : device->free))
        values << tr("%1 = %2").arg(toQString(key), toQString(value));
    return has + QLatin1Char(' ') +
           (!values.isEmpty() ? tr("It fits with %1.").arg(values.join(tr(" and ")))
            : facts.rank > 0  ? tr("Take a smaller policy.")
                              : tr("Take a smaller policy, or one with adapters."));
}

void LaunchDialog::enterSuggestion()
{
    const auto values = m_suggested; // what is suggested changes with each
    for (const auto& [key, value] : values)
        m_form->enter(key, toQString(value));
}

void LaunchDialog::validate()
{
    suggest();
    tellPolicy();
    const auto plan = forkPlan();
    m_forkNote->setText(plan && *plan ? toQString((*plan)->sentence) : QString());
    m_forkNote->setVisible(!m_forkNote->text().isEmpty());
    const QString text = problem();
    // What was refused may go well next time: a disk has room again.
    const QString shown = text.isEmpty() ? m_refusal : text;
    m_problem->setText(asSentence(shown));
    m_problem->setVisible(!shown.isEmpty());
    m_start->setEnabled(text.isEmpty());
    m_start->setToolTip(text);
}

RunConfig LaunchDialog::config() const
{
    RunConfig config;
    config.title = m_title->text().trimmed().toStdString();
    config.stage = std::string(nameOf(stage()));
    if (const int choice = m_preset->currentData().toInt(); choice >= 0)
        config.preset = m_presets[static_cast<std::size_t>(choice)].name;
    else if (choice <= firstRun)
        config.preset = m_runs[static_cast<std::size_t>(firstRun - choice)].config.preset;
    config.project = m_project.string();
    const CheckpointRow* checkpoint = chosenCheckpoint();
    if (const auto plan = forkPlan(); plan && *plan && (*plan)->continues) {
        const LaunchReference& run = m_runs[*m_fork];
        config.forkOf = run.run;
        config.forkCheckpoint = checkpoint->name;
        config.parentCheckpoint = run.config.parentCheckpoint;
        config.parentDigest = run.config.parentDigest;
        config.parentRun = run.config.parentRun;
    } else if (checkpoint) {
        config.parentCheckpoint = checkpoint->path.string();
        config.parentRun = checkpoint->runName;
    } else {
        config.parentCheckpoint =
            m_parent->currentData().toString().toStdString(); // the default or an imported policy, or none
    }
    config.parameters = runValues(m_form->parameters());
    return config;
}

} // namespace sparserl
