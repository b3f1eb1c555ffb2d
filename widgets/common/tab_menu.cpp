// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/tab_menu.h"

#include "widgets/common/panels.h"
#include "widgets/common/translate.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QMenu>
#include <QTabBar>
#include <QTabWidget>
#include <QTimer>
#include <QToolButton>

namespace sparserl {

namespace {

class TabMenu : public QObject
{
public:
    explicit TabMenu(QTabWidget* tabs)
        : QObject(tabs)
        , m_tabs(tabs)
        , m_corner(tabs->cornerWidget())
        , m_button(makeToolButton({}, QStringLiteral("▾"), tr("All tabs"), tabs))
        , m_menu(new QMenu(m_button))
    {
        auto* both = new QWidget(tabs);
        auto* layout = new QHBoxLayout(both);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->setSpacing(gap);
        layout->addWidget(m_button);
        if (m_corner)
            layout->addWidget(m_corner);
        tabs->setCornerWidget(both);
        m_button->setObjectName(QStringLiteral("tabMenu"));
        m_button->setMenu(m_menu);
        m_button->setPopupMode(QToolButton::InstantPopup);
        m_button->hide();
        connect(m_menu, &QMenu::aboutToShow, this, &TabMenu::fill);
        tabs->installEventFilter(this);
        m_later.setSingleShot(true);
        connect(&m_later, &QTimer::timeout, this, &TabMenu::fit);
    }
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        switch (event->type()) {
        case QEvent::Resize:
            fit();
            break;
        case QEvent::Show:
        case QEvent::LayoutRequest: // a tab has another name, or the corner other buttons
        case QEvent::FontChange:
        case QEvent::StyleChange:
            m_later.start();
            break;
        default:
            break;
        }
        return QObject::eventFilter(watched, event);
    }

private:
    static constexpr int gap = 4;

    void fit()
    {
        const bool corner = m_corner && m_corner->isVisibleTo(m_tabs);
        const int room = m_tabs->width() - (corner ? m_corner->sizeHint().width() + gap : 0);
        m_button->setVisible(m_tabs->tabBar()->sizeHint().width() > room);
    }
    void fill()
    {
        m_menu->clear();
        for (int tab = 0; tab < m_tabs->count(); ++tab) {
            if (!m_tabs->isTabVisible(tab))
                continue;
            QAction* action = m_menu->addAction(m_tabs->tabText(tab));
            action->setCheckable(true);
            action->setChecked(tab == m_tabs->currentIndex());
            action->setEnabled(m_tabs->isTabEnabled(tab));
            connect(action, &QAction::triggered, m_tabs, [this, tab] { m_tabs->setCurrentIndex(tab); });
        }
    }

    QTabWidget* m_tabs;
    QWidget* m_corner;
    QToolButton* m_button;
    QMenu* m_menu;
    QTimer m_later;
};

} // namespace

void listTabsThatDoNotFit(QTabWidget* tabs)
{
    new TabMenu(tabs);
}

} // namespace sparserl
