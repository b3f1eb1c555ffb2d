// SPDX-License-Identifier: Apache-2.0
// The library of matrices: filter, splits, imports, and the picture of a pattern.
#include "base/beneath.h"
#include "base/files.h"
#include "base/printable.h"
#include "matrix/generate.h"
#include "project/index/sqlite.h"
#include "tests/base/hostile_names.h"
#include "tests/base/strange_files.h"
#include "tests/patience.h"
#include "tests/widgets/fixture_project.h"
#include "tests/widgets/gui_test.h"
#include "widgets/common/filter_edit.h"
#include "widgets/common/format.h"
#include "widgets/evaluation/evaluation_page.h"
#include "widgets/kernels/kernels_page.h"
#include "widgets/matrices/import_report.h"
#include "widgets/matrices/matrices_page.h"
#include "widgets/matrices/matrix_detail.h"
#include "widgets/matrices/matrix_table.h"
#include "widgets/matrices/pattern_panel.h"
#include "widgets/matrices/pattern_view.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QCompleter>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QMouseEvent>
#include <QPushButton>
#include <QRandomGenerator>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>
#include <QXmlStreamReader>
#include <filesystem>
#include <sys/stat.h>

using namespace sparserl;
namespace fs = std::filesystem;

namespace {

void writeText(const QString& file, const QByteArray& text)
{
    QFile f(file);
    if (!f.open(QIODevice::WriteOnly))
        qFatal("cannot write");
    f.write(text);
}

QByteArray tinyMatrix(int size, int row)
{
    return QStringLiteral("%%MatrixMarket matrix coordinate real general\n%1 %1 1\n%2 1 1.5\n")
        .arg(size)
        .arg(row)
        .toLatin1();
}

std::shared_ptr<const MatrixPattern> patternOf(const char* generator)
{
    auto matrix = generate(generator);
    if (!matrix)
        qFatal("cannot generate");
    return std::make_shared<MatrixPattern>(std::move(*matrix));
}

QImage sharpPicture(PatternView& view)
{
    view.show(); // what is hidden gets a new size whenever it is painted
    QImage image;
    if (!QTest::qWaitFor([&] { return view.clearFocus(), image = view.grab().toImage(), view.sharp(); },
                         patience))
        qFatal("the picture never became exact");
    return image;
}

} // namespace

class TestWidgetsMatrices : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// Pictures in a cache that came from somebody else.
    void picturesOfOthers_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<QByteArray>("format");
        QTest::addColumn<bool>("shown");
        QTest::newRow("a thumbnail") << QSize(64, 40) << QByteArray("PNG") << true;
        QTest::newRow("kilobytes that hold many megabytes")
            << QSize(9000, 9000) << QByteArray("PNG") << false;
        QTest::newRow("long") << QSize(1, 30000) << QByteArray("PNG") << false;
        QTest::newRow("another format") << QSize(64, 40) << QByteArray("BMP") << false;
        QTest::newRow("none") << QSize() << QByteArray() << false;
    }
    void picturesOfOthers()
    {
        QFETCH(QSize, size);
        QFETCH(QByteArray, format);
        QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("a.png"));
        if (size.isValid()) {
            QImage image(size, QImage::Format_Mono);
            image.fill(1);
            QVERIFY(image.save(file, format.constData()));
        } else {
            writeText(file, "\x89PNG\r\n\x1a\n");
        }
        MatrixRow row;
        row.digest = "a";
        row.thumbnail = file.toStdString();
        QTEST(!MatrixItemReader().read(row).thumbnail.isNull(), "shown");
    }

    void initTestCase()
    {
        auto session = test::openMadeProject(path(), m_live);
        QVERIFY2(session, session ? "" : session.error().sentence().c_str());
        m_session = std::move(*session);
        QTRY_VERIFY_WITH_TIMEOUT(!m_session->busy(), patience);
    }

    // A matrix in a mapped file looks like the same matrix in memory, and so does one that is counted on a
    // thread after the pyramid has stood in for it.
    void mappedLooksLikeHeld()
    {
        QTemporaryDir folder;
        const MatrixCache cache(folder.path().toStdString());
        for (const char* generator : {"stencil2d(n=40)", "wideband(n=60000,band=9000,mean=30)"}) {
            auto matrix = generate(generator);
            QVERIFY(matrix);
            const auto digest = cache.store(*matrix);
            QVERIFY(digest);
            auto mapped = MatrixPattern::open(cache, *digest);
            QVERIFY(mapped);
            PatternView a, b;
            for (PatternView* view : {&a, &b})
                view->resize(420, 400);
            a.setPattern(*mapped, QStringLiteral("a"));
            b.setPattern(std::make_shared<MatrixPattern>(std::move(*matrix)), QStringLiteral("b"));
            QCOMPARE(sharpPicture(a), sharpPicture(b));
            for (PatternView* view : {&a, &b}) {
                view->setCursorCell(20, 20);
                for (int i = 0; i < 9; ++i)
                    QTest::keyClick(view, Qt::Key_Plus);
            }
            QCOMPARE(sharpPicture(a), sharpPicture(b));
            QCOMPARE(a.readout(), b.readout());
        }
    }

    // The pyramid stands in: entries are seen before anything was counted on the thread.
    void firstPictureIsThePyramids()
    {
        PatternView view;
        view.resize(420, 400);
        view.setPattern(patternOf("wideband(n=60000,band=9000,mean=30)"), QStringLiteral("wide"));
        const QImage first = view.grab().toImage();
        QVERIFY(!view.sharp());
        int coloured = 0;
        for (int y = 40; y < 340; ++y)
            for (int x = 80; x < 400; ++x)
                coloured += first.pixelColor(x, y).saturation() > 90 ? 1 : 0;
        QVERIFY2(coloured > 1000, qPrintable(QString::number(coloured)));
        sharpPicture(view);
    }

    void keysMoveTheView()
    {
        PatternView view;
        view.resize(420, 400);
        view.setPattern(patternOf("stencil2d(n=40)"), QStringLiteral("grid"));
        view.setCursorCell(800, 800);
        for (int i = 0; i < 6; ++i)
            QTest::keyClick(&view, Qt::Key_Plus);
        QSignalSpy moved(&view, &PatternView::viewportChanged);
        const PatternViewport before = view.viewport();
        QTest::keyClick(&view, Qt::Key_Right, Qt::ControlModifier);
        QVERIFY(view.viewport().originCol > before.originCol);
        QCOMPARE(view.viewport().originRow, before.originRow);
        QTest::keyClick(&view, Qt::Key_Up, Qt::ControlModifier);
        QVERIFY(view.viewport().originRow < before.originRow);
        QCOMPARE(moved.size(), 2);
        QTest::keyClick(&view, Qt::Key_End, Qt::ControlModifier);
        QCOMPARE(view.cursorRow(), 1599);
        QCOMPARE(view.cursorCol(), 1599);
        QTest::keyClick(&view, Qt::Key_0);
        QVERIFY(view.viewport().fitted);
    }

    // What is under the pointer stays there, near an edge as in the middle, on the way in and out.
    void theWheelKeepsTheEntry()
    {
        PatternView view;
        view.resize(420, 400);
        view.show();
        view.setPattern(patternOf("stencil2d(n=40)"), QStringLiteral("grid"));
        const PatternViewport whole = view.viewport();
        const auto wheel = [&](QPointF at, int angle) {
            QWheelEvent event(at, view.mapToGlobal(at), {}, {0, angle}, Qt::NoButton, Qt::NoModifier,
                              Qt::NoScrollPhase, false);
            QApplication::sendEvent(&view, &event);
        };
        const auto under = [&](QPointF at) {
            QMouseEvent event(QEvent::MouseMove, at, view.mapToGlobal(at), Qt::NoButton, Qt::NoButton,
                              Qt::NoModifier);
            QApplication::sendEvent(&view, &event);
            return std::pair(view.cursorRow(), view.cursorCol());
        };
        // Pixels of the matrix: the first and the last entries, and one in between.
        for (const double part : {0.004, 0.31, 0.5, 0.995}) {
            view.showAll();
            const double side = 1600 * whole.scaleX;
            // Where a cell is on the screen is asked of the view itself.
            QPointF at;
            for (int x = 60; x < view.width() - 8 && at.isNull(); ++x)
                for (int y = 20; y < view.height() - 30; ++y) {
                    const auto cell = under(QPointF(x, y));
                    if (std::abs(static_cast<double>(cell.first) - part * 1599) < 1600 / side &&
                        std::abs(static_cast<double>(cell.second) - part * 1599) < 1600 / side) {
                        at = QPointF(x, y);
                        break;
                    }
                }
            QVERIFY(!at.isNull());
            const auto before = under(at);
            for (int i = 0; i < 20; ++i)
                wheel(at, 120);
            QVERIFY(view.pixelsPerColumn() > 4);
            const auto near = under(at);
            // The first picture had several cells a pixel: it is one of them.
            QVERIFY2(
                std::abs(near.first - before.first) <= 1600 / side + 1 &&
                    std::abs(near.second - before.second) <= 1600 / side + 1,
                qPrintable(QStringLiteral("%1: row %2 was %3").arg(part).arg(near.first).arg(before.first)));
            for (int i = 0; i < 6; ++i) {
                wheel(at, 120);
                QVERIFY(under(at) == near);
            }
            for (int i = 0; i < 6; ++i) {
                wheel(at, -120);
                QVERIFY(under(at) == near);
            }
        }
    }

    // To a row and a column that are written down, and from entry to entry.
    void goesToEntries()
    {
        PatternPanel panel;
        panel.resize(500, 500);
        panel.show();
        panel.setPattern(patternOf("stencil2d(n=40)"), QStringLiteral("grid"));
        PatternView& view = *panel.pattern();
        const auto go = [&](const char* words) {
            panel.place()->setText(QLatin1String(words));
            QTest::keyClick(panel.place(), Qt::Key_Return);
            return std::pair(view.cursorRow(), view.cursorCol());
        };
        QVERIFY(go("1200, 1240") == std::pair(std::int64_t{1200}, std::int64_t{1240}));
        QVERIFY(view.pixelsPerColumn() >= 20);
        QVERIFY2(panel.readout()->text().startsWith(QLatin1String("row 1,200, column 1,240: ")),
                 qPrintable(panel.readout()->text()));
        QVERIFY(go("(800 801)") == std::pair(std::int64_t{800}, std::int64_t{801}));
        QVERIFY(go("41") == std::pair(std::int64_t{41}, std::int64_t{1})); // its first entry
        for (const auto& [words, said] :
             {std::pair("1600, 3", "Rows go from 0 to 1,599; there is no row 1,600."),
              {"3, 99999", "Columns go from 0 to 1,599; there is no column 99,999."},
              {"three", "Enter a row and a column"},
              {"99999999999999999999, 1", "Enter a row and a column"}}) {
            QVERIFY(go(words) == std::pair(std::int64_t{41}, std::int64_t{1}));
            QVERIFY2(panel.readout()->text().startsWith(QLatin1String(said)),
                     qPrintable(panel.readout()->text()));
        }
        view.nextEntry();
        QVERIFY(view.cursorRow() == 41 && view.cursorCol() == 40);
        QTest::keyClick(&view, Qt::Key_N, Qt::ShiftModifier);
        QVERIFY(view.cursorRow() == 41 && view.cursorCol() == 1);
        view.previousEntry(); // the last one of the row before
        QVERIFY(view.cursorRow() == 40 && view.cursorCol() == 80);
        view.setCursorCell(1599, 1599);
        view.nextEntry();
        QVERIFY(view.cursorRow() == 0 && view.cursorCol() == 0);
        view.previousEntry();
        QVERIFY(view.cursorRow() == 1599 && view.cursorCol() == 1599);
    }

    void anotherOrderStandsBesideWithLinkedZoom()
    {
        PatternPanel panel;
        panel.resize(900, 500);
        panel.show();
        // Small enough for distances below 100, of which fewer digits than three would say something else.
        panel.setPattern(patternOf("blockfem(nodes=60,scramble=1,seed=3)"), QStringLiteral("mesh"));
        QVERIFY(!panel.otherOrder()->isVisible());
        panel.orders()->setCurrentIndex(1); // Cuthill-McKee
        QTRY_VERIFY_WITH_TIMEOUT(panel.otherOrder()->isVisible(), patience);
        const auto spread = [](const CsrView& m) {
            double sum = 0;
            for (int r = 0; r < m.rows; ++r)
                for (int k = m.rowPtr[r]; k < m.rowPtr[r + 1]; ++k)
                    sum += std::abs(m.col[k] - r);
            return sum;
        };
        QCOMPARE(panel.otherOrder()->matrix()->nnz(), panel.pattern()->matrix()->nnz());
        QVERIFY(spread(*panel.otherOrder()->matrix()) < spread(*panel.pattern()->matrix()) / 4);
        // Both captions say how far the entries are from the diagonal, in digits that tell the two apart.
        const auto isSaid = [&](const QString& begin, const CsrView& m) {
            const double mean = spread(m) / m.nnz();
            const QString distance = QLocale().toString(mean, 'f', mean < 10 ? 2 : mean < 100 ? 1 : 0);
            const auto labels = panel.findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
                return label->isVisible() && label->text().startsWith(begin) &&
                       label->text().contains(QLatin1Char(' ') + distance + QLatin1String(" places"));
            });
        };
        for (const CsrView* m : {panel.pattern()->matrix(), panel.otherOrder()->matrix()})
            QVERIFY2(spread(*m) / m->nnz() < 99, qPrintable(QString::number(spread(*m) / m->nnz())));
        QVERIFY(isSaid(QStringLiteral("As it is"), *panel.pattern()->matrix()));
        QVERIFY(isSaid(panel.orders()->currentText(), *panel.otherOrder()->matrix()));
        panel.otherOrder()->setCursorCell(3, 3);
        QVERIFY2(panel.otherOrder()->readout().contains(QLatin1String("was ")),
                 qPrintable(panel.otherOrder()->readout()));
        panel.pattern()->zoom(0.25);
        QCOMPARE(panel.otherOrder()->viewport().scaleX, panel.pattern()->viewport().scaleX);
        QCOMPARE(panel.otherOrder()->viewport().originRow, panel.pattern()->viewport().originRow);
        panel.otherOrder()->zoom(0.5);
        QCOMPARE(panel.otherOrder()->viewport().scaleX, panel.pattern()->viewport().scaleX);
        // Another matrix: its own order is asked for; the old one does not stand beside it.
        panel.setPattern(patternOf("pruned(rows=64,cols=200,sparsity=0.9)"), QStringLiteral("layer"));
        QVERIFY(!panel.otherOrder()->isVisible());
        const auto said = [&] {
            for (const QLabel* label : panel.findChildren<QLabel*>())
                if (label->isVisible() && label->text().contains(QLatin1String("square matrices only")))
                    return true;
            return false;
        };
        QTRY_VERIFY_WITH_TIMEOUT(said(), patience);
        panel.orders()->setCurrentIndex(0);
        QVERIFY(!panel.otherOrder()->isVisible());
    }

    void entriesThatThePolicyReadsAreMarked()
    {
        PatternPanel panel;
        panel.resize(500, 500);
        panel.show();
        panel.setPattern(patternOf("stencil2d(n=30)"), QStringLiteral("grid"));
        const auto red = [&] {
            const QImage image = sharpPicture(*panel.pattern());
            int count = 0;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x) {
                    const QColor c = image.pixelColor(x, y);
                    count += c.red() > 180 && c.green() < 90 && c.blue() < 90 ? 1 : 0;
                }
            return count;
        };
        const int before = red();
        panel.policyButton()->setChecked(true);
        const int few = red();
        QVERIFY(few > before + 50);
        panel.setPolicySight(QStringLiteral("0001-sft/last"), 1, false);
        QVERIFY(red() < few / 4);
        QVERIFY(panel.policyButton()->toolTip().contains(QLatin1String("0001-sft/last")));
        QCOMPARE(panel.pattern()->markMeaning(), QStringLiteral("one entry that 0001-sft/last reads"));
        panel.policyButton()->setChecked(false);
        QCOMPARE(red(), before);
    }

    // What the circles mean stands below the picture, painted.
    void theLegendSaysWhatTheCirclesAre()
    {
        PatternView view;
        view.resize(500, 400);
        view.setPattern(patternOf("stencil2d(n=30)"), QStringLiteral("grid"));
        const std::vector<std::pair<std::int32_t, std::int32_t>> marks{{1, 1}, {5, 6}};
        view.setMarks(marks, {});
        const QImage without = sharpPicture(view);
        view.setMarks(marks, QStringLiteral("entries that 0001-sft/last reads"));
        const QImage with = sharpPicture(view);
        int above = 0, below = 0;
        for (int y = 0; y < with.height(); ++y)
            for (int x = 0; x < with.width(); ++x)
                if (with.pixel(x, y) != without.pixel(x, y))
                    ++(y < with.height() - 40 ? above : below);
        QCOMPARE(above, 0);
        QVERIFY2(below > 200, qPrintable(QString::number(below)));
    }

    void picturesAreSaved()
    {
        PatternView view;
        view.resize(420, 400);
        auto matrix = generate("banded(n=12,band=1,fill=0)");
        QVERIFY(matrix);
        const auto runs = [&] {
            int count = 0; // neighbours of one row are one rectangle
            for (int r = 0; r < matrix->rows; ++r)
                for (int k = matrix->rowPtr[r]; k < matrix->rowPtr[r + 1]; ++k)
                    count += k == matrix->rowPtr[r] || matrix->col[k] != matrix->col[k - 1] + 1 ? 1 : 0;
            return count;
        }();
        view.setPattern(std::make_shared<MatrixPattern>(*matrix), QStringLiteral("band"));
        view.setShading(Shading::Binary);
        sharpPicture(view);
        const QString png = m_directory.filePath(QStringLiteral("pattern.png")),
                      svg = m_directory.filePath(QStringLiteral("pattern.svg"));
        QCOMPARE(view.save(png), QString());
        QCOMPARE(QImage(png).size(), QSize(840, 800));
        QCOMPARE(view.save(svg), QString());
        QFile file(svg);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QXmlStreamReader xml(&file);
        int shapes = 0, images = 0;
        while (!xml.atEnd()) {
            xml.readNext();
            if (xml.isStartElement()) {
                shapes += xml.name() == QLatin1String("path") || xml.name() == QLatin1String("rect") ? 1 : 0;
                images += xml.name() == QLatin1String("image") ? 1 : 0;
            }
        }
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QVERIFY2(shapes >= runs && images == 0, qPrintable(QStringLiteral("%1 of %2").arg(shapes).arg(runs)));
        QVERIFY(view.save(m_directory.filePath(QStringLiteral("no/such/folder.png")))
                    .contains(QLatin1String("folder.png")));
    }

    void filterNarrowsAndExplains()
    {
        MatricesPage page;
        QAbstractItemModelTester model(page.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QAbstractItemModelTester proxy(page.table()->proxy(),
                                       QAbstractItemModelTester::FailureReportingMode::QtTest);
        QVERIFY(open(page));
        const int all = page.model()->rowCount();
        std::vector<QString> large;
        for (const MatrixItem& item : page.model()->rows())
            if (item.row.nnz > 20000 && item.row.split == "train")
                large.push_back(toQString(item.row.name));
        QVERIFY(!large.empty() && static_cast<int>(large.size()) < all);
        QTest::keyClicks(page.filter(), QStringLiteral("nnz > 20k and split = train"));
        page.filter()->completion()->popup()->hide();
        const auto rows = [&] { return page.table()->proxy()->rowCount(); };
        QCOMPARE(rows(), static_cast<int>(large.size()));
        QVERIFY(page.table()->current()); // something that is seen is selected
        QVERIFY(std::find(large.begin(), large.end(), toQString(page.table()->current()->row.name)) !=
                large.end());
        page.filter()->setText(QStringLiteral("nnz > 20k and splitt = train"));
        QVERIFY2(page.filterProblem().contains(QLatin1String("Did you mean split")),
                 qPrintable(page.filterProblem()));
        QCOMPARE(rows(), static_cast<int>(large.size())); // as before
        page.filter()->setText(QStringLiteral("class = \"\""));
        QCOMPARE(rows(), 0); // every matrix that was read has a class
        page.filter()->clear();
        QCOMPARE(rows(), all);
        QVERIFY(page.filterProblem().isEmpty());
    }

    void filterCompletesTheWordUnderTheCursor()
    {
        FilterEdit edit;
        edit.resize(400, 30);
        edit.show();
        edit.setWords(
            {{QStringLiteral("row_mean"), {}}, {QStringLiteral("row_max"), {}}, {QStringLiteral("nnz"), {}}});
        QTest::keyClicks(&edit, QStringLiteral("nnz > 3 and row_me"));
        QVERIFY(edit.completion()->popup()->isVisible());
        QCOMPARE(edit.completion()->completionCount(), 1);
        QTest::keyClick(&edit, Qt::Key_Tab);
        QCOMPARE(edit.text(), QStringLiteral("nnz > 3 and row_mean "));
        QVERIFY(!edit.completion()->popup()->isVisible());
    }

    void splitsAndRemovalsAreUndone()
    {
        MatricesPage page;
        QVERIFY(open(page));
        const auto listed = [&] {
            std::map<std::string, std::string> splits;
            for (const MatrixItem& item : page.model()->rows())
                splits[item.row.name] = item.row.split;
            return splits;
        };
        const auto before = listed();
        page.table()->selectAll();
        page.setSplit(QStringLiteral("held-out"));
        auto held = before;
        for (auto& [name, split] : held)
            split = "held-out";
        QTRY_COMPARE_WITH_TIMEOUT(listed(), held, patience);
        m_session->undoStack()->undo();
        QTRY_COMPARE_WITH_TIMEOUT(listed(), before, patience);
        m_session->undoStack()->redo();
        m_session->undoStack()->undo(); // faster than the first can be written: nothing is lost
        page.table()->clearSelection();
        page.select(toQString(before.begin()->first));
        page.removeSelected();
        QTRY_COMPARE_WITH_TIMEOUT(page.model()->rowCount(), static_cast<int>(before.size()) - 1, patience);
        m_session->undoStack()->undo();
        QTRY_COMPARE_WITH_TIMEOUT(listed(), before, patience);
    }

    void aFolderIsImportedAndEveryFailureListed()
    {
        MatricesPage page;
        QVERIFY(open(page));
        QTemporaryDir drop;
        QVERIFY(QDir(drop.path()).mkpath(QStringLiteral("deep/er")));
        for (int i = 0; i < 40; ++i)
            writeText(drop.filePath(QStringLiteral("%1m%2.mtx")
                                        .arg(i % 2 ? QStringLiteral("deep/er/") : QString())
                                        .arg(i, 2, 10, QLatin1Char('0'))),
                      tinyMatrix(100 + i, 1 + i));
        for (int i = 0; i < 3; ++i)
            writeText(drop.filePath(QStringLiteral("deep/bad%1.mtx").arg(i)), tinyMatrix(3, 9));
        writeText(drop.filePath(QStringLiteral("readme.txt")), "no matrix");
        const int before = page.model()->rowCount();
        QSignalSpy finished(page.importer(), &MatrixImport::finished);
        page.importer()->start({drop.path(), drop.filePath(QStringLiteral("gone.mtx"))},
                               ImportSplit::EveryFifthHeldOut);
        QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, patience);
        QCOMPARE(finished[0][0].toStringList().size(), 40);
        const auto& problems = page.importer()->problems();
        QCOMPARE(problems.size(), 4);
        for (int i = 0; i < 3; ++i) {
            QCOMPARE(problems[i].file, drop.filePath(QStringLiteral("deep/bad%1.mtx").arg(i)));
            QVERIFY2(problems[i].reason.startsWith(QLatin1String("line 3: ")),
                     qPrintable(problems[i].reason));
        }
        QCOMPARE(problems[3].file, drop.filePath(QStringLiteral("gone.mtx")));
        for (const ImportProblem& problem : problems)
            QCOMPARE(problem.sentence().count(QFileInfo(problem.file).fileName()), 1);
        const QStringList said = finished[0][1].toStringList();
        QCOMPARE(said.size(), 4);
        for (int i = 0; i < 4; ++i)
            QCOMPARE(said[i], problems[i].sentence());
        QVERIFY(page.importer()->isVisible());
        ImportReport report(problems, nullptr);
        QCOMPARE(report.table()->rowCount(), 4);
        QCOMPARE(report.text().count(QLatin1Char('\n')), 4);
        QTRY_COMPARE_WITH_TIMEOUT(page.model()->rowCount(), before + 40, patience);
        int held = 0;
        for (const MatrixItem& item : page.model()->rows())
            held += item.row.rows >= 100 && item.row.rows < 140 && item.row.nnz == 1 &&
                            item.row.split == "held-out"
                        ? 1
                        : 0;
        QCOMPARE(held, 8); // of 44 files, each fifth, the bad ones counted
        // Right after the import every one has its class.
        QTRY_VERIFY_WITH_TIMEOUT(std::all_of(page.model()->rows().begin(), page.model()->rows().end(),
                                             [](const MatrixItem& i) { return !i.row.matrixClass.empty(); }),
                                 patience);
        for (QPushButton* button : page.importer()->findChildren<QPushButton*>())
            if (button->text() == QLatin1String("Close"))
                button->click();
        QVERIFY(!page.importer()->isVisible());
    }

    /// Files of any name and of other formats: each is in the list under one printable line.
    void filesOfAnyNameAndFormat()
    {
        MatricesPage page;
        QVERIFY(open(page));
        QTemporaryDir drop;
        const auto names = test::hostileNames();
        QStringList files;
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (!isUtf8(names[i]))
                continue; // a QString cannot name it; the command line can
            const QString path = drop.filePath(QString::fromStdString(names[i]));
            QVERIFY(test::writePlainly(path.toStdString(), test::numberedMatrix(1000 + i)));
            files.append(path);
        }
        for (const char* name : {"csr.npz", "f8.petsc", "scipy.rua", "deflated.zip"})
            files.append(QStringLiteral(SPARSERL_SOURCE_DIR "/tests/matrix/fixtures/formats/") +
                         QLatin1String(name));
        const int before = page.model()->rowCount();
        QSignalSpy finished(page.importer(), &MatrixImport::finished);
        page.importer()->start(files, ImportSplit::Train);
        QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, patience);
        // csr.npz, f8.petsc and deflated.zip hold one matrix: it is imported once.
        const auto& problems = page.importer()->problems();
        QCOMPARE(problems.size(), 2);
        for (const ImportProblem& problem : problems)
            QVERIFY2(problem.reason.contains(QLatin1String("in the project already")),
                     qPrintable(problem.reason));
        QTRY_COMPARE_WITH_TIMEOUT(page.model()->rowCount(), before + int(files.size()) - 2, patience);
        for (const MatrixItem& item : page.model()->rows())
            QCOMPARE(printableLine(item.row.name), item.row.name);
    }

    /// A reason stands beside its file, in the list and in the task's report: it does not name it again.
    void reasonsDoNotNameTheirFile_data()
    {
        QTest::addColumn<QString>("found");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char* name, const ImportProblem& problem, const char* reason) {
            QCOMPARE(problem.file, QStringLiteral("/far/a.mtx"));
            QCOMPARE(problem.sentence(), QStringLiteral("/far/a.mtx: ") + problem.reason);
            QTest::newRow(name) << problem.reason << QString::fromUtf8(reason);
        };
        const QString file = QStringLiteral("/far/a.mtx");
        row("a line", importProblem(file, {"an entry is missing", "/far/a.mtx", 3, "Copy it again"}),
            "line 3: an entry is missing. Copy it again");
        row("no line", importProblem(file, {"the file is empty", "/far/a.mtx", 0, {}}), "the file is empty");
        row("no file", importProblem(file, {"too little memory", {}, 0, {}}), "too little memory");
        row("a member", importProblem(file, {"it is empty", "/far/a.mtx(in/b.mtx)", 2, {}}),
            "in/b.mtx:2: it is empty");
        row("another file", importProblem(file, {"it is full", "/far/a.mtx.tmp", 0, {}}),
            "/far/a.mtx.tmp: it is full");
        row("a warning", importProblem(file, MatrixWarning{1204, 2, "a zero is stored"}),
            "line 1,204: a zero is stored (2 times)");
        row("a warning of no line", importProblem(file, MatrixWarning{0, 1, "it has no header"}),
            "it has no header");
    }
    void reasonsDoNotNameTheirFile()
    {
        QFETCH(QString, found);
        QFETCH(QString, reason);
        QCOMPARE(found, reason);
    }

    /// Everything else that a folder may hold: matrices are imported, and one sentence says what is passed
    /// over and why.
    void aFolderWithMoreThanMatrices()
    {
        MatricesPage page;
        QVERIFY(open(page));
        QTemporaryDir drop;
        const fs::path outside = drop.filePath(QStringLiteral("outside")).toStdString(),
                       folder = drop.filePath(QStringLiteral("in")).toStdString();
        for (const fs::path& made : {outside, folder / "dir.mtx", folder / "b"})
            fs::create_directories(made);
        std::size_t number = 2000;
        for (const fs::path& file : {folder / "plain.mtx", folder / "dir.mtx/inner.mtx", outside / "hard",
                                     outside / "linked", outside / "beyond.mtx"})
            QVERIFY(test::writePlainly(file, test::numberedMatrix(++number)));
        fs::create_hard_link(outside / "hard", folder / "hard.mtx");
        fs::create_symlink(outside / "linked", folder / "link.mtx");
        fs::create_directory_symlink(outside, folder / "more");
        fs::create_directory_symlink("..", folder / "b/round");
        fs::create_symlink("itself.mtx", folder / "itself.mtx");
        fs::create_symlink("nowhere", folder / "gone.mtx");
        fs::create_symlink("/dev/zero", folder / "zero.mtx");
        QCOMPARE(::mkfifo((folder / "pipe.mtx").c_str(), 0600), 0);
        QVERIFY(test::makeSocket(folder / "socket.mtx"));
        QVERIFY(test::makeUnlistableFolder(folder));
        const int before = page.model()->rowCount();
        QSignalSpy finished(page.importer(), &MatrixImport::finished);
        page.importer()->start({toQString(folder.string())}, ImportSplit::Train);
        QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, patience);
        QCOMPARE(finished[0][0].toStringList(),
                 QStringList({QStringLiteral("inner"), QStringLiteral("hard"), QStringLiteral("link"),
                              QStringLiteral("plain")}));
        const auto& problems = page.importer()->problems();
        QCOMPARE(problems.size(), 1);
        QCOMPARE(problems[0].file, toQString(folder.string()));
        const QString said = problems[0].reason;
        QVERIFY2(
            said.startsWith(QLatin1String("Import passed over: b/round and 1 more (a link to a folder), ")) &&
                said.endsWith(QLatin1Char('.')),
            qPrintable(said));
        for (const char* part :
             {"(cannot look at it: File name too long)", "gone.mtx (a link that leads nowhere)",
              "itself.mtx (a link that leads to itself)", "pipe.mtx (this is a named pipe, not a file)",
              "socket.mtx (this is a socket, not a file)", "zero.mtx (this is a device, not a file)"})
            QVERIFY2(said.contains(QLatin1String(part)), qPrintable(said));
        QTRY_COMPARE_WITH_TIMEOUT(page.model()->rowCount(), before + 4, patience);
        const auto* line = page.importer()->findChild<QLabel*>();
        QVERIFY2(line && line->text() == QLatin1String("4 matrices were added. ") + said,
                 line ? qPrintable(line->text()) : "");
        QVERIFY(!page.importer()->running());

        // Each of them alone, as a user may drop it.
        QStringList alone;
        for (const char* name : {"gone.mtx", "itself.mtx", "pipe.mtx", "socket.mtx", "zero.mtx", "b", "more"})
            alone.append(toQString((folder / name).string()));
        page.importer()->start(alone, ImportSplit::Train);
        QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 2, patience);
        QCOMPARE(finished[1][0].toStringList(),
                 QStringList(QStringLiteral("beyond"))); // the user names `more`
        const QStringList reasons = finished[1][1].toStringList();
        QCOMPARE(reasons.size(), 6);
        QVERIFY(reasons.contains(
            toQString((folder / "b").string()) +
            QStringLiteral(": Nothing is left to import: passed over: round (a link to a folder).")));
        for (qsizetype i = 0; i < reasons.size(); ++i)
            QVERIFY2(!reasons[i].isEmpty() && !reasons[i].contains(QLatin1Char('\n')),
                     qPrintable(reasons[i]));
        std::error_code code;
        removeTree(folder, code); // deeper than Qt removes
        QVERIFY(!code);
    }

    void anEmptyFolderSaysSo()
    {
        QTemporaryDir drop;
        MatrixImport import;
        import.setSession(m_session.get());
        QSignalSpy finished(&import, &MatrixImport::finished);
        import.start({drop.path()}, ImportSplit::Train);
        QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, patience);
        QCOMPARE(finished[0][0].toStringList(), QStringList());
        QVERIFY(finished[0][1].toStringList().first().startsWith(drop.path() +
                                                                 QLatin1String(": Neither this folder")));
    }

    void layoutAndFilterComeBack()
    {
        QStringList state;
        {
            MatricesPage page;
            connect(&page, &Page::viewStateChanged, this, [&](const QStringList& now) { state = now; });
            QVERIFY(open(page));
            page.table()->setColumnHidden(MatrixRows, true);
            page.table()->setColumnHidden(MatrixMore, false);
            page.table()->sortByColumn(MatrixNonZeros, Qt::DescendingOrder);
            page.filter()->setText(QStringLiteral("nnz > 5"));
        }
        MatricesPage page;
        page.setSession(m_session.get());
        page.restoreViewState(state);
        QVERIFY(page.table()->isColumnHidden(MatrixRows));
        QVERIFY(!page.table()->isColumnHidden(MatrixMore));
        QCOMPARE(page.filter()->text(), QStringLiteral("nnz > 5"));
        page.resize(1200, 760);
        page.show();
        QTRY_VERIFY_WITH_TIMEOUT(page.table()->proxy()->rowCount() > 2, patience);
        std::int64_t last = INT64_MAX;
        for (int row = 0; row < page.table()->proxy()->rowCount(); ++row) {
            const auto nnz = page.table()->proxy()->index(row, MatrixNonZeros).data(SortRole).toLongLong();
            QVERIFY(nnz <= last);
            last = nnz;
        }
    }

    // Lists that grow, shrink and change order keep the model honest.
    void rowsComeAndGo()
    {
        using Model = RowModel<int>;
        Model model(
            {{QStringLiteral("n"),
              {},
              [](const int& n, int role) { return role == Qt::DisplayRole ? QVariant(n) : QVariant(); },
              true}},
            [](const int& n) { return QString::number(n); }, nullptr);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
        QRandomGenerator random(7);
        std::vector<int> sorted;
        for (int round = 0; round < 200; ++round) {
            std::set<int> next(sorted.begin(), sorted.end());
            const bool grows = random.bounded(2) == 0;
            for (int i = random.bounded(6); i >= 0; --i)
                grows ? (void)next.insert(random.bounded(60)) : (void)next.erase(random.bounded(60));
            sorted.assign(next.begin(), next.end());
            model.setRows(sorted);
            QCOMPARE(model.rows(), sorted);
        }
        const auto before = resets.size(); // from and to nothing only
        QVERIFY(before < 20);
        std::reverse(sorted.begin(), sorted.end());
        model.setRows(sorted);
        QCOMPARE(model.rows(), sorted);
        QCOMPARE(resets.size(), before + 1);
    }

    void statesOfThePage()
    {
        QTemporaryDir other;
        const auto project = std::filesystem::path(other.path().toStdString()) / "empty";
        QVERIFY(Project::create(project, "empty"));
        auto session = ProjectSession::open(project);
        QVERIFY(session);
        MatricesPage page;
        QCOMPARE(page.state(), ProjectPage::State::Loading);
        page.resize(1000, 700);
        page.setSession(session->get());
        page.show();
        QTRY_COMPARE_WITH_TIMEOUT(page.state(), ProjectPage::State::Empty, patience);
        page.importer()->startGenerated("stencil2d(n=8)", "grid", "train");
        QTRY_COMPARE_WITH_TIMEOUT(page.state(), ProjectPage::State::Content, patience);
        page.setSession(nullptr);
        QCOMPARE(page.state(), ProjectPage::State::Loading);
        QCOMPARE(page.model()->rowCount(), 0);
    }

    // Looked at by people; here they must differ from each other and show colours.
    void pictures()
    {
        MatricesPage page;
        QVERIFY(open(page));
        page.select(QStringLiteral("lp-blend"));
        QTRY_VERIFY_WITH_TIMEOUT(page.detail()->pattern()->isVisible(), patience);
        const auto coloured = [](const QImage& image) {
            int count = 0;
            for (int y = 0; y < image.height(); y += 2)
                for (int x = 0; x < image.width(); x += 2)
                    count += image.pixelColor(x, y).saturation() > 90 ? 1 : 0;
            return count;
        };
        page.detail()->panel()->policyButton()->setChecked(true);
        page.filter()->setText(QStringLiteral("nnz > 3 and splitt = train"));
        QTest::qWait(800); // the mistake is told a moment after typing ended
        sharpPicture(*page.detail()->pattern());
        page.resize(912, 700); // of a window 1,024 pixels wide
        const QImage small = page.grab().toImage();
        QVERIFY(small.save(QStringLiteral("matrices-small.png")));
        QVERIFY(coloured(small) > 500);
        page.filter()->clear();
        page.resize(1488, 940);
        page.select(QStringLiteral("poisson2d"));
        page.detail()->panel()->policyButton()->setChecked(false);
        page.detail()->panel()->orders()->setCurrentIndex(2);
        QTRY_VERIFY_WITH_TIMEOUT(page.detail()->panel()->otherOrder()->isVisible(), patience);
        page.importer()->start({QStringLiteral("/nowhere/a.mtx"), QStringLiteral("/nowhere/b.mtx")},
                               ImportSplit::Train);
        QTRY_COMPARE_WITH_TIMEOUT(page.importer()->problems().size(), 2, patience);
        page.detail()->pattern()->zoom(0.02);
        sharpPicture(*page.detail()->pattern());
        const QImage large = page.grab().toImage();
        QVERIFY(large.save(QStringLiteral("matrices-orders.png")));
        QVERIFY(coloured(large) > 500);
        ImportReport report(page.importer()->problems(), nullptr);
        QVERIFY(report.grab().save(QStringLiteral("matrices-report.png")));
    }

    // An index of a later version cannot be read: the page says so instead of staying at "Reading".
    void whatCannotBeReadIsAnError()
    {
        QTemporaryDir other;
        const auto project = std::filesystem::path(other.path().toStdString()) / "later";
        QVERIFY(Project::create(project, "later"));
        {
            auto indexer = Indexer::open(project);
            QVERIFY(indexer && indexer->update());
        }
        sql::Database(project / "project.sqlite", sql::Database::Mode::Write)
            .execute("PRAGMA user_version=77");
        auto session = ProjectSession::open(project);
        QVERIFY(session);
        MatricesPage page;
        page.resize(1000, 700);
        page.setSession(session->get());
        page.show();
        QTRY_COMPARE_WITH_TIMEOUT(page.state(), ProjectPage::State::Error, patience);
        const auto said = [&] {
            QStringList texts;
            for (const QLabel* label : page.findChildren<QLabel*>())
                if (label->isVisible())
                    texts.append(label->text());
            return texts.join(QLatin1Char(' '));
        };
        QVERIFY2(said().contains(QLatin1String("version")), qPrintable(said()));
        QVERIFY(page.grab().save(QStringLiteral("matrices-error.png")));
        page.setSession(nullptr);
    }

    void propertiesOfTheMatrix()
    {
        MatricesPage page;
        QVERIFY(open(page));
        const auto shown = [&](const char* name) {
            for (const auto* table : page.detail()->findChildren<QTableWidget*>())
                for (int row = 0; row < table->rowCount(); ++row)
                    if (table->item(row, 0) && table->item(row, 0)->text() == QLatin1String(name))
                        return table->item(row, 1)->text();
            return QString();
        };
        const auto facts = [&] {
            QStringList texts;
            for (const QLabel* label : page.detail()->findChildren<QLabel*>())
                texts.append(label->text());
            return texts.join(QLatin1Char(' '));
        };
        page.select(QStringLiteral("lp-blend")); // more columns than rows
        QTRY_VERIFY_WITH_TIMEOUT(facts().contains(QLatin1String("rectangular")), patience);
        QCOMPARE(shown("Strongly connected components"), QStringLiteral("–"));
        const auto& rows = page.model()->rows();
        const auto symmetric = std::find_if(rows.begin(), rows.end(), [](const MatrixItem& item) {
            return structureOf(*item.features) == "symmetric" && item.features->strongComponents == 1;
        });
        QVERIFY(symmetric != rows.end());
        page.select(QString::fromStdString(symmetric->row.name));
        QTRY_VERIFY_WITH_TIMEOUT(facts().contains(QLatin1String(" symmetric")), patience);
        QVERIFY(facts().contains(QString::fromStdString(symmetric->row.matrixClass)));
        QCOMPARE(shown("Strongly connected components"), QStringLiteral("1"));
        QVERIFY(page.grab().save(QStringLiteral("matrices-properties.png")));
    }

    void fitsASmallScreen()
    {
        MatricesPage page;
        QVERIFY(open(page));
        QTRY_VERIFY_WITH_TIMEOUT(page.detail()->pattern()->isVisible(), patience);
        KernelsPage kernels;
        EvaluationPage evaluation;
        constexpr int room = 1024 - 88; // beside the bar of pages
        for (const Page* one :
             {static_cast<Page*>(&page), static_cast<Page*>(&kernels), static_cast<Page*>(&evaluation)})
            QVERIFY2(
                one->minimumSizeHint().width() <= room,
                qPrintable(QStringLiteral("%1: %2").arg(one->title()).arg(one->minimumSizeHint().width())));
    }

    void cleanup()
    {
        QCOMPARE(test::takeWarnings(), QStringList());
        QVERIFY(QApplication::topLevelWidgets().isEmpty());
    }
    void cleanupTestCase() { m_session.reset(); }

private:
    bool open(MatricesPage& page)
    {
        page.resize(1200, 760);
        page.setSession(m_session.get());
        page.show();
        return QTest::qWaitFor(
            [&] {
                const auto& rows = page.model()->rows();
                return page.state() == ProjectPage::State::Content && !m_session->busy() &&
                       std::all_of(rows.begin(), rows.end(), [](const MatrixItem& i) {
                           return !i.row.digest.empty() && i.features.has_value();
                       });
            },
            patience);
    }
    std::filesystem::path path() const
    {
        return m_directory.filePath(QStringLiteral("project")).toStdString();
    }

    QTemporaryDir m_directory;
    test::LiveRuns m_live;
    std::unique_ptr<ProjectSession> m_session;
};

SPARSERL_GUI_TEST_MAIN(TestWidgetsMatrices)
#include "tst_widgets_matrices.moc"
