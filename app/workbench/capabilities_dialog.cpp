// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/capabilities_dialog.h"

#include "evaluation/operators/operator_capability.h"
#include "project/index/index.h"
#include "widgets/common/format.h"
#include "widgets/common/icons.h"
#include "widgets/common/panels.h"
#include "widgets/common/plain_text.h"
#include "widgets/common/theme.h"

#include <QClipboard>
#include <QDialogButtonBox>
#include <QGuiApplication>
#include <QIcon>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace sparserl {

CapabilitiesDialog::CapabilitiesDialog(const std::filesystem::path& project, QWidget* parent)
    : QDialog(parent)
{
    setWindowTitle(tr("About SparseRL Workbench"));
    resize(atTextSize(640), atTextSize(600));
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(12);
    auto* head = new QHBoxLayout;
    auto* logo = new QLabel(this);
    logo->setPixmap(QIcon(QStringLiteral(":/workbench.svg"))
                        .pixmap(QSize(atTextSize(48), atTextSize(48)), devicePixelRatioF()));
    head->addWidget(logo);
    auto* names = new QVBoxLayout;
    names->setSpacing(2);
    names->addWidget(makeHeading(tr("SparseRL Workbench"), this, 1.35));
    names->addWidget(makeMuted(tr("Version %1 · Qt %2 · SQLite %3 · Apache-2.0")
                                   .arg(QCoreApplication::applicationVersion(), QLatin1String(qVersion()),
                                        toQString(sqliteVersion())),
                               this));
    head->addLayout(names, 1);
    layout->addLayout(head);
    layout->addWidget(makeHeading(tr("What this machine can do"), this));

    auto* area = new QScrollArea(this);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    auto* card = makeCard(area);
    m_list = new QVBoxLayout(card);
    m_list->setSpacing(10);
    m_list->addWidget(makeMuted(tr("Examining this machine…"), card));
    area->setWidget(card);
    layout->addWidget(area, 1);

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    auto* copy = buttons->addButton(tr("&Copy as text"), QDialogButtonBox::ActionRole);
    connect(copy, &QPushButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(asText()); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout->addWidget(buttons);

    m_jobs.start<std::vector<Capability>>(
        m_thread,
        [project] {
            auto found = probeCapabilities({project, {}});
            found.push_back(indexCapability());
            found.push_back(operatorCapability({}));
            return found;
        },
        [this](const std::vector<Capability>& found) { showCapabilities(found); });
}

void CapabilitiesDialog::showCapabilities(const std::vector<Capability>& capabilities)
{
    m_capabilities = capabilities;
    m_icons.clear();
    while (QLayoutItem* item = m_list->takeAt(0)) {
        if (QWidget* widget = item->widget())
            widget->deleteLater();
        delete item;
    }
    for (const Capability& c : capabilities) {
        auto* row = new QHBoxLayout;
        auto* icon = m_icons.emplace_back(new QLabel(this));
        row->addWidget(icon, 0, Qt::AlignTop);
        RichText text(QStringLiteral("<b>%1</b> %2"), {toQString(c.title), toQString(c.sentence)});
        if (!c.remedy.empty())
            text += {QStringLiteral("<br>%1"), {toQString(c.remedy)}};
        auto* label = new QLabel(this);
        setRichText(label, text);
        label->setWordWrap(true);
        label->setToolTip(toQString(c.detail));
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        row->addWidget(label, 1);
        m_list->addLayout(row);
    }
    m_list->addStretch();
    updateIcons();
}

void CapabilitiesDialog::updateIcons()
{
    const Theme& theme = Theme::of(this);
    for (std::size_t i = 0; i < m_icons.size(); ++i) {
        const bool ok = m_capabilities[i].level == Capability::Level::Ok;
        const bool broken = m_capabilities[i].level == Capability::Level::Broken;
        const QString name = ok       ? QStringLiteral("check")
                             : broken ? QStringLiteral("warning")
                                      : QStringLiteral("info");
        m_icons[i]->setPixmap(themedIcon(name, ok       ? theme.good
                                               : broken ? theme.bad
                                                        : theme.muted)
                                  .pixmap(QSize(atTextSize(16), atTextSize(16)), devicePixelRatioF()));
    }
}

void CapabilitiesDialog::changeEvent(QEvent* event)
{
    QDialog::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        updateIcons();
}

QString CapabilitiesDialog::asText() const
{
    QString text;
    for (const Capability& c : m_capabilities)
        text += QStringLiteral("%1 [%2]: %3 %4 %5\n")
                    .arg(toQString(c.title), toQString(nameOf(c.level)), toQString(c.sentence),
                         toQString(c.remedy), toQString(c.detail));
    return text;
}

} // namespace sparserl
