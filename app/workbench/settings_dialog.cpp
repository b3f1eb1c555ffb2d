// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/settings_dialog.h"

#include "widgets/common/panels.h"
#include "widgets/common/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFontComboBox>
#include <QFormLayout>
#include <QGroupBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

namespace sparserl {

namespace {

QComboBox* makeChoice(const std::vector<std::pair<QString, QString>>& choices, QWidget* parent)
{
    auto* box = new QComboBox(parent);
    for (const auto& [text, value] : choices)
        box->addItem(text, value);
    return box;
}

QFormLayout* makeForm(QWidget* group)
{
    auto* form = new QFormLayout(group);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setHorizontalSpacing(14);
    return form;
}

} // namespace

SettingsDialog::SettingsDialog(Settings& settings, QWidget* parent)
    : QDialog(parent)
    , m_settings(settings)
{
    setObjectName(QStringLiteral("settings"));
    setWindowTitle(tr("Settings"));
    resize(atTextSize(560), atTextSize(560));
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(makeLooks());
    layout->addWidget(makeWork());
    layout->addStretch();
    layout->addWidget(makeMuted(tr("Every change applies at once."), this));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    auto* reset = buttons->addButton(tr("&Reset to defaults"), QDialogButtonBox::ResetRole);
    connect(reset, &QPushButton::clicked, this, &SettingsDialog::resetToDefaults);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout->addWidget(buttons);
    fill();
}

QWidget* SettingsDialog::makeLooks()
{
    auto* group = new QGroupBox(tr("Appearance"), this);
    QFormLayout* form = makeForm(group);
    m_theme = new QComboBox(group);
    m_theme->addItem(tr("As the desktop"), static_cast<int>(ThemeChoice::System));
    m_theme->addItem(tr("Light"), static_cast<int>(ThemeChoice::Light));
    m_theme->addItem(tr("Dark"), static_cast<int>(ThemeChoice::Dark));
    form->addRow(tr("&Theme"), m_theme);
    m_curves = makeChoice({{tr("Standard"), nameOf(CurvePalette::Standard)},
                           {tr("Colour-blind safe (Okabe and Ito)"), nameOf(CurvePalette::ColourBlind)},
                           {tr("High contrast"), nameOf(CurvePalette::HighContrast)}},
                          group);
    m_curves->setToolTip(tr("For all charts. A colour that you gave a run does not change."));
    form->addRow(tr("C&urves of charts"), m_curves);
    m_text = new QSpinBox(group);
    m_text->setRange(Preferences::leastTextPercent, Preferences::mostTextPercent);
    m_text->setSingleStep(10);
    m_text->setSuffix(tr(" %"));
    form->addRow(tr("&Size of text"), m_text);
    m_ownCodeFont = new QCheckBox(tr("&Font of code"), group);
    m_codeFont = new QFontComboBox(group);
    m_codeFont->setFontFilters(QFontComboBox::MonospacedFonts);
    m_codeFont->setEditable(false);
    m_codeFont->setAccessibleName(tr("Font of code"));
    form->addRow(m_ownCodeFont, m_codeFont);
    m_code = new QSpinBox(group);
    m_code->setRange(0, 40);
    m_code->setSuffix(tr(" pt"));
    m_code->setSpecialValueText(tr("same as other text"));
    form->addRow(tr("Size of &code"), m_code);
    auto* across = new QWidget(group); // QFormLayout keeps the height of a layout when the text size changes
    auto* layouts = new QHBoxLayout(across);
    layouts->setContentsMargins(0, 0, 0, 0);
    m_remember = new QCheckBox(tr("Restore the last arrangement of the &window"), group);
    layouts->addWidget(m_remember, 1);
    auto* reset = new QPushButton(tr("Reset la&yout"), group);
    layouts->addWidget(reset);
    form->addRow(across);
    connect(m_theme, &QComboBox::currentIndexChanged, this, [this] {
        if (!m_filling)
            Q_EMIT themeChosen(static_cast<ThemeChoice>(m_theme->currentData().toInt()));
    });
    connect(m_curves, &QComboBox::currentIndexChanged, this, &SettingsDialog::take);
    connect(m_codeFont, &QFontComboBox::currentFontChanged, this, &SettingsDialog::take);
    for (QSpinBox* box : {m_text, m_code})
        connect(box, &QSpinBox::valueChanged, this, &SettingsDialog::take);
    for (QCheckBox* box : {m_ownCodeFont, m_remember})
        connect(box, &QCheckBox::toggled, this, &SettingsDialog::take);
    connect(reset, &QPushButton::clicked, this, &SettingsDialog::layoutResetAsked);
    levelLabels(form);
    return group;
}

QWidget* SettingsDialog::makeWork()
{
    auto* group = new QGroupBox(tr("Work"), this);
    QFormLayout* form = makeForm(group);
    const QString preset = tr("as the preset says");
    m_device = makeChoice({{preset, {}},
                           {tr("the first GPU, otherwise the CPU (auto)"), QStringLiteral("auto")},
                           {tr("the CPU (cpu)"), QStringLiteral("cpu")},
                           {tr("a GPU (cuda)"), QStringLiteral("cuda")}},
                          group);
    form->addRow(tr("New runs &learn on"), m_device);
    m_judgeDevice = makeChoice({{preset, {}},
                                {tr("a GPU if one works (auto)"), QStringLiteral("auto")},
                                {tr("the simulated device (sim)"), QStringLiteral("sim")},
                                {tr("a GPU (cuda)"), QStringLiteral("cuda")}},
                               group);
    form->addRow(tr("New runs &judge on"), m_judgeDevice);
    m_threads = new QSpinBox(group);
    m_threads->setRange(Preferences::threadsOfPreset, 1024);
    m_threads->setSpecialValueText(preset);
    m_threads->setToolTip(tr("Threads of the tensor library; 0: one per core."));
    form->addRow(tr("T&hreads of new runs"), m_threads);
    m_counting = new QCheckBox(tr("Compute counters for source lines in the &background"), group);
    m_counting->setToolTip(tr("If a program has no counters for its lines, it is simulated once more "
                              "while it is shown, which keeps one core busy."));
    form->addRow(m_counting);
    m_exports = new QLineEdit(group);
    m_exports->setPlaceholderText(tr("the folder “exports” of the project"));
    m_exports->setClearButtonEnabled(true);
    m_exports->setAccessibleName(tr("Folder for exports"));
    auto* across = new QHBoxLayout;
    across->addWidget(m_exports, 1);
    auto* browse = makeToolButton(QStringLiteral("open"), {}, tr("Choose a folder"), group);
    across->addWidget(browse);
    auto* label = new QLabel(tr("E&xports go into"), group);
    label->setBuddy(m_exports);
    form->addRow(label, across);
    for (QComboBox* box : {m_device, m_judgeDevice})
        connect(box, &QComboBox::currentIndexChanged, this, &SettingsDialog::take);
    connect(m_threads, &QSpinBox::valueChanged, this, &SettingsDialog::take);
    connect(m_counting, &QCheckBox::toggled, this, &SettingsDialog::take);
    connect(m_exports, &QLineEdit::textChanged, this, &SettingsDialog::take);
    connect(browse, &QToolButton::clicked, this, [this] {
        const QString path =
            QFileDialog::getExistingDirectory(this, tr("Where exports go"), m_exports->text());
        if (!path.isEmpty())
            m_exports->setText(path);
    });
    levelLabels(form);
    return group;
}

void SettingsDialog::fill()
{
    m_filling = true;
    const Preferences now = m_settings.preferences();
    const auto choose = [](QComboBox* box, const QVariant& value) {
        box->setCurrentIndex(std::max(0, box->findData(value)));
    };
    choose(m_theme, static_cast<int>(m_settings.theme()));
    choose(m_curves, nameOf(now.curves));
    m_text->setValue(now.textPercent);
    m_ownCodeFont->setChecked(!now.codeFamily.isEmpty());
    m_codeFont->setEnabled(!now.codeFamily.isEmpty());
    m_codeFont->setCurrentFont(now.codeFamily.isEmpty() ? codeFont() : QFont(now.codeFamily));
    m_code->setValue(now.codePoints);
    choose(m_device, now.device);
    choose(m_judgeDevice, now.judgeDevice);
    m_threads->setValue(now.threads);
    m_counting->setChecked(now.countInBackground);
    m_exports->setText(now.exportFolder);
    m_remember->setChecked(now.rememberLayout);
    m_filling = false;
}

void SettingsDialog::take()
{
    if (m_filling)
        return;
    Preferences now;
    now.curves = curvePaletteFromName(m_curves->currentData().toString());
    now.textPercent = m_text->value();
    m_codeFont->setEnabled(m_ownCodeFont->isChecked());
    now.codeFamily = m_ownCodeFont->isChecked() ? m_codeFont->currentFont().family() : QString();
    now.codePoints = m_code->value();
    now.device = m_device->currentData().toString();
    now.judgeDevice = m_judgeDevice->currentData().toString();
    now.threads = m_threads->value();
    now.countInBackground = m_counting->isChecked();
    now.exportFolder = m_exports->text().trimmed();
    now.rememberLayout = m_remember->isChecked();
    m_settings.setPreferences(now);
    Q_EMIT preferencesChanged();
}

void SettingsDialog::resetToDefaults()
{
    m_settings.setPreferences({});
    Q_EMIT themeChosen(ThemeChoice::System);
    Q_EMIT preferencesChanged();
    fill();
}

} // namespace sparserl
