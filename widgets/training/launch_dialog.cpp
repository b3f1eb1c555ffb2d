// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/launch_dialog.h"

#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/common/parameter_form.h"
#include "widgets/training/run_model.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace sparserl {

LaunchDialog::LaunchDialog(std::vector<CheckpointRow> checkpoints, const std::filesystem::path& project,
                           QWidget* parent)
    : QDialog(parent)
    , m_checkpoints(std::move(checkpoints))
    , m_project(project)
    , m_stage(new QComboBox(this))
    , m_preset(new QComboBox(this))
    , m_parent(new QComboBox(this))
    , m_title(new QLineEdit(this))
    , m_search(new QLineEdit(this))
    , m_changedOnly(new QCheckBox(tr("Only &changed ones"), this))
    , m_about(makeMuted({}, this))
    , m_problem(new QLabel(this))
    , m_form(new ParameterForm)
{
    setObjectName(QStringLiteral("launch"));
    setWindowTitle(tr("New run"));
    resize(900, 720);
    if (auto presets = builtInPresets())
        m_presets = std::move(*presets);

    for (const StageKind kind : stageKinds()) {
        QString text = stageText(std::string(nameOf(kind)));
        m_stage->addItem(text.replace(0, 1, text.at(0).toUpper()), static_cast<int>(kind));
    }
    m_stage->setCurrentIndex(m_stage->findData(static_cast<int>(StageKind::Sft))); // what most begin with
    m_parent->addItem(tr("From scratch"), QString());
    for (const CheckpointRow& c : m_checkpoints)
        if (c.present)
            m_parent->addItem(QStringLiteral("%1 / %2").arg(toQString(c.runName), toQString(c.name)),
                              toQString(c.path.string()));
    m_title->setPlaceholderText(tr("A name for you, may be empty"));
    m_search->setPlaceholderText(tr("Find a parameter"));
    m_search->setClearButtonEnabled(true);
    m_search->setAccessibleName(tr("Find a parameter"));
    m_about->setWordWrap(true);

    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(10);
    auto* top = new QFormLayout;
    top->setLabelAlignment(Qt::AlignLeft);
    top->setHorizontalSpacing(14);
    top->addRow(tr("&Stage"), m_stage);
    top->addRow(tr("&Preset"), m_preset);
    top->addRow(QString(), m_about);
    top->addRow(tr("Start &from"), m_parent);
    top->addRow(tr("&Title"), m_title);
    layout->addLayout(top);
    auto* bar = new QHBoxLayout;
    bar->addWidget(makeHeading(tr("Parameters"), this));
    bar->addStretch();
    bar->addWidget(m_changedOnly);
    bar->addSpacing(8);
    m_search->setFixedWidth(220);
    bar->addWidget(m_search);
    layout->addLayout(bar);
    auto* area = new QScrollArea(this);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    m_form->setProperty("plain", true);
    area->setWidget(m_form);
    layout->addWidget(area, 1);
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
    connect(m_parent, &QComboBox::currentIndexChanged, this, &LaunchDialog::validate);
    connect(m_form, &ParameterForm::changed, this, &LaunchDialog::validate);
    const auto filter = [this] { m_form->setFilter(m_search->text(), m_changedOnly->isChecked()); };
    connect(m_search, &QLineEdit::textChanged, this, filter);
    connect(m_changedOnly, &QCheckBox::toggled, this, filter);
    fillPresets();
}

StageKind LaunchDialog::stage() const
{
    return static_cast<StageKind>(m_stage->currentData().toInt());
}

void LaunchDialog::fillPresets()
{
    {
        const QSignalBlocker blocked(m_preset);
        m_preset->clear();
        m_preset->addItem(tr("Defaults"), -1);
        for (std::size_t i = 0; i < m_presets.size(); ++i)
            if (m_presets[i].stage == stage())
                m_preset->addItem(toQString(m_presets[i].name), static_cast<int>(i));
    }
    applyPreset();
}

void LaunchDialog::applyPreset()
{
    const int index = m_preset->currentData().toInt();
    if (index < 0) {
        m_about->setText(tr("Every parameter at its default."));
        m_form->setParameters(ParameterSet(stageParameters(stage())));
        return;
    }
    const Preset& preset = m_presets[index];
    m_about->setText(toQString(preset.description) +
                     (preset.source.empty() ? QString() : tr(" Source: %1.").arg(toQString(preset.source))));
    m_form->setParameters(preset.parameters);
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

QString LaunchDialog::problem() const
{
    if (!m_form->valid())
        return m_form->problem();
    const std::string_view reason = describe(stage()).needsParent;
    if (!reason.empty() && m_parent->currentData().toString().isEmpty())
        return toQString(reason);
    return {};
}

void LaunchDialog::validate()
{
    const QString text = problem();
    m_problem->setText(text);
    m_problem->setVisible(!text.isEmpty());
    m_start->setEnabled(text.isEmpty());
    m_start->setToolTip(text);
}

RunConfig LaunchDialog::config() const
{
    RunConfig config;
    config.title = m_title->text().trimmed().toStdString();
    config.stage = std::string(nameOf(stage()));
    if (const int index = m_preset->currentData().toInt(); index >= 0)
        config.preset = m_presets[index].name;
    config.project = m_project.string();
    const std::string parent = m_parent->currentData().toString().toStdString();
    for (const CheckpointRow& c : m_checkpoints) {
        if (!parent.empty() && c.path == parent) {
            config.parentCheckpoint = parent;
            config.parentRun = c.runName;
        }
    }
    config.parameters = runValues(m_form->parameters());
    return config;
}

} // namespace sparserl
