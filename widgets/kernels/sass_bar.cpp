// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/sass_bar.h"

#include "widgets/common/panels.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QToolButton>

namespace sparserl {

SassBar::SassBar(QWidget* parent)
    : QWidget(parent)
    , m_architecture(new QComboBox(this))
    , m_controls(makeToolButton(QStringLiteral("clock"), tr("Stall and barriers"),
                                tr("Show the control codes of the instructions"), this))
{
    const std::pair<const char*, QString> known[] = {
        {"sm_80", tr("A100")},       {"sm_86", tr("A40, RTX 30")}, {"sm_89", tr("L40, RTX 40")},
        {"sm_90", tr("H100, H200")}, {"sm_100", tr("B200")},       {"sm_120", tr("RTX 50")}};
    for (const auto& [name, gpus] : known) {
        m_architecture->addItem(QStringLiteral("%1 (%2)").arg(QLatin1String(name), gpus),
                                QLatin1String(name));
        m_architecture->setItemData(m_architecture->count() - 1, gpus, Qt::ToolTipRole);
    }
    setArchitecture(QStringLiteral("sm_90"));
    m_architecture->setAccessibleName(tr("Architecture of the SASS"));
    m_architecture->setToolTip(tr("Architecture whose instructions are shown"));
    m_architecture->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_architecture->setMinimumContentsLength(6);
    m_controls->setCheckable(true);
    m_controls->setToolTip(tr("Show each instruction's scheduling information.") + QLatin1Char('\n') +
                           legend());
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    layout->addWidget(m_architecture, 1);
    layout->addWidget(m_controls);
    connect(m_architecture, &QComboBox::activated, this,
            [this] { Q_EMIT architectureChosen(architecture()); });
    connect(m_controls, &QToolButton::toggled, this, &SassBar::controlsToggled);
}

QString SassBar::legend()
{
    const std::pair<QString, QString> parts[] = {
        {tr("B"), tr("barriers (0 to 5) to wait for first")},
        {tr("R"), tr("barrier that is set until the operands have been read")},
        {tr("W"), tr("barrier that is set until the result is ready")},
        {tr("Y"), tr("the scheduler should switch to another warp next")},
        {tr("S"), tr("clocks until the warp may issue its next instruction")}};
    QStringList rows;
    for (const auto& [letter, meaning] : parts)
        rows.append(tr("%1: %2").arg(letter, meaning));
    return rows.join(QLatin1Char('\n'));
}

QString SassBar::architecture() const
{
    return m_architecture->currentData().toString();
}

void SassBar::setArchitecture(const QString& architecture)
{
    if (const int index = m_architecture->findData(architecture); index >= 0)
        m_architecture->setCurrentIndex(index);
}

bool SassBar::controlsShown() const
{
    return m_controls->isChecked();
}

void SassBar::setControlsShown(bool on)
{
    m_controls->setChecked(on);
}

// Beside PTX and source there is no room for words.
void SassBar::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    constexpr int roomy = 270, namesOfGpus = 200;
    m_controls->setToolButtonStyle(width() < roomy ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
    for (int i = 0; i < m_architecture->count(); ++i) {
        const QString name = m_architecture->itemData(i).toString();
        const QString gpus = m_architecture->itemData(i, Qt::ToolTipRole).toString();
        m_architecture->setItemText(i,
                                    width() < namesOfGpus ? name : QStringLiteral("%1 (%2)").arg(name, gpus));
    }
}

} // namespace sparserl
