// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/start_page.h"

#include "app/workbench/quickstart.h"
#include "widgets/common/icons.h"
#include "widgets/common/panels.h"
#include "widgets/common/theme.h"

#include <QAction>
#include <QDir>
#include <QEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

namespace sparserl {

namespace {

constexpr int pathRole = Qt::UserRole;

/// A project below the home folder, from there on: ~/work/mine.
QString shortPath(const QString& path)
{
    const QString home = QDir::homePath();
    return path.startsWith(home + QLatin1Char('/')) ? QStringLiteral("~") + path.mid(home.size()) : path;
}

} // namespace

StartPage::StartPage(QWidget* parent)
    : QWidget(parent)
    , m_recent(new QListWidget(this))
    , m_heading(makeHeading(tr("Recent projects"), this))
    , m_hint(makeMuted(tr("Press Enter to open a project, or Del to remove it from this list."), this))
{
    auto* choices = new QVBoxLayout;
    choices->setSpacing(6);
    choices->addWidget(makeHeading(tr("SparseRL Workbench"), this, 1.7));
    auto* what = makeMuted(
        tr("Teach a language model to write CUDA kernels for your sparse matrices: watch and steer the "
           "training, see why each kernel is right or wrong, fast or slow, and export the good ones."),
        this);
    what->setWordWrap(true);
    choices->addWidget(what);
    choices->addSpacing(18);
    m_quickstart = addChoice(choices, QStringLiteral("quickstart"), tr("&Try the quickstart…"),
                             tr("A project with real matrices and a complete job: fine-tuning, reinforcement "
                                "learning, evaluation on held-out matrices, export of the best kernel. It "
                                "takes minutes on two cores and needs no GPU."));
    makePrimary(m_quickstart);
    connect(m_quickstart, &QPushButton::clicked, this, &StartPage::quickstartWanted);
    connect(addChoice(choices, QStringLiteral("plus"), tr("&New project…"),
                      tr("An empty project for your own matrices. Drop matrix files on it.")),
            &QPushButton::clicked, this, &StartPage::newWanted);
    QPushButton* open =
        addChoice(choices, QStringLiteral("open"), tr("&Open a project…"),
                  tr("A folder with matrices, training runs and kernels, on this machine or a shared disk."));
    open->setToolTip(tr("Choose the folder of a project"));
    connect(open, &QPushButton::clicked, this, &StartPage::openWanted);
    choices->addStretch();

    m_recent->setObjectName(QStringLiteral("RecentProjects"));
    m_recent->setAccessibleName(m_heading->text());
    m_recent->setUniformItemSizes(true);
    m_recent->setTextElideMode(Qt::ElideMiddle);
    m_recent->setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(m_recent, &QListWidget::itemActivated, this,
            [this](const QListWidgetItem* item) { Q_EMIT projectWanted(item->data(pathRole).toString()); });
    auto* forget = new QAction(tr("Remove from this list"), m_recent);
    forget->setShortcut(QKeySequence::Delete);
    forget->setShortcutContext(Qt::WidgetShortcut);
    m_recent->addAction(forget);
    connect(forget, &QAction::triggered, this, [this] {
        if (const QListWidgetItem* item = m_recent->currentItem())
            Q_EMIT forgetWanted(item->data(pathRole).toString());
    });
    auto* recent = new QVBoxLayout;
    recent->setSpacing(6);
    recent->addSpacing(10);
    recent->addWidget(m_heading);
    m_recent->setFrameShape(QFrame::NoFrame);
    m_card = makeCard(this);
    auto* inCard = new QVBoxLayout(m_card);
    inCard->setContentsMargins(6, 6, 6, 6);
    inCard->addWidget(m_recent);
    recent->addWidget(m_card, 1);
    recent->addWidget(m_hint);

    auto* across = new QHBoxLayout;
    across->setSpacing(40);
    across->addLayout(choices, 1);
    across->addLayout(recent, 1);
    auto* middle = new QWidget(this);
    middle->setLayout(across);
    middle->setMaximumSize(1040, 560);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(32, 32, 32, 32);
    layout->addStretch(1);
    layout->addWidget(middle, 20);
    layout->addStretch(1);
    updateIcons();
}

QPushButton* StartPage::addChoice(QVBoxLayout* column, const QString& icon, const QString& text,
                                  const QString& sentence)
{
    auto* button = makeButton(text, this);
    button->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    button->setAccessibleDescription(sentence);
    m_icons.emplace_back(button, icon);
    auto* label = makeMuted(sentence, this);
    label->setWordWrap(true);
    column->addWidget(button);
    column->addWidget(label);
    column->addSpacing(12);
    return button;
}

void StartPage::setRecent(const QStringList& projects)
{
    m_projects = projects;
    if (isVisible())
        fill();
}

void StartPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    m_quickstart->setEnabled(!quickstartFolder().empty());
    fill();
}

void StartPage::fill()
{
    const QString current =
        m_recent->currentItem() ? m_recent->currentItem()->data(pathRole).toString() : QString();
    m_recent->clear();
    for (const QString& path : m_projects) {
        const bool gone = !QFileInfo::exists(path + QStringLiteral("/project.toml"));
        const QString where = shortPath(path);
        auto* item = new QListWidgetItem(
            QStringLiteral("%1  –  %2")
                .arg(QDir(path).dirName(), gone ? tr("%1 (not available now)").arg(where) : where),
            m_recent);
        item->setData(pathRole, path);
        item->setToolTip(path);
        item->setSizeHint(QSize(0, fontMetrics().height() + 14));
        if (gone)
            item->setForeground(palette().color(QPalette::Disabled, QPalette::Text));
        if (path == current)
            m_recent->setCurrentItem(item);
    }
    if (m_recent->count() > 0 && !m_recent->currentItem())
        m_recent->setCurrentRow(0);
    for (QWidget* part : std::initializer_list<QWidget*>{m_heading, m_card, m_hint})
        part->setVisible(m_recent->count() > 0);
}

void StartPage::updateIcons()
{
    for (const auto& [button, icon] : m_icons) {
        const QColor tint = button->property("primary").toBool() ? Theme::of(this).onAccent : QColor();
        button->setIcon(themedIcon(icon, tint));
    }
}

bool StartPage::event(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange)
        updateIcons();
    return QWidget::event(event);
}

} // namespace sparserl
