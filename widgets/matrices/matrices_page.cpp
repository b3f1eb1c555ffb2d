// SPDX-License-Identifier: Apache-2.0
#include "widgets/matrices/matrices_page.h"

#include "widgets/common/delegates.h"
#include "widgets/common/format.h"
#include "widgets/common/icons.h"
#include "widgets/common/panels.h"
#include "widgets/matrices/generate_dialog.h"
#include "widgets/matrices/matrix_detail.h"
#include "widgets/matrices/matrix_import.h"

#include <QDragEnterEvent>
#include <QFileDialog>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QSaveFile>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

namespace sparserl {

namespace {

constexpr int thumbnailSide = 36;

} // namespace

MatricesPage::MatricesPage(QWidget* parent)
    : Page(parent)
    , m_model(makeMatrixModel(this))
    , m_proxy(new QSortFilterProxyModel(this))
    , m_stack(new QStackedWidget(this))
    , m_import(new MatrixImport(this))
{
    setObjectName(QStringLiteral("matrices"));
    setAcceptDrops(true);
    m_proxy->setSourceModel(m_model);
    m_proxy->setSortRole(SortRole);
    m_proxy->setFilterKeyColumn(-1);
    m_proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_detail = new MatrixDetail(this);
    connect(m_detail, &MatrixDetail::problem, this, &Page::problem);

    auto* splitter = new QSplitter(Qt::Horizontal);
    splitter->setObjectName(QStringLiteral("matrices.splitter"));
    splitter->setHandleWidth(10);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(makeList());
    splitter->addWidget(m_detail);
    splitter->setSizes({715, 530});
    splitter->setStretchFactor(1, 1);
    auto* empty =
        new EmptyState(QStringLiteral("matrices"), tr("No matrices yet"),
                       tr("Drop Matrix Market or .smtx files here (plain or gzip), import them, or generate "
                          "some. Training needs at least one matrix to learn on and one held out."),
                       this);
    connect(empty->addButton(tr("Import…"), true), &QPushButton::clicked, this, &MatricesPage::importFiles);
    connect(empty->addButton(tr("Generate…"), false), &QPushButton::clicked, this,
            &MatricesPage::generateMatrix);
    m_stack->addWidget(empty);
    m_stack->addWidget(splitter);
    auto* reading = makeMuted(tr("Reading the project…"), this);
    reading->setAlignment(Qt::AlignCenter);
    m_stack->addWidget(reading);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 10, 12, 10);
    layout->setSpacing(8);
    layout->addWidget(m_stack, 1);
    layout->addWidget(m_import);
    connect(m_import, &MatrixImport::finished, this, &MatricesPage::imported);
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
    bar->addStretch();
    m_search = new QLineEdit(card);
    m_search->setPlaceholderText(tr("Find a matrix"));
    m_search->setAccessibleName(tr("Find a matrix"));
    m_search->setClearButtonEnabled(true);
    m_search->setMaximumWidth(190);
    connect(m_search, &QLineEdit::textChanged, m_proxy, &QSortFilterProxyModel::setFilterFixedString);
    bar->addWidget(m_search);
    auto* generate = new QPushButton(tr("&Generate…"), card);
    connect(generate, &QPushButton::clicked, this, &MatricesPage::generateMatrix);
    bar->addWidget(generate);
    auto* import = new QPushButton(tr("&Import…"), card);
    makePrimary(import);
    import->setToolTip(tr("Import matrices from files (Ctrl+I); they can be dropped here too"));
    connect(import, &QPushButton::clicked, this, &MatricesPage::importFiles);
    bar->addWidget(import);
    layout->addLayout(bar);

    m_table = new QTableView(card);
    styleTable(m_table);
    m_table->setModel(m_proxy);
    m_table->setSortingEnabled(true);
    m_table->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    m_table->verticalHeader()->setDefaultSectionSize(thumbnailSide + 10);
    m_table->setItemDelegateForColumn(MatrixPicture, new PictureDelegate(m_table));
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    m_table->setAccessibleName(tr("Matrices of the project"));
    m_table->verticalHeader()->setMinimumSectionSize(thumbnailSide + 8);
    fitColumns(m_table,
               {QStringLiteral("00000"), QStringLiteral("plate-fem-2-long"), QStringLiteral("000,000"),
                QStringLiteral("000,000"), QStringLiteral("0,000,000"), QStringLiteral("pruned layer"),
                QStringLiteral("held-out"), QStringLiteral("00.00"), QStringLiteral("0.000")},
               MatrixName);
    m_table->setColumnWidth(MatrixPicture, thumbnailSide + 16);
    connect(m_table, &QWidget::customContextMenuRequested, this, &MatricesPage::contextMenu);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
        if (const MatrixItem* item = current())
            m_detail->show(*item);
    });
    layout->addWidget(m_table, 1);
    return card;
}

void MatricesPage::fillMenu(QMenu* menu)
{
    menu->addAction(themedIcon(QStringLiteral("import")), tr("&Import matrices…"),
                    QKeySequence(Qt::CTRL | Qt::Key_I), this, &MatricesPage::importFiles);
    menu->addAction(themedIcon(QStringLiteral("plus")), tr("&Generate a matrix…"),
                    QKeySequence(Qt::CTRL | Qt::Key_G), this, &MatricesPage::generateMatrix);
    menu->addAction(themedIcon(QStringLiteral("search")), tr("&Find a matrix"), QKeySequence::Find, this,
                    [this] { m_search->setFocus(); });
}

void MatricesPage::sessionChanged()
{
    m_jobs.cancel();
    m_thumbnailJobs.cancel();
    m_changeJobs.cancel();
    m_triedThumbnails.clear();
    m_model->setRows({});
    m_detail->setSession(session());
    m_import->setSession(session());
    m_stack->setCurrentIndex(2);
}

void MatricesPage::refresh()
{
    if (m_jobs.running()) {
        m_again = true;
        return;
    }
    session()->query<std::vector<MatrixItem>>(
        m_jobs,
        [](ProjectReader& reader) -> Result<std::vector<MatrixItem>> {
            SPARSERL_TRY(auto rows, reader.matrices());
            std::vector<MatrixItem> items;
            for (MatrixRow& row : rows)
                items.push_back(readItem(std::move(row)));
            return items;
        },
        [this](Result<std::vector<MatrixItem>> items) {
            if (items)
                showItems(std::move(*items));
            else
                Q_EMIT problem(sentenceOf(items.error()));
            if (std::exchange(m_again, false))
                refresh();
        });
}

void MatricesPage::showItems(std::vector<MatrixItem> items)
{
    const bool any = !items.empty();
    const MatrixItem* before = current();
    const QString keep = !m_wanted.isEmpty() ? m_wanted : before ? toQString(before->row.name) : QString();
    m_model->setRows(std::move(items));
    const bool first = any && m_stack->currentIndex() != 1;
    m_stack->setCurrentIndex(any ? 1 : 0);
    if (!any) {
        m_detail->clear();
        return;
    }
    QModelIndex index = m_proxy->mapFromSource(m_model->indexOfKey(keep));
    if (!index.isValid())
        index = m_proxy->index(0, 0);
    if (index != m_table->currentIndex())
        m_table->setCurrentIndex(index);
    else if (const MatrixItem* item = current())
        m_detail->show(*item);
    m_wanted.clear();
    if (first)
        m_table->setFocus();
    makeThumbnails();
}

void MatricesPage::makeThumbnails()
{
    // One at a time, so that the matrix the user asked for never waits behind many.
    if (m_thumbnailJobs.running())
        return;
    for (const MatrixItem& item : m_model->rows()) {
        const MatrixRow& row = item.row;
        if (!item.thumbnail.isNull() || !row.problem.empty() || row.digest.empty() ||
            std::find(m_triedThumbnails.begin(), m_triedThumbnails.end(), row.digest) !=
                m_triedThumbnails.end())
            continue;
        m_triedThumbnails.push_back(row.digest);
        session()->work<bool>(
            m_thumbnailJobs,
            [digest = row.digest](Project& project) -> Result<bool> {
                SPARSERL_TRY(auto matrix, project.loadByDigest(digest));
                const QImage image = makeThumbnail(*matrix, 2 * thumbnailSide);
                const QString file = toQString(project.thumbnailPath(digest).string());
                QSaveFile out(file);
                return out.open(QIODevice::WriteOnly) && image.save(&out, "PNG") && out.commit();
            },
            [this](Result<bool>) {
                makeThumbnails();
                if (!m_thumbnailJobs.running())
                    refresh();
            });
        return;
    }
}

const MatrixItem* MatricesPage::current() const
{
    const QModelIndex index = m_table->currentIndex();
    return index.isValid() ? m_model->row(m_proxy->mapToSource(index)) : nullptr;
}

void MatricesPage::select(const QString& matrix)
{
    m_wanted = matrix;
    const QModelIndex index = m_proxy->mapFromSource(m_model->indexOfKey(matrix));
    if (index.isValid()) {
        m_table->setCurrentIndex(index);
        m_table->scrollTo(index);
        m_wanted.clear();
    }
}

void MatricesPage::importFiles()
{
    if (!session())
        return;
    const QStringList files =
        QFileDialog::getOpenFileNames(this, tr("Import matrices"), {},
                                      tr("Matrices (*.mtx *.mtx.gz *.smtx *.smtx.gz *.gz);;All files (*)"));
    m_import->start(files, "train");
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

void MatricesPage::imported(const QStringList& added, const QStringList& problems)
{
    if (!added.isEmpty()) {
        m_wanted = added.last();
        Q_EMIT statusMessage(counted(added.size(), tr("One matrix was added to the project."),
                                     tr("%1 matrices were added to the project.")));
    }
    if (!problems.isEmpty()) {
        QString text = problems.mid(0, 3).join(QLatin1Char('\n'));
        if (problems.size() > 3)
            text += QLatin1Char('\n') + tr("… and %1 more.").arg(problems.size() - 3);
        Q_EMIT problem(text);
    }
}

void MatricesPage::changeProject(std::function<Status(Project&)> change)
{
    session()->work<void>(
        m_changeJobs, [change](Project& project) -> Status { return change(project); },
        [this](Status status) {
            if (!status)
                Q_EMIT problem(sentenceOf(status.error()));
            session()->updateNow();
        });
}

void MatricesPage::contextMenu(const QPoint& position)
{
    const MatrixItem* item = current();
    if (!item)
        return;
    const std::string name = item->row.name;
    QMenu menu(this);
    const bool train = item->row.split == "train";
    menu.addAction(train ? tr("&Hold it out of training") : tr("Use it for &training"), this,
                   [this, name, train] {
                       changeProject([=](Project& project) {
                           return project.setSplit(name, train ? "held-out" : "train");
                       });
                   });
    menu.addAction(tr("Show its &kernels"), this, [this, name] {
        Q_EMIT navigate(QStringLiteral("kernels"), QStringLiteral("matrix:") + toQString(name));
    });
    menu.addSeparator();
    menu.addAction(tr("&Remove from the project"), this, [this, name] {
        changeProject([=](Project& project) { return project.removeMatrix(name); });
    });
    menu.exec(m_table->viewport()->mapToGlobal(position));
}

void MatricesPage::dragEnterEvent(QDragEnterEvent* event)
{
    if (session() && event->mimeData()->hasUrls())
        event->acceptProposedAction();
}

void MatricesPage::dropEvent(QDropEvent* event)
{
    QStringList files;
    const auto urls = event->mimeData()->urls();
    for (const QUrl& url : urls)
        if (url.isLocalFile())
            files.append(url.toLocalFile());
    event->acceptProposedAction();
    m_import->start(files, "train");
}

} // namespace sparserl
