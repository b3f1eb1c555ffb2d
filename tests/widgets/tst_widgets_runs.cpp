// SPDX-License-Identifier: Apache-2.0
// The list of runs: lineage, filter, what is on the charts and in which colour, notes and their undo.
#include "base/files.h"
#include "base/time.h"
#include "project/curves/curve_files.h"
#include "project/run/default_policy.h"
#include "project/run/launch.h"
#include "tests/patience.h"
#include "tests/widgets/fixture_project.h"
#include "tests/widgets/gui_test.h"
#include "tests/widgets/training_page_test.h"
#include "widgets/common/chart_widget.h"
#include "widgets/common/filter_edit.h"
#include "widgets/common/format.h"
#include "widgets/common/parameter_form.h"
#include "widgets/training/charts_panel.h"
#include "widgets/training/host_chooser.h"
#include "widgets/training/launch_dialog.h"
#include "widgets/training/log_view.h"
#include "widgets/training/run_columns_dialog.h"
#include "widgets/training/run_figure_store.h"
#include "widgets/training/run_header.h"
#include "widgets/training/run_list.h"
#include "widgets/training/run_notes_dialog.h"
#include "widgets/training/run_parameters.h"
#include "widgets/training/training_page.h"

#include <QAbstractButton>
#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QElapsedTimer>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPointer>
#include <QPushButton>
#include <QSignalSpy>
#include <QStandardItemModel>
#include <QTabWidget>
#include <QTableView>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <algorithm>

using namespace sparserl;

namespace {

RunSummary makeRun(const std::string& name, double created, const std::string& parent = {})
{
    RunSummary run;
    run.id = static_cast<RunId>(std::hash<std::string>{}(name) >> 1);
    run.name = name;
    run.stage = "rl";
    run.created = created;
    run.parentRun = parent;
    return run;
}

QStringList namesOf(const std::vector<RunRow>& rows)
{
    QStringList names;
    for (const RunRow& row : rows)
        names.append(QStringLiteral("%1 %2").arg(row.depth).arg(toQString(row.name)));
    return names;
}

QStringList namesOf(const std::vector<RunSummary>& runs)
{
    QStringList names;
    for (const RunSummary& run : runs)
        names.append(toQString(run.name));
    return names;
}

QStringList visibleNames(const RunList& list)
{
    QStringList names;
    for (int row = 0; row < list.visibleModel()->rowCount(); ++row)
        names.append(list.visibleModel()->index(row, RunName).data(KeyRole).toString());
    return names;
}

} // namespace

class TestRuns : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        auto session = test::openMadeProject(path(), m_live);
        QVERIFY2(session, session ? "" : session.error().sentence().c_str());
        m_session = std::move(*session);
    }

    void childrenStandBelowTheirParents()
    {
        // A circle, a parent that is gone, and one that is younger than its child.
        const std::vector<RunSummary> runs{makeRun("a", 1),          makeRun("b", 2),
                                           makeRun("a1", 3, "a"),    makeRun("a2", 5, "a"),
                                           makeRun("a1x", 4, "a1"),  makeRun("lost", 2.5, "gone"),
                                           makeRun("me", 2.6, "me"), makeRun("early", 0.5, "b")};
        const auto rows = inLineage(runs);
        QCOMPARE(namesOf(rows),
                 QStringList({QStringLiteral("0 a"), QStringLiteral("1 a1"), QStringLiteral("2 a1x"),
                              QStringLiteral("1 a2"), QStringLiteral("0 me"), QStringLiteral("0 lost"),
                              QStringLiteral("0 b"), QStringLiteral("0 early")}));
    }

    // A colour is of a run, whatever runs there are beside it; what was chosen stays.
    void coloursNeverMove()
    {
        std::vector<RunSummary> runs;
        for (const char* name : {"0001-sft", "0002-rl", "0003-rl", "0006-rl", "0017-rl", "mine", "another"})
            runs.push_back(makeRun(name, static_cast<double>(runs.size())));
        runs[2].notes.colour = 11;
        const auto coloursOf = [](const std::vector<RunSummary>& some) {
            std::map<std::string, int> colours;
            for (const RunRow& row : inLineage(some))
                colours[row.name] = runColour(row);
            return colours;
        };
        const auto all = coloursOf(runs);
        QCOMPARE(all.at("0001-sft"), 0);
        QCOMPARE(all.at("0002-rl"), 1);
        QCOMPARE(all.at("0003-rl"), 11);
        QCOMPARE(all.at("0006-rl"), 6); // the first five again, in another shade
        QCOMPARE(all.at("0017-rl"), 1);
        for (std::size_t gone = 0; gone < runs.size(); ++gone) {
            std::vector<RunSummary> left = runs;
            left.erase(left.begin() + static_cast<std::ptrdiff_t>(gone));
            std::reverse(left.begin(), left.end());
            left.push_back(makeRun("0000-older", -1));
            for (const auto& [name, colour] : coloursOf(left))
                QVERIFY2(name == "0000-older" || colour == all.at(name), name.c_str());
        }
    }

    // New rows between old ones are inserted: the selection lives through a fork.
    void selectionLivesThroughAFork()
    {
        RunList list;
        QAbstractItemModelTester tester(list.visibleModel(),
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        QAbstractItemModelTester sourceTester(list.model(),
                                              QAbstractItemModelTester::FailureReportingMode::QtTest);
        std::vector<RunSummary> runs{makeRun("a", 1), makeRun("b", 2), makeRun("c", 3)};
        list.setRuns(runs);
        list.select(QStringLiteral("b"));
        QSignalSpy reset(list.model(), &QAbstractItemModel::modelReset);
        runs.push_back(makeRun("b1", 2.5, "b")); // older than c: no tree changes its place
        list.setRuns(runs);
        QCOMPARE(visibleNames(list), QStringList({QStringLiteral("c"), QStringLiteral("b"),
                                                  QStringLiteral("b1"), QStringLiteral("a")}));
        QCOMPARE(reset.size(), 0);
        QCOMPARE(toQString(list.current()->name), QStringLiteral("b"));
        runs.push_back(makeRun("b2", 9, "b")); // now the tree of b is the newest
        list.setRuns(runs);
        QCOMPARE(visibleNames(list).first(), QStringLiteral("b"));
        QCOMPARE(toQString(list.current()->name), QStringLiteral("b"));
    }

    void filtersAndKeepsFilters()
    {
        RunList list;
        list.setRuns({makeRun("0001-sft", 1), makeRun("0002-rl", 2), makeRun("0003-rl", 3)});
        auto* said = list.findChild<QLabel*>(QStringLiteral("filterProblem"));
        list.show();
        list.filterEdit()->setText(QStringLiteral("name:rl"));
        QCOMPARE(visibleNames(list), QStringList({QStringLiteral("0003-rl"), QStringLiteral("0002-rl")}));
        list.filterEdit()->setText(QStringLiteral("name:rl colour:red")); // a mistake leaves the rows alone
        QTRY_VERIFY_WITH_TIMEOUT(said->isVisible(), patience);
        QVERIFY2(said->text().startsWith(QLatin1String("Runs have no \"colour\" (character 9)")),
                 qPrintable(said->text()));
        QCOMPARE(visibleNames(list).size(), 2);
        list.filterEdit()->setText(QStringLiteral("name = 0002-rl or stage = rl and step > 5"));
        QVERIFY(!said->isVisible());
        QCOMPARE(visibleNames(list), QStringList(QStringLiteral("0002-rl")));
        list.filterEdit()->setText(QStringLiteral("sft"));
        list.table()->setColumnHidden(RunTags, false);
        const QStringList state = list.state();
        RunList other;
        other.setState(state + QStringList(QStringLiteral("@saved=last>=0.5")));
        QCOMPARE(other.filterEdit()->text(), QStringLiteral("sft"));
        QVERIFY(!other.table()->isColumnHidden(RunTags));
        QVERIFY(other.table()->isColumnHidden(RunNote));
        QVERIFY(other.state().contains(QStringLiteral("@saved=last>=0.5")));
        other.setState({QStringLiteral("@columns3=nonsense")}); // of another version
        QVERIFY(!other.table()->isColumnHidden(RunName));
    }

    // Half a filter may let nothing pass. The run that was selected is selected again when it passes, and a
    // mistake leaves no empty list.
    void typingAFilterKeepsTheRun()
    {
        RunList list;
        list.setRuns({makeRun("0001-sft", 1), makeRun("0002-rl", 2), makeRun("0003-rl", 3)});
        list.show();
        list.select(QStringLiteral("0002-rl"));
        const auto current = [&] {
            const auto run = list.current();
            return run ? toQString(run->name) : QString();
        };
        const QString whole = QStringLiteral("stage = rl and step < 5");
        for (int length = 1; length <= whole.size(); ++length)
            list.filterEdit()->setText(whole.left(length));
        QVERIFY(visibleNames(list).contains(QStringLiteral("0002-rl")));
        QCOMPARE(current(), QStringLiteral("0002-rl"));
        list.filterEdit()->setText(QStringLiteral("colour"));
        QVERIFY(visibleNames(list).isEmpty());
        list.filterEdit()->setText(QStringLiteral("colour:red"));
        QCOMPARE(visibleNames(list).size(), 3);
        QCOMPARE(current(), QStringLiteral("0002-rl"));
        // Who selects another one meanwhile keeps that one.
        list.filterEdit()->setText(QStringLiteral("0003"));
        list.filterEdit()->setText(QString());
        list.select(QStringLiteral("0001-sft"));
        list.filterEdit()->setText(QStringLiteral("0"));
        QCOMPARE(current(), QStringLiteral("0001-sft"));
    }

    // Where no run passes the filter, the page shows none: no curves of a run that the list does not name.
    void aFilterThatNothingPassesShowsNoRun()
    {
        TrainingPage page;
        open(page, QStringLiteral("0002-rl"));
        auto* none = page.findChild<QWidget*>(QStringLiteral("noRun"));
        QVERIFY(none && !none->isVisible());
        QVERIFY(page.charts()->isVisible());
        page.list()->filterEdit()->setText(QStringLiteral("step > 1e9"));
        QVERIFY(visibleNames(*page.list()).isEmpty());
        QVERIFY(none->isVisible());
        QVERIFY(!page.charts()->isVisible());
        const auto labels = none->findChildren<QLabel*>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
            return label->text().startsWith(QLatin1String("No run passes the filter."));
        }));
        QTest::mouseClick(none->findChild<QPushButton*>(), Qt::LeftButton);
        QVERIFY(page.list()->filterEdit()->text().isEmpty());
        QVERIFY(page.charts()->isVisible());
        QCOMPARE(toQString(page.list()->current()->name), QStringLiteral("0002-rl"));
    }

    // Any metric, parameter and tag is a column, sorts the runs, and is what a filter compares.
    void figuresAreColumnsFiltersAndKeys()
    {
        TrainingPage page;
        open(page, QStringLiteral("0002-rl"));
        RunList& list = *page.list();
        RunColumnsDialog* dialog = list.chooseColumns();
        QTRY_VERIFY_WITH_TIMEOUT(list.figures()->named(), patience);
        dialog->setFilter(QStringLiteral("rl.entropy_coef"));
        const auto itemNamed = [&](const QString& text) -> QStandardItem* {
            const auto found = dialog->model()->findItems(text, Qt::MatchExactly | Qt::MatchRecursive);
            return found.isEmpty() ? nullptr : found.first();
        };
        for (const char* name : {"rl.entropy_coef", "reward · train"}) { // and "reward · held-out"
            QStandardItem* item = itemNamed(QString::fromUtf8(name));
            QVERIFY2(item, name);
            item->setCheckState(Qt::Checked);
        }
        dialog->close();
        QCOMPARE(list.figureColumns().size(), std::size_t(2));
        QCOMPARE(list.model()->columnCount(), RunColumns + 2);
        QCOMPARE(namesOf({*list.current()}), QStringList(QStringLiteral("0002-rl"))); // stays selected
        QCOMPARE(list.table()->selectionModel()->selectedRows(RunName).size(), 1);
        auto reader = ProjectReader::open(path());
        QVERIFY(reader);
        const auto cell = [&](const std::string& run, int column) {
            const QModelIndex row = list.model()->indexOfKey(toQString(run));
            return row.siblingAtColumn(column).data().toString();
        };
        const auto runs = reader->runs();
        QVERIFY(runs);
        int rewarded = 0;
        for (const RunSummary& run : *runs) {
            const auto latest = reader->latestMetrics(run.id);
            QVERIFY(latest);
            QString expected = QStringLiteral("–");
            for (const LatestMetric& metric : *latest)
                if (metric.name == "reward" && metric.split == "train")
                    expected = formatNumber(metric.value, 4);
            rewarded += expected == QStringLiteral("–") ? 0 : 1;
            QTRY_COMPARE_WITH_TIMEOUT(cell(run.name, RunColumns + 1), expected, patience);
            const auto config = reader->runConfig(run.id);
            const bool has = config && config->parameters.contains("rl.entropy_coef");
            QCOMPARE(cell(run.name, RunColumns),
                     has ? toQString(toText(config->parameters.at("rl.entropy_coef"))) : QStringLiteral("–"));
        }
        QVERIFY(rewarded > 1);
        // What has no value is last, whichever way.
        const auto values = [&] {
            std::vector<double> found;
            for (int row = 0; row < list.visibleModel()->rowCount(); ++row) {
                const RunRow* run =
                    list.model()->row(list.visibleModel()->mapToSource(list.visibleModel()->index(row, 0)));
                found.push_back(run->figures->metric("reward", "train").value_or(qQNaN()));
            }
            return found;
        };
        for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
            list.table()->sortByColumn(RunColumns + 1, order);
            const auto found = values();
            for (std::size_t i = 1; i < found.size(); ++i)
                QVERIFY(std::isnan(found[i]) ||
                        (order == Qt::AscendingOrder ? found[i - 1] <= found[i] : found[i - 1] >= found[i]));
        }
        // The same as a filter; a name that nobody has is said.
        list.filterEdit()->setText(QStringLiteral("reward:train > -1e9 and rl.entropy_coef > 0"));
        QTRY_COMPARE_WITH_TIMEOUT(
            list.visibleModel()->rowCount(),
            static_cast<int>(std::count_if(runs->begin(), runs->end(),
                                           [&](const RunSummary& run) {
                                               return !run.notes.archived &&
                                                      cell(run.name, RunColumns + 1) != QStringLiteral("–") &&
                                                      cell(run.name, RunColumns) != QStringLiteral("–");
                                           })),
            patience);
        QVERIFY(list.visibleModel()->rowCount() > 0);
        list.filterEdit()->setText(QStringLiteral("rl.entropy_coe > 0"));
        auto* said = list.findChild<QLabel*>(QStringLiteral("filterProblem"));
        QTRY_VERIFY_WITH_TIMEOUT(said->text().contains(QLatin1String("Did you mean rl.entropy_coef?")),
                                 patience);
        // A tag is a column and a key, too: runs that have it come first, or last.
        list.filterEdit()->clear();
        Annotation tagged;
        tagged.key = "0002-rl";
        tagged.field = Annotation::Field::Tag;
        tagged.value = "kept";
        m_session->annotate(tagged);
        const RunFigure tag{RunFigure::Kind::Tag, "kept", {}};
        QVERIFY(RunFigure::fromText(tag.text()) == tag);
        list.setFigure(tag, true);
        QTRY_COMPARE_WITH_TIMEOUT(cell("0002-rl", RunColumns + 2), QStringLiteral("✓"), patience);
        const auto firstShown = [&] {
            const QModelIndex first = list.visibleModel()->mapToSource(list.visibleModel()->index(0, 0));
            return list.model()->row(first) ? list.model()->row(first)->name : std::string();
        };
        list.table()->sortByColumn(RunColumns + 2, Qt::AscendingOrder);
        QTRY_COMPARE_WITH_TIMEOUT(firstShown(), std::string("0002-rl"), patience);
        list.table()->sortByColumn(RunColumns + 2, Qt::DescendingOrder);
        QTRY_VERIFY_WITH_TIMEOUT(firstShown() != "0002-rl", patience);
        m_session->undoStack()->undo();
        list.setFigure(tag, false);
        list.table()->sortByColumn(RunColumns + 1, Qt::DescendingOrder);
        // They come back with the page.
        RunList other;
        other.setState(list.state());
        QVERIFY(other.figureColumns() == list.figureColumns());
        QCOMPARE(other.table()->horizontalHeader()->sortIndicatorSection(), RunColumns + 1);
        list.setFigure(list.figureColumns().back(), false);
        QCOMPARE(list.model()->columnCount(), RunColumns + 1);
    }

    // An open eye keeps a run on the charts, in its colour; and all of that is there again.
    void eyesAndColoursStay()
    {
        {
            TrainingPage page;
            open(page, QStringLiteral("0006-rl"));
            RunList& list = *page.list();
            list.select(QStringLiteral("0002-rl"));
            QTest::keyClick(list.table(), Qt::Key_Space);
            list.select(QStringLiteral("0001-sft"));
            QTRY_COMPARE_WITH_TIMEOUT(namesOf(page.charts()->curves().runs()),
                                      QStringList({QStringLiteral("0001-sft"), QStringLiteral("0002-rl")}),
                                      patience);
            const auto indexed = [&] {
                auto reader = ProjectReader::open(path());
                return reader ? reader->runByName("0002-rl")->notes : AnnotationState();
            };
            QTRY_VERIFY_WITH_TIMEOUT(indexed().shown, patience);
            QCOMPARE(indexed().colour, 1); // by its number
        }
        TrainingPage page;
        open(page, QStringLiteral("0006-rl"));
        QTRY_COMPARE_WITH_TIMEOUT(namesOf(page.charts()->curves().runs()),
                                  QStringList({QStringLiteral("0006-rl"), QStringLiteral("0002-rl")}),
                                  patience);
        const auto series = [&] { return page.charts()->charts()[0]->data().series; };
        const auto colours = [&] {
            std::set<int> found;
            for (const ChartSeries& s : series())
                found.insert(s.colour);
            return found;
        };
        QTRY_COMPARE_WITH_TIMEOUT(colours(), (std::set<int>{1, 6}), patience);
        // Undone, it is there only while it is selected.
        page.list()->select(QStringLiteral("0002-rl"));
        QTest::keyClick(page.list()->table(), Qt::Key_Space);
        QVERIFY(!page.list()->current()->notes.shown);
        m_session->undoStack()->undo();
        QTRY_VERIFY_WITH_TIMEOUT(page.list()->current()->notes.shown, patience);
        QTest::keyClick(page.list()->table(), Qt::Key_Space);
        QTRY_VERIFY_WITH_TIMEOUT(!m_session->busy(), patience);
    }

    // The selected runs, as files of other programs; a folder that is there is left alone.
    void curvesOfTheSelectedRunsAreExported()
    {
        TrainingPage page;
        open(page, QStringLiteral("0002-rl"));
        RunList& list = *page.list();
        QMenu menu;
        list.fillSelectionMenu(&menu);
        QStringList offered;
        for (const QMenu* below : menu.findChildren<QMenu*>())
            if (below->title() == QLatin1String("Export the curves"))
                for (const QAction* action : below->actions())
                    offered << action->text();
        QCOMPARE(offered, (QStringList{QStringLiteral("For &TensorBoard…"), QStringLiteral("For &MLflow…")}));
        list.select(QStringLiteral("0002-rl"));
        QCOMPARE(list.current()->name, std::string("0002-rl"));
        const auto run = readRunCurves(path() / "runs/0002-rl");
        QVERIFY(run && run->curves.size() > 5);
        QSignalSpy said(&list, &RunList::statusMessage);
        for (const CurveFormat format : {CurveFormat::TensorBoard, CurveFormat::MLflow}) {
            const std::filesystem::path folder = path().string() + "-" + std::string(nameOf(format));
            said.clear();
            list.exportSelected(format, toQString(folder.string()));
            QTRY_COMPARE_WITH_TIMEOUT(said.size(), qsizetype{1}, patience);
            const QString sentence = said[0][0].toString();
            QVERIFY2(
                sentence.startsWith(QStringLiteral("Curves were written to %1: %2 curves of one run.")
                                        .arg(toQString(folder.string()),
                                             formatCount(static_cast<std::int64_t>(run->curves.size())))),
                qPrintable(sentence));
            const QStringList files = test::entriesBelow(folder);
            const QString kind = format == CurveFormat::TensorBoard ? QStringLiteral("/events.out.tfevents.")
                                                                    : QStringLiteral("/metrics/");
            QVERIFY2(std::ranges::any_of(files, [&](const QString& file) { return file.contains(kind); }),
                     qPrintable(files.join(QLatin1Char('\n'))));
            // Again: nothing of what is there changes, and the list of tasks says why.
            list.exportSelected(format, toQString(folder.string()));
            QTRY_VERIFY_WITH_TIMEOUT(!m_session->tasks()->newestActive(), patience);
            QCOMPARE(m_session->tasks()->tasks().front().state, TaskState::Failed);
            QCOMPARE(test::entriesBelow(folder), files);
            QCOMPARE(said.size(), qsizetype{1});
        }
    }

    void archiveIsUndone()
    {
        TrainingPage page;
        open(page, QStringLiteral("0002-rl"));
        RunList& list = *page.list();
        const QStringList before = visibleNames(list);
        QTest::keyClick(list.table(), Qt::Key_Delete);
        QStringList left = before;
        left.removeOne(QStringLiteral("0002-rl"));
        QCOMPARE(visibleNames(list), left); // at once, and no other
        const auto archived = [&] {
            auto reader = ProjectReader::open(path());
            return reader && reader->runByName("0002-rl")->notes.archived;
        };
        QTRY_VERIFY_WITH_TIMEOUT(archived(), patience);
        QCOMPARE(visibleNames(list), left);
        m_session->undoStack()->undo();
        QTRY_VERIFY_WITH_TIMEOUT(!archived(), patience);
        QTRY_COMPARE_WITH_TIMEOUT(visibleNames(list), before, patience);
    }

    void notesSayWhatChanged()
    {
        RunSummary run = makeRun("0001-rl", 1);
        run.notes.tags = {"good", "old"};
        run.notes.note = "a note";
        RunNotesDialog dialog(run, {QStringLiteral("good")}, nullptr);
        QVERIFY(dialog.changes().empty());
        dialog.setTags(QStringLiteral("good, -new , new,,"));
        dialog.setNote(QStringLiteral(" another\nnote "));
        AnnotationState state = run.notes;
        for (const Annotation& change : dialog.changes()) {
            QCOMPARE(change.key, std::string("0001-rl"));
            applyAnnotation(state, change);
        }
        QCOMPARE(state.tags, (std::vector<std::string>{"good", "new"}));
        QCOMPARE(state.note, std::string("another\nnote"));
        auto* note = dialog.findChild<QPlainTextEdit*>();
        dialog.show();
        note->setFocus();
        QTest::keyClick(note, Qt::Key_Tab); // goes on, and is no text
        QVERIFY(!note->hasFocus() && !note->toPlainText().contains(QLatin1Char('\t')));
    }

    /// What cannot be written stays in the dialog, and is written by another Save.
    void notesStayUntilTheyAreWritten()
    {
        RunList list;
        list.setSession(m_session.get());
        list.setRuns({makeRun("0001-sft", 1)});
        list.select(QStringLiteral("0001-sft"));
        const std::filesystem::path file = path() / "annotations.jsonl";
        const std::filesystem::path aside = file.string() + ".aside";
        std::error_code error;
        std::filesystem::rename(file, aside, error); // there may be none
        const bool kept = !error;
        std::filesystem::create_directory(file); // nothing can be appended to it
        QSignalSpy problem(m_session.get(), &ProjectSession::problem);
        for (QAction* action : list.findChildren<QAction*>())
            if (action->shortcut() == QKeySequence(Qt::Key_F2))
                action->trigger();
        QPointer<RunNotesDialog> dialog = list.findChild<RunNotesDialog*>();
        QVERIFY(dialog);
        dialog->setNote(QStringLiteral("a long note"));
        auto* buttons = dialog->findChild<QDialogButtonBox*>();
        const auto save = [&] {
            for (QAbstractButton* button : buttons->buttons())
                if (buttons->buttonRole(button) == QDialogButtonBox::AcceptRole)
                    button->click();
        };
        save();
        QTRY_VERIFY_WITH_TIMEOUT(!problem.isEmpty(), patience);
        QTRY_VERIFY_WITH_TIMEOUT(!m_session->busy(), patience);
        QVERIFY(dialog && dialog->isVisible());
        QVERIFY(!dialog->changes().empty());
        std::filesystem::remove(file);
        if (kept)
            std::filesystem::rename(aside, file);
        save();
        QTRY_VERIFY_WITH_TIMEOUT(!dialog, patience);
        QVERIFY(readFile(file)->find("a long note") != std::string::npos);
        m_session->undoStack()->undo();
        QTRY_VERIFY_WITH_TIMEOUT(!m_session->busy(), patience);
    }

    void parametersSideBySide()
    {
        TrainingPage page;
        open(page, QStringLiteral("0006-rl"));
        page.findChild<QTabWidget*>()->setCurrentWidget(page.findChild<RunParameters*>());
        auto& parameters = *page.findChild<RunParameters*>();
        QTRY_VERIFY_WITH_TIMEOUT(parameters.table()->rowCount() > 1, patience);
        QCOMPARE(parameters.table()->columnCount(), 4);
        page.list()->table()->selectAll();
        QTRY_VERIFY_WITH_TIMEOUT(parameters.table()->columnCount() > 5, patience);
        const auto seen = [&] {
            int count = 0;
            for (int row = 0; row < parameters.table()->rowCount(); ++row)
                count += parameters.table()->isRowHidden(row) ? 0 : 1;
            return count;
        };
        QVERIFY(seen() > 0); // what differs, as there are several now
        const int differing = seen();
        parameters.setOnlyDifferent(false);
        const int all = seen();
        QVERIFY(differing <= all);
        parameters.setOnlyDifferent(true);
        page.list()->table()->clearSelection();
        page.list()->select(QStringLiteral("0002-rl")); // two of one stage and the same parameters
        const QModelIndex other =
            page.list()->visibleModel()->mapFromSource(page.model()->indexOfKey(QStringLiteral("0006-rl")));
        page.list()->table()->selectionModel()->select(other, QItemSelectionModel::Select |
                                                                  QItemSelectionModel::Rows);
        QTRY_COMPARE_WITH_TIMEOUT(parameters.table()->columnCount(), 5, patience);
        QCOMPARE(seen(), 0);
        parameters.setOnlyDifferent(false);
        QVERIFY(seen() > 0 && seen() < all);
        parameters.setOnlyDifferent(true);
        page.list()->table()->selectAll();
        QTRY_VERIFY_WITH_TIMEOUT(parameters.table()->columnCount() > 5, patience);
        QVERIFY(seen() > 0);
        for (int row = 0; row < parameters.table()->rowCount(); ++row) {
            if (parameters.table()->isRowHidden(row))
                continue;
            std::set<QString> values;
            for (int column = 1; column < parameters.table()->columnCount() - 2; ++column)
                values.insert(parameters.table()->item(row, column)->text());
            QVERIFY(values.size() > 1);
        }
    }

    // A fork starts with what its parent has by now, and the form shows what is different from another run.
    void launchTakesOverAndCompares()
    {
        LaunchReference parent{"0002-rl", QStringLiteral("PPO"), {}};
        parent.config.stage = "rl";
        parent.config.preset = "quickstart-ppo";
        ParameterSet values(stageParameters(StageKind::Rl));
        QVERIFY(values.setText("rl.clip_low", "0.15"));
        parent.config.parameters = runValues(values);
        LaunchReference older = parent;
        older.run = "0001-rl";
        older.label = QStringLiteral("older");
        QVERIFY(values.setText("rl.clip_low", "0.25"));
        older.config.parameters = runValues(values);
        LaunchDialog dialog({}, "/p", nullptr);
        dialog.setRuns({parent, older});
        dialog.choose("rl", {}, {});
        QCOMPARE(dialog.config().preset, std::string("quickstart-ppo")); // what the project uses
        dialog.choose("sft", {}, {});
        QCOMPARE(dialog.config().preset, std::string("quickstart-sft"));
        dialog.takeOver("0002-rl", {{"rl.entropy_coef", "0.5"}});
        const RunConfig config = dialog.config();
        QCOMPARE(config.stage, std::string("rl"));
        QCOMPARE(std::get<double>(config.parameters.at("rl.clip_low")), 0.15);
        QCOMPARE(std::get<double>(config.parameters.at("rl.entropy_coef")), 0.5);
        for (QComboBox* box : dialog.findChildren<QComboBox*>())
            if (box->accessibleName() == QLatin1String("Compare with"))
                box->setCurrentText(QStringLiteral("older"));
        QStringList said;
        for (const QLabel* label : dialog.findChildren<QLabel*>())
            if (label->isVisibleTo(&dialog) && label->text().endsWith(QLatin1String(" in older")))
                said.append(label->text());
        said.sort();
        QCOMPARE(said, QStringList({QStringLiteral("0.01 in older"), QStringLiteral("0.25 in older")}));
    }

    /// The form of a fork says what goes on, or what starts again and why, and asks for just that.
    void forksSayWhatTheyKeep()
    {
        CheckpointRow checkpoint;
        checkpoint.runName = "0002-rl";
        checkpoint.name = "step-000040";
        checkpoint.path = "/p/runs/0002-rl/checkpoints/step-000040";
        checkpoint.step = 40;
        checkpoint.present = true;
        LaunchReference run;
        run.run = "0002-rl";
        run.config.stage = "rl";
        run.config.parentRun = "0001-sft";
        run.config.parentCheckpoint = "/p/runs/0001-sft/checkpoints/step-000400";
        ParameterSet values(stageParameters(StageKind::Rl));
        QVERIFY(values.setText("rl.iterations", "100"));
        run.config.parameters = runValues(values);
        LaunchDialog dialog({checkpoint}, "/p", nullptr);
        dialog.setRuns({run});
        dialog.choose("rl", {}, checkpoint.path);
        QVERIFY(dialog.forkNote()->text().isEmpty()); // a new run
        dialog.takeOver("0002-rl", {{"rl.lr", "1e-7"}});
        dialog.choose("rl", {}, checkpoint.path);
        QVERIFY2(dialog.forkNote()->text().contains(QLatin1String("Continues at step 40")),
                 qPrintable(dialog.forkNote()->text()));
        RunConfig config = dialog.config();
        QCOMPARE(config.forkOf, std::string("0002-rl"));
        QCOMPARE(config.forkCheckpoint, std::string("step-000040"));
        QCOMPARE(config.parentCheckpoint, run.config.parentCheckpoint); // the reference of the KL
        dialog.form()->enter("rl.algorithm", QStringLiteral("grpo"));
        QVERIFY2(dialog.forkNote()->text().contains(QLatin1String("another rl.algorithm")),
                 qPrintable(dialog.forkNote()->text()));
        config = dialog.config();
        QVERIFY(config.forkOf.empty());
        QCOMPARE(config.parentCheckpoint, checkpoint.path.string());
        dialog.form()->enter("rl.algorithm", QStringLiteral("ppo"));
        dialog.form()->enter("rl.iterations", QStringLiteral("40"));
        QVERIFY2(dialog.problem().contains(QLatin1String("Raise rl.iterations")),
                 qPrintable(dialog.problem()));
        // On another machine only the weights of the checkpoint arrive.
        dialog.form()->enter("rl.iterations", QStringLiteral("100"));
        dialog.where()->choose({"gpu9", "/srv/runs", "sparserl"});
        QVERIFY2(dialog.forkNote()->text().contains(QLatin1String("only the weights are sent")),
                 qPrintable(dialog.forkNote()->text()));
        config = dialog.config();
        QVERIFY(config.forkOf.empty());
        QCOMPARE(config.parentCheckpoint, checkpoint.path.string());
    }

    /// What stopped a run, what resume does, and what it began with, are not to be guessed.
    void stoppedRunsSayWhatResumeDoes()
    {
        RunSummary run;
        run.name = "0001-sft";
        run.stage = "sft";
        run.status = RunStatus::Stopped;
        run.reason = "Interrupted before the first checkpoint; resume begins the stage again";
        run.parentCheckpoint = "default";
        RunHeader header;
        header.setRun(run);
        header.show();
        const auto says = [&](const QString& words) {
            for (const QLabel* label : header.findChildren<QLabel*>())
                if (label->isVisible() && label->text().contains(words))
                    return true;
            return false;
        };
        QVERIFY(says(toQString(run.reason) + QLatin1Char('.')));
        QVERIFY(says(QStringLiteral("from the default policy")));
        // A generation may be a fork's first start: only what is known to be a resume is called so.
        run.generation = 1;
        header.setRun(run);
        QVERIFY(!says(QStringLiteral("resumed")));
        header.setResumes(2);
        QVERIFY(says(QStringLiteral("resumed 2 times")));
        header.setResumes(0);
        QVERIFY(!says(QStringLiteral("resumed")));
        QSignalSpy resumed(&header, &RunHeader::resumeAsked);
        for (auto* button : header.findChildren<QPushButton*>())
            if (button->text() == QLatin1String("Resume"))
                button->click();
        QCOMPARE(resumed.size(), 1);
        run.reason.clear();
        run.status = RunStatus::Done;
        run.parentCheckpoint = "/p/of-mine/";
        header.setRun(run);
        QVERIFY(!says(QStringLiteral("Interrupted")));
        QCOMPARE(parentText(run), QStringLiteral("of-mine"));
        run.parentRun = "0000-pretrain";
        QCOMPARE(parentText(run), QStringLiteral("0000-pretrain"));
    }

    /// The policy that comes with the program is a start like a checkpoint of the project.
    void runsStartFromTheDefaultPolicy()
    {
        LaunchDialog dialog({}, "/p", nullptr);
        dialog.choose("rl", {}, policyPlace("default"));
        QCOMPARE(dialog.problem(), QString());
        QCOMPARE(keptPolicy(dialog.config().parentCheckpoint), std::string("default"));
        QVERIFY(dialog.config().parentRun.empty());
        dialog.choose("sft", {}, {});
    }

    /// The form does not start what cannot run: each stage says which matrices it lacks.
    void stagesNeedTheirMatrices()
    {
        LaunchDialog dialog({}, "/p", nullptr);
        dialog.choose("sft", {}, {});
        QCOMPARE(dialog.problem(), QString());
        const struct
        {
            const char* stage;
            std::size_t training, heldOut;
            const char* said; ///< Empty: it can begin, or lacks something else.
        } cases[] = {{"sft", 0, 0, "The project has no matrices."},
                     {"pretrain", 0, 0, "The project has no matrices."},
                     {"sft", 0, 3, "no training matrices"},
                     {"rl", 0, 3, "no training matrices"},
                     {"rft", 0, 3, "no training matrices"},
                     {"evaluate", 3, 0, "\"held-out\""},
                     {"pretrain", 0, 3, ""},
                     {"evaluate", 0, 3, ""},
                     {"sft", 3, 0, ""}};
        for (const auto& one : cases) {
            dialog.choose(one.stage, {}, {});
            dialog.setMatrices(one.training, one.heldOut);
            const QString said = dialog.problem();
            if (*one.said)
                QVERIFY2(said.contains(QLatin1String(one.said)) &&
                             said.contains(QLatin1String("Matrices page")),
                         qPrintable(said));
            else
                QVERIFY2(!said.contains(QLatin1String("matrices")), qPrintable(said));
        }
    }

    /// What a stage would refuse as it begins, the form refuses: no run is left that never began.
    void valuesThatDoNotGoTogether()
    {
        LaunchDialog dialog({}, "/p", nullptr);
        dialog.choose("rl", {}, {});
        dialog.form()->enter("rl.kl_target", QStringLiteral("0.1"));
        dialog.form()->enter("rl.kl_coef", QStringLiteral("0"));
        QVERIFY2(dialog.problem().contains(QLatin1String("rl.kl_target multiplies rl.kl_coef")),
                 qPrintable(dialog.problem()));
        dialog.form()->enter("rl.kl_coef", QStringLiteral("0.1"));
        QVERIFY2(!dialog.problem().contains(QLatin1String("kl_")), qPrintable(dialog.problem()));
    }

    /// What the terminal suggests, the form suggests and enters; a fork keeps what its run had.
    void smallProjectsAreToldWhatSuitsThem()
    {
        CheckpointRow checkpoint;
        checkpoint.run = 7;
        checkpoint.runName = "0001-sft";
        checkpoint.stage = "sft";
        checkpoint.name = "step-000400";
        checkpoint.path = "/p/runs/0001-sft/checkpoints/step-000400";
        checkpoint.present = true;
        LaunchDialog dialog({checkpoint}, "/p", nullptr);
        dialog.show();
        const auto value = [&](const char* key) { return toText(dialog.form()->parameters().value(key)); };
        const auto says = [&](const char* text) {
            return dialog.suggestion()->isVisible() &&
                   dialog.suggestion()->text().contains(QLatin1String(text));
        };
        dialog.choose("sft", "sft", {});
        QVERIFY(!dialog.suggestion()->isVisible()); // nothing is known of matrices
        dialog.setMatrices(20, 2);
        QVERIFY(!dialog.suggestion()->isVisible());
        dialog.setMatrices(3, 2);
        QVERIFY2(says("The project has 3 matrices to train on"), qPrintable(dialog.suggestion()->text()));
        QVERIFY(says("Import or generate more on the Matrices page."));
        QVERIFY(!dialog.takeSuggestion()->isVisible()); // no value helps

        dialog.choose("rl", "sparserl-ppo", checkpoint.path);
        dialog.form()->enter("rl.matrices", QStringLiteral("6"));
        dialog.form()->enter("rl.samples", QStringLiteral("8"));
        QVERIFY2(says("Setting rl.matrices to 3 and rl.samples to 16 draws as many programs"),
                 qPrintable(dialog.suggestion()->text()));
        QVERIFY2(says("The project has 3 matrices to train on and rl.matrices is 6"),
                 qPrintable(dialog.suggestion()->text()));
        QCOMPARE(test::sharedKeys(dialog), QStringList());
        QTest::qWait(50); // it is laid out
        QVERIFY(dialog.grab().save(QStringLiteral("launch-suggestion.png")));
        QTest::mouseClick(dialog.takeSuggestion(), Qt::LeftButton);
        QCOMPARE(value("rl.matrices"), std::string("3"));
        QCOMPARE(value("rl.samples"), std::string("16"));
        QVERIFY(!dialog.suggestion()->isVisible() && !dialog.takeSuggestion()->isVisible());

        dialog.setCorrectRates({{7, 0.0}});
        QVERIFY2(says("last reported 0 % correct programs") && says("Fine-tune it longer first"),
                 qPrintable(dialog.suggestion()->text()));
        dialog.setCorrectRates({{7, 0.25}});
        QVERIFY(!dialog.suggestion()->isVisible());

        dialog.choose("evaluate", "evaluate", checkpoint.path);
        QVERIFY2(says("Setting evaluate.temperatures to 0.3,0.5,1 takes the one that is best"),
                 qPrintable(dialog.suggestion()->text()));
        dialog.choose("evaluate", "evaluate", "/p/runs/0002-rl/checkpoints/step-000010");
        auto reinforced = checkpoint;
        reinforced.stage = "rl";
        dialog.setCheckpoints({reinforced});
        QVERIFY(!dialog.suggestion()->isVisible());

        RunConfig config;
        config.stage = "rl";
        config.parameters = runValues(ParameterSet(stageParameters(StageKind::Rl)));
        config.parameters["rl.matrices"] = std::int64_t{6};
        dialog.setRuns({{"0002-rl", QStringLiteral("PPO"), config}});
        dialog.takeOver("0002-rl", {});
        QCOMPARE(value("rl.matrices"), std::string("6"));
        QVERIFY2(!dialog.suggestion()->isVisible(), qPrintable(dialog.suggestion()->text()));
    }

    /// A worker that dies before it has begun is told of while the page is open, with its last line.
    void aWorkerThatDiesAtOnce()
    {
        QTemporaryDir bin;
        const QString program = bin.filePath(QStringLiteral("sparserl"));
        QVERIFY(writeFileAtomic(program.toStdString(),
                                "#!/bin/sh\necho 'sparserl: no room for it' >&2\nexit 1\n"));
        QFile::setPermissions(program, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        TrainingPage page;
        page.resize(1200, 760);
        page.setSession(m_session.get());
        page.show();
        const auto project = Project::open(path());
        QVERIFY(project);
        RunConfig config;
        config.stage = "sft";
        config.title = "doomed";
        const auto worker = launchWorker(*project, config, program.toStdString());
        QVERIFY(worker);
        m_session->updateNow();
        const auto run = [&]() -> const RunRow* {
            for (const RunRow& row : page.model()->rows())
                if (row.title == "doomed")
                    return &row;
            return nullptr;
        };
        QTRY_VERIFY_WITH_TIMEOUT(run() && run()->status == RunStatus::Failed, patience);
        QCOMPARE(run()->reason, std::string("sparserl: no room for it"));
        std::filesystem::remove_all(worker->run);
    }

    void crashSaysItsLastLines()
    {
        TrainingPage page;
        open(page, QStringLiteral("0006-rl"));
        QString failed;
        for (const RunRow& row : page.model()->rows())
            if (row.status == RunStatus::Failed)
                failed = toQString(row.name);
        QVERIFY(!failed.isEmpty());
        QFile log(toQString((path() / "runs" / failed.toStdString() / "worker.log").string()));
        QVERIFY(log.open(QIODevice::WriteOnly));
        log.write("first\nsecond\nthird\nfourth\n2026-01-01T00:00:00.000Z error   out of memory\n");
        log.close();
        page.list()->select(failed);
        const auto lines = [&] {
            for (const QLabel* label : page.findChildren<QLabel*>())
                if (label->accessibleName() == QLatin1String("Last lines of the run") &&
                    label->isVisibleTo(&page))
                    return label->text();
            return QString();
        };
        QTRY_VERIFY_WITH_TIMEOUT(lines().contains(QLatin1String("out of memory")), patience);
        QVERIFY(!lines().contains(QLatin1String("first")));
        // The log finds it, and nothing else.
        auto& view = *page.findChild<LogView*>();
        page.findChild<QTabWidget*>()->setCurrentWidget(&view);
        QTRY_VERIFY_WITH_TIMEOUT(view.text().contains(QLatin1String("out of memory")), patience);
        view.setFilter(QStringLiteral("MEMORY"));
        QCOMPARE(view.text().count(QLatin1Char('\n')), 0);
        QVERIFY(view.text().contains(QLatin1String("out of memory")));
        page.list()->select(QStringLiteral("0006-rl"));
        QTRY_VERIFY_WITH_TIMEOUT(lines().isEmpty(), patience);
    }

    void cleanup() { QCOMPARE(test::takeWarnings(), QStringList()); }
    void cleanupTestCase() { m_session.reset(); }

private:
    std::filesystem::path path() const
    {
        return std::filesystem::path(m_directory.path().toStdString()) / "project";
    }
    void open(TrainingPage& page, const QString& run) { test::openRun(page, m_session.get(), run); }

    QTemporaryDir m_directory;
    test::LiveRuns m_live;
    std::unique_ptr<ProjectSession> m_session;
};

SPARSERL_GUI_TEST_MAIN(TestRuns)
#include "tst_widgets_runs.moc"
