// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/layout_menu.h"

#include "widgets/common/settings.h"
#include "widgets/common/undo_commands.h"

#include <QInputDialog>
#include <QUndoStack>

namespace sparserl {

namespace {

QString menuText(QString name)
{
    return name.replace(QLatin1Char('&'), QStringLiteral("&&"));
}

} // namespace

LayoutMenu::LayoutMenu(Settings& settings, LayoutHooks hooks, QWidget* parent)
    : QMenu(parent)
    , m_renaming(new QMenu(tr("&Rename"), this))
    , m_deleting(new QMenu(tr("&Delete"), this))
    , m_settings(settings)
    , m_hooks(std::move(hooks))
{
    setTitle(tr("La&youts"));
    connect(this, &QMenu::aboutToShow, this, &LayoutMenu::fill);
    fill();
}

void LayoutMenu::fill()
{
    clear();
    m_renaming->clear();
    m_deleting->clear();
    const QStringList names = m_settings.layoutNames();
    for (const QString& name : names)
        addAction(tr("Layout: %1").arg(menuText(name)), this, [this, name] { applyNamed(name); });
    if (names.isEmpty())
        addAction(tr("No layout is kept yet"))->setEnabled(false);
    addSeparator();
    addAction(tr("&Keep this layout…"), this, [this] {
        askForName(tr("Keep this layout"), {}, [this](const QString& name) { keep(name); });
    });
    addMenu(m_renaming);
    addMenu(m_deleting);
    for (const QString& name : names) {
        m_renaming->addAction(tr("Rename “%1”…").arg(menuText(name)), this, [this, name] {
            askForName(tr("Rename the layout"), name, [this, name](const QString& to) { rename(name, to); });
        });
        m_deleting->addAction(tr("Delete “%1”").arg(menuText(name)), this, [this, name] { forget(name); });
    }
    m_renaming->setEnabled(!names.isEmpty());
    m_deleting->setEnabled(!names.isEmpty());
}

void LayoutMenu::askForName(const QString& title, const QString& name,
                            const std::function<void(const QString&)>& done)
{
    auto* dialog = new QInputDialog(parentWidget());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(title);
    dialog->setLabelText(tr("Name of the layout:"));
    dialog->setTextValue(name);
    connect(dialog, &QInputDialog::textValueSelected, this, [done](const QString& text) {
        if (!text.trimmed().isEmpty())
            done(text.trimmed());
    });
    dialog->open();
}

void LayoutMenu::change(const QString& what, const QMap<QString, QVariantMap>& after)
{
    QMap<QString, QVariantMap> before;
    for (auto it = after.begin(); it != after.end(); ++it)
        before[it.key()] = m_settings.layout(it.key());
    const auto set = [&settings = m_settings](const QMap<QString, QVariantMap>& layouts) {
        for (auto it = layouts.begin(); it != layouts.end(); ++it)
            settings.setLayout(it.key(), it.value());
    };
    if (QUndoStack* stack = m_hooks.undoStack())
        stack->push(new FunctionCommand(
            what, [set, after] { set(after); }, [set, before] { set(before); }));
    else
        set(after);
}

void LayoutMenu::keep(const QString& name)
{
    change(tr("saving of the layout “%1”").arg(name), {{name, m_hooks.capture()}});
    m_hooks.tell(tr("The layout “%1” is kept.").arg(name));
}

void LayoutMenu::rename(const QString& from, const QString& to)
{
    if (from == to)
        return;
    if (m_settings.layoutNames().contains(to)) {
        m_hooks.tell(tr("There is a layout “%1” already.").arg(to));
        return;
    }
    change(tr("renaming of the layout “%1”").arg(from), {{from, {}}, {to, m_settings.layout(from)}});
    m_hooks.tell(tr("The layout “%1” is now called “%2”.").arg(from, to));
}

void LayoutMenu::forget(const QString& name)
{
    change(tr("deletion of the layout “%1”").arg(name), {{name, {}}});
    m_hooks.tell(tr("The layout “%1” is deleted. Undo: Ctrl+Z.").arg(name));
}

void LayoutMenu::applyNamed(const QString& name)
{
    m_hooks.apply(m_settings.layout(name));
    m_hooks.tell(tr("The window is arranged as “%1”.").arg(name));
}

} // namespace sparserl
