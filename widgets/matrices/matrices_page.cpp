// SPDX-License-Identifier: Apache-2.0
#include "widgets/matrices/matrices_page.h"

#include "base/files.h"
#include "base/time.h"
#include "matrix/cache.h"
#include "verdict/names.h"
#include "widgets/common/filter_edit.h"
#include "widgets/common/format.h"
#include "widgets/common/icons.h"
#include "widgets/common/panels.h"
#include "widgets/matrices/generate_dialog.h"
#include "widgets/matrices/matrix_detail.h"
#include "widgets/matrices/matrix_table.h"
#include "widgets/matrices/pattern_panel.h"
#include "widgets/matrices/pattern_view.h"

#include <QActionGroup>
#include <QBuffer>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QLabel>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

namespace sparserl {

namespace {

constexpr int mistakePause = 700; // milliseconds: who is still typing is not corrected

struct Thumbnail
{
    std::string digest;
    QImage image;
};

} // namespace

MatricesPage::MatricesPage(QWidget* parent)
    : ProjectPage(parent)
    , m_model(makeMatrixModel(this))
    , m_import(new MatrixImport(this))
{
    setObjectName(QStringLiteral("matrices"));
    setAcceptDrops(true);
    m_detail = new MatrixDetail(this);
    connect(m_detail, &MatrixDetail::problem, this, &Page::problem);

    auto* splitter = new QSplitter(Qt::Horizontal);
    splitter->setObjectName(QStringLiteral("matrices.splitter"));
    splitter->setHandleWidth(10);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(makeList());
    splitter->addWidget(m_detail);
    splitter->setSizes({660, 498});
    splitter->setStretchFactor(1, 1);
    auto* empty =
        new EmptyState(QStringLiteral("matrices"), tr("No matrices yet"),
                       tr("Drop matrix files or folders here (Matrix Market, .smtx, .npz, .npy, PETSc, "
                          "Harwell-Boeing; plain, gzip, or in a .tar.gz or .zip), import them, or generate "
                          "some. Training needs at least one matrix to learn from and one that is held out."),
                       this);
    connect(empty->addButton(tr("Import…"), true), &QPushButton::clicked, this, &MatricesPage::importFiles);
    connect(empty->addButton(tr("Generate…"), false), &QPushButton::clicked, this,
            &MatricesPage::generateMatrix);
    setUp(empty, splitter);
    addFooter(m_import);
    connect(m_import, &MatrixImport::finished, this, &MatricesPage::imported);
    m_tellMistake.setSingleShot(true);
    m_tellMistake.setInterval(mistakePause);
    connect(&m_tellMistake, &QTimer::timeout, this, [this] { m_filterProblem->show(); });
}

QWidget* MatricesPage::makeList()
{
    auto* card = makeCard(this);
    auto* layout = new QVBoxLayout(card);
    layout->setContentsMargins(1, 10, 1, 1);
    layout->setSpacing(8);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(12, 0, 10, 0);
    bar->addWidget(makeHeading(tr("Matrices"), card, 1.1));
    m_count = makeMuted({}, card);
    letShrink(m_count);
    bar->addWidget(m_count, 1);
    auto* generate = new QPushButton(tr("&Generate…"), card);
    connect(generate, &QPushButton::clicked, this, &MatricesPage::generateMatrix);
    bar->addWidget(generate);
    bar->addWidget(makeImportButton(card));
    layout->addLayout(bar);

    auto* find = new QVBoxLayout;
    find->setContentsMargins(12, 0, 10, 0);
    find->setSpacing(4);
    m_filter = new FilterEdit(card);
    m_filter->setPlaceholderText(tr("Find or filter: nnz > 1e5 and class = banded"));
    m_filter->setAccessibleName(tr("Find or filter matrices"));
    m_filter->setToolTip(
        tr("Words are searched for in the name, class, source and notes. To filter by a feature, use its "
           "name. Examples: nnz > 1e5 and class = banded; not (split = train); row_cv >= 2 or name ~ bus."));
    connect(m_filter, &QLineEdit::textChanged, this, &MatricesPage::applyFilter);
    find->addWidget(m_filter);
    m_filterProblem = new QLabel(card);
    m_filterProblem->setProperty("bad", true);
    m_filterProblem->setWordWrap(true);
    m_filterProblem->hide();
    find->addWidget(m_filterProblem);
    layout->addLayout(find);

    m_table = new MatrixTable(m_model, card);
    connect(m_table, &QWidget::customContextMenuRequested, this, &MatricesPage::contextMenu);
    connect(m_table, &MatrixTable::layoutEdited, this, &MatricesPage::rememberView);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &MatricesPage::showCurrent);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &MatricesPage::showCount);
    layout->addWidget(m_table, 1);
    return card;
}

QWidget* MatricesPage::makeImportButton(QWidget* parent)
{
    auto* button = new QPushButton(tr("&Import ▾"), parent);
    makePrimary(button);
    button->setAccessibleName(tr("Import"));
    button->setToolTip(tr("Import matrices from files or folders; you can also drop them here"));
    auto* menu = new QMenu(button);
    menu->addAction(tr("&Files…"), this, &MatricesPage::importFiles);
    menu->addAction(tr("F&older…"), this, &MatricesPage::importFolder);
    menu->addSection(tr("Imported or dropped matrices are"));
    auto* group = new QActionGroup(menu);
    for (const QString& text :
         {tr("For &training"), tr("&Held out"), tr("For training, &every fifth held out")}) {
        QAction* action = menu->addAction(text);
        action->setCheckable(true);
        group->addAction(action);
        const auto split = static_cast<ImportSplit>(m_splitActions.size());
        action->setChecked(split == m_split);
        connect(action, &QAction::triggered, this, [this, split] {
            m_split = split;
            rememberView();
        });
        m_splitActions.append(action);
    }
    button->setMenu(menu);
    return button;
}

void MatricesPage::fillMenu(QMenu* menu)
{
    menu->addAction(themedIcon(QStringLiteral("import")), tr("&Import files…"),
                    QKeySequence(Qt::CTRL | Qt::Key_I), this, &MatricesPage::importFiles);
    menu->addAction(tr("Import a f&older…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_I), this,
                    &MatricesPage::importFolder);
    menu->addAction(themedIcon(QStringLiteral("generate")), tr("&Generate a matrix…"),
                    QKeySequence(Qt::CTRL | Qt::Key_G), this, &MatricesPage::generateMatrix);
    menu->addAction(themedIcon(QStringLiteral("search")), tr("&Find or filter"), QKeySequence::Find, this,
                    [this] {
                        m_filter->setFocus();
                        m_filter->selectAll();
                    });
    menu->addAction(tr("Choose &columns…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C), m_table,
                    &MatrixTable::chooseColumns);
    menu->addSeparator();
    const qsizetype first = menu->actions().size();
    menu->addAction(themedIcon(QStringLiteral("goto")), tr("Go to row and colum&n…"),
                    QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_G), m_detail->panel(),
                    &PatternPanel::askPlace);
    menu->addAction(tr("Next &entry"), QKeySequence(Qt::Key_F8), m_detail->pattern(),
                    &PatternView::nextEntry);
    menu->addAction(tr("&Previous entry"), QKeySequence(Qt::SHIFT | Qt::Key_F8), m_detail->pattern(),
                    &PatternView::previousEntry);
    menu->addSeparator();
    fillSelectionMenu(menu);
    markSelection(menu, first);
}

void MatricesPage::fillSelectionMenu(QMenu* menu)
{
    menu->addAction(tr("Use for &training"), QKeySequence(Qt::CTRL | Qt::Key_T), this,
                    [this] { setSplit(QLatin1String(split::train)); });
    menu->addAction(tr("&Hold out of training"), QKeySequence(Qt::CTRL | Qt::Key_H), this,
                    [this] { setSplit(QLatin1String(split::heldOut)); });
    menu->addAction(tr("Show its &kernels"), QKeySequence(Qt::CTRL | Qt::Key_K), this, [this] {
        if (const MatrixItem* item = m_table->current())
            Q_EMIT navigate({Destination::Kind::KernelsOfMatrix, toQString(item->row.name)});
    });
    menu->addAction(tr("Re&move from the project"), QKeySequence::Delete, this,
                    &MatricesPage::removeSelected);
}

void MatricesPage::projectChanged()
{
    m_thumbnailJobs.cancel();
    m_madeThumbnails.clear();
    m_reader = std::make_shared<MatrixItemReader>();
    m_model->setRows({});
    m_detail->setSession(session());
    m_import->setSession(session());
}

void MatricesPage::refresh()
{
    ask<std::vector<MatrixItem>>(
        [read = m_reader](ProjectReader& reader) -> Result<std::vector<MatrixItem>> {
            SPARSERL_TRY(auto rows, reader.matrices());
            std::vector<MatrixItem> items;
            items.reserve(rows.size());
            for (MatrixRow& row : rows)
                items.push_back(read->read(std::move(row)));
            return items;
        },
        [this](std::vector<MatrixItem> items) { showItems(std::move(items)); });
}

void MatricesPage::showItems(std::vector<MatrixItem> items)
{
    const bool any = !items.empty();
    const MatrixItem* before = m_table->current();
    const QString keep = !m_wanted.isEmpty() ? m_wanted : before ? toQString(before->row.name) : QString();
    for (MatrixItem& item : items)
        if (const auto made = m_madeThumbnails.find(item.row.digest);
            item.thumbnail.isNull() && made != m_madeThumbnails.end())
            item.thumbnail = made->second;
    m_model->setRows(std::move(items));
    updateWords();
    const bool first = any && state() != State::Content;
    setState(any ? State::Content : State::Empty);
    showCount();
    if (!any) {
        m_detail->clear();
        return;
    }
    const MatrixItem* now = m_table->current();
    if (!now || toQString(now->row.name) != keep) {
        if (m_model->indexOfKey(keep).isValid())
            m_table->showMatrix(keep);
        if (!m_table->currentIndex().isValid() && m_table->proxy()->rowCount() > 0)
            m_table->setCurrentIndex(m_table->proxy()->index(0, MatrixName));
    }
    showCurrent();
    m_wanted.clear();
    if (first)
        m_table->setFocus();
    makeThumbnails();
}

void MatricesPage::showCurrent()
{
    if (const MatrixItem* item = m_table->current())
        m_detail->show(*item);
}

void MatricesPage::showCount()
{
    const int all = m_model->rowCount(), shown = m_table->proxy()->rowCount();
    const auto chosen = m_table->selectionModel()->selectedRows().size();
    QString text = shown == all ? formatCount(all) : tr("%1 of %2").arg(formatCount(shown), formatCount(all));
    if (chosen > 1)
        text += tr(", %1 selected").arg(formatCount(chosen));
    m_count->setText(text);
}

void MatricesPage::applyFilter()
{
    auto filter = MatrixFilter::parse(m_filter->text().toStdString());
    m_filterProblem->hide();
    m_tellMistake.stop();
    if (!filter) { // what was shown stays until this one is right
        m_mistake = asSentence(sentenceOf(filter.error()));
        m_filterProblem->setText(m_mistake);
        m_tellMistake.start();
        return;
    }
    m_mistake.clear();
    const MatrixItem* item = m_table->current();
    const QString keep = item ? toQString(item->row.name) : QString();
    m_table->proxy()->setFilter(std::move(*filter));
    if (!m_table->currentIndex().isValid() && m_table->proxy()->rowCount() > 0) {
        m_table->showMatrix(keep);
        if (!m_table->currentIndex().isValid())
            m_table->setCurrentIndex(m_table->proxy()->index(0, MatrixName));
    }
    showCount();
    rememberView();
}

void MatricesPage::updateWords()
{
    QStringList classes;
    for (const MatrixItem& item : m_model->rows())
        if (const QString name = toQString(item.row.matrixClass); !name.isEmpty() && !classes.contains(name))
            classes.append(name);
    if (classes == m_classes && !m_classes.isEmpty())
        return;
    m_classes = classes;
    QList<std::pair<QString, QString>> words;
    for (const MatrixFilterName& name : matrixFilterNames())
        words.append({toQString(name.key), toQString(name.help)});
    for (const char* word : {"and", "or", "not"})
        words.append({QString::fromLatin1(word), tr("Joins conditions.")});
    for (const char* name : {split::train, split::heldOut})
        words.append({QString::fromLatin1(name), tr("A split.")});
    for (const QString& name : m_classes)
        words.append({name.contains(QLatin1Char(' ')) ? QLatin1Char('"') + name + QLatin1Char('"') : name,
                      tr("A class.")});
    m_filter->setWords(words);
}

void MatricesPage::makeThumbnails()
{
    // A few at a time, so that the matrix the user asked for never waits behind many.
    if (m_thumbnailJobs.running() || !session())
        return;
    std::vector<std::string> missing;
    for (const MatrixItem& item : m_model->rows())
        if (item.thumbnail.isNull() && item.row.problem.empty() && !item.row.digest.empty() &&
            !m_madeThumbnails.contains(item.row.digest))
            missing.push_back(item.row.digest);
    if (missing.empty())
        return;
    session()->work<std::vector<Thumbnail>>(
        m_thumbnailJobs,
        [missing](Project& project) -> Result<std::vector<Thumbnail>> {
            const MatrixCache cache(project.cachePath());
            std::vector<Thumbnail> made;
            constexpr double slice = 0.15; // seconds
            const double begin = monotonicSeconds();
            for (const std::string& digest : missing) {
                if (monotonicSeconds() - begin > slice)
                    break;
                QImage image;
                if (const auto pyramid = cache.loadPyramid(digest))
                    image = makeThumbnail(*pyramid, 2 * MatrixTable::thumbnailSide);
                if (!image.isNull()) { // kept for the next time; it works without
                    QByteArray bytes;
                    QBuffer buffer(&bytes);
                    if (buffer.open(QIODevice::WriteOnly) && image.save(&buffer, "PNG"))
                        (void)writeFileAtomic(project.thumbnailPath(digest), bytes.toStdString());
                }
                made.push_back({digest, std::move(image)});
            }
            return made;
        },
        [this](Result<std::vector<Thumbnail>> made) {
            if (!made)
                return;
            for (const Thumbnail& one : *made) {
                m_madeThumbnails[one.digest] = one.image;
                for (int row = 0; row < m_model->rowCount(); ++row)
                    if (m_model->rows()[static_cast<std::size_t>(row)].row.digest == one.digest)
                        m_model->edit(row, [&](MatrixItem& item) { item.thumbnail = one.image; });
            }
            makeThumbnails();
        });
}

void MatricesPage::select(const QString& matrix)
{
    m_wanted = matrix;
    const QModelIndex source = m_model->indexOfKey(matrix);
    if (!source.isValid())
        return;
    if (!m_table->proxy()->mapFromSource(source).isValid())
        m_filter->clear(); // who was sent here shall see it
    m_table->showMatrix(matrix);
    m_wanted.clear();
}

void MatricesPage::importFiles()
{
    if (!session())
        return;
    const QStringList files = QFileDialog::getOpenFileNames(
        this, tr("Import matrices"), {},
        tr("Matrices (%1);;All files (*)").arg(matrixFileFilters().join(QLatin1Char(' '))));
    m_import->start(files, m_split);
}

void MatricesPage::importFolder()
{
    if (!session())
        return;
    const QString folder =
        QFileDialog::getExistingDirectory(this, tr("Import all matrices in a folder and below it"));
    if (!folder.isEmpty())
        m_import->start({folder}, m_split);
}

void MatricesPage::generateMatrix()
{
    if (!session())
        return;
    auto* dialog = new GenerateDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        m_import->startGenerated(dialog->generator(), dialog->name(), dialog->split());
    });
    dialog->open();
}

void MatricesPage::imported(const QStringList& added)
{
    if (added.isEmpty())
        return;
    m_wanted = added.last();
    Q_EMIT statusMessage(counted(added.size(), tr("One matrix was added to the project."),
                                 tr("%1 matrices were added to the project.")));
}

ChangeProject MatricesPage::changer()
{
    // The commands that hold it are the session's.
    return [session = session()](std::function<Status(Project&)> change) {
        session->change(std::move(change), session, [session](bool good) {
            if (!good)
                session->undoStack()->clear(); // what would be undone is not there
        });
    };
}

void MatricesPage::setSplit(const QString& split)
{
    std::map<std::string, std::string> before;
    for (const MatrixItem* item : m_table->selected())
        if (toQString(item->row.split) != split)
            before[item->row.name] = item->row.split;
    if (before.empty())
        return;
    session()->undoStack()->push(new SetSplits(before, split.toStdString(), changer()));
    sayOnceWritten(counted(static_cast<std::int64_t>(before.size()),
                           tr("One matrix is now in the split “%1”.").arg(split),
                           tr("%1 matrices are now in the split “%2”.").arg(QStringLiteral("%1"), split)));
}

void MatricesPage::removeSelected()
{
    std::vector<std::string> names;
    for (const MatrixItem* item : m_table->selected())
        names.push_back(item->row.name);
    if (names.empty())
        return;
    const auto count = static_cast<std::int64_t>(names.size());
    session()->undoStack()->push(new RemoveMatrices(std::move(names), changer()));
    sayOnceWritten(
        counted(count, tr("One matrix was removed from the list; Undo restores it. Its file stays."),
                tr("%1 matrices were removed from the list; Undo restores them. Their files stay.")));
}

void MatricesPage::sayOnceWritten(const QString& sentence)
{
    session()->onceWritten(this, [this, sentence] { Q_EMIT statusMessage(sentence); });
}

void MatricesPage::contextMenu(const QPoint& position)
{
    if (!m_table->current())
        return;
    QMenu menu(this);
    fillSelectionMenu(&menu);
    menu.exec(m_table->viewport()->mapToGlobal(position));
}

void MatricesPage::rememberView()
{
    Q_EMIT viewStateChanged(
        {m_table->layoutText(), m_filter->text(), QString::number(static_cast<int>(m_split))});
}

void MatricesPage::restoreViewState(const QStringList& state)
{
    const QSignalBlocker quiet(this);
    if (!state.value(0).isEmpty())
        m_table->setLayoutText(state.value(0));
    m_filter->setText(state.value(1));
    m_split = static_cast<ImportSplit>(std::clamp(state.value(2).toInt(), 0, 2));
    m_splitActions[static_cast<int>(m_split)]->setChecked(true);
}

QStringList MatricesPage::layoutState() const
{
    return {m_table->layoutText()};
}

void MatricesPage::applyLayoutState(const QStringList& state)
{
    m_table->setLayoutText(state.value(0));
    rememberView();
}

bool MatricesPage::hasSelection() const
{
    return m_table->current() != nullptr;
}

QString MatricesPage::selectedKey() const
{
    const MatrixItem* item = m_table->current();
    return item ? toQString(item->row.name) : m_wanted;
}

void MatricesPage::dragEnterEvent(QDragEnterEvent* event)
{
    if (session() && event->mimeData()->hasUrls())
        event->acceptProposedAction();
}

void MatricesPage::dropEvent(QDropEvent* event)
{
    QStringList paths;
    const auto urls = event->mimeData()->urls();
    for (const QUrl& url : urls)
        if (url.isLocalFile())
            paths.append(url.toLocalFile());
    event->acceptProposedAction();
    m_import->start(paths, m_split);
}

} // namespace sparserl
