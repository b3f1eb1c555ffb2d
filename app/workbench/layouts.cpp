// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/layouts.h"

#include "widgets/common/page.h"
#include "widgets/common/width_loan.h"

#include <QMainWindow>
#include <QSplitter>
#include <QTabWidget>

namespace sparserl {

namespace {

const QString windowKey = QStringLiteral("window"), pageKey = QStringLiteral("page");

QString splitterKey(const QSplitter* splitter)
{
    return QStringLiteral("splitter/%1").arg(splitter->objectName());
}

QString columnsKey(const Page* page)
{
    return QStringLiteral("columns/%1").arg(page->objectName());
}

/// Groups of tabs have no names: their order on the page does.
QString tabsKey(const Page* page, qsizetype number)
{
    return QStringLiteral("tabs/%1/%2").arg(page->objectName()).arg(number);
}

QList<QSplitter*> namedSplitters(const QMainWindow& window)
{
    QList<QSplitter*> splitters = window.findChildren<QSplitter*>();
    splitters.removeIf([](const QSplitter* splitter) { return splitter->objectName().isEmpty(); });
    return splitters;
}

} // namespace

QVariantMap captureLayout(const QMainWindow& window, const std::vector<Page*>& pages, const QString& page)
{
    QVariantMap layout{{windowKey, window.saveState()}, {pageKey, page}};
    for (QSplitter* splitter : namedSplitters(window))
        layout[splitterKey(splitter)] = WidthLoan::ownState(splitter);
    for (const Page* one : pages) {
        layout[columnsKey(one)] = one->layoutState();
        const auto groups = one->findChildren<QTabWidget*>();
        for (qsizetype i = 0; i < groups.size(); ++i)
            layout[tabsKey(one, i)] = groups[i]->currentIndex();
    }
    return layout;
}

QString applyLayout(QMainWindow& window, const std::vector<Page*>& pages, const QVariantMap& layout,
                    bool pagesToo)
{
    window.restoreState(layout.value(windowKey).toByteArray());
    for (QSplitter* splitter : namedSplitters(window))
        if (const auto found = layout.find(splitterKey(splitter)); found != layout.end())
            WidthLoan::restore(splitter, found->toByteArray());
    for (Page* one : pages) {
        if (const auto found = layout.find(columnsKey(one)); pagesToo && found != layout.end())
            one->applyLayoutState(found->toStringList());
        const auto groups = one->findChildren<QTabWidget*>();
        for (qsizetype i = 0; i < groups.size(); ++i) {
            const int tab = layout.value(tabsKey(one, i), -1).toInt();
            if (tab >= 0 && tab < groups[i]->count() && groups[i]->isTabVisible(tab))
                groups[i]->setCurrentIndex(tab);
        }
    }
    return layout.value(pageKey).toString();
}

} // namespace sparserl
