// SPDX-License-Identifier: Apache-2.0
// What stands beside the source: which of the texts are compared, the code of a copy that is being edited,
// and what such a copy is filed under.
#include "base/hash.h"
#include "corpus/corpus.h"
#include "project/run/written_programs.h"
#include "tests/patience.h"
#include "tests/widgets/fixture_project.h"
#include "tests/widgets/gui_test.h"
#include "widgets/common/panels.h"
#include "widgets/kernels/candidate_model.h"
#include "widgets/kernels/code_pane.h"
#include "widgets/kernels/copy_code.h"
#include "widgets/kernels/edit_dialog.h"
#include "widgets/kernels/facet_bar.h"
#include "widgets/kernels/kernel_detail.h"
#include "widgets/kernels/kernels_page.h"
#include "widgets/kernels/scintilla.h"
#include "widgets/kernels/source_pair.h"
#include "widgets/kernels/source_view.h"

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QPointer>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <memory>
#include <optional>
#include <utility>

using namespace sparserl;

namespace {

bool isPtx(const QsciScintilla* editor)
{
    return editor->text().contains(QLatin1String(".visible .entry"));
}

bool isSource(const QsciScintilla* editor)
{
    return editor->text().contains(QLatin1String("__global__"));
}

bool isSass(const QsciScintilla* editor)
{
    return editor->text().contains(QLatin1String("EXIT"));
}

} // namespace

class TestListings : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (!QFile::exists(QStringLiteral(SPARSERL_BIN_DIR "/sparserl")))
            QSKIP("The command line was not built.");
        m_before = qgetenv("PATH");
        qputenv("PATH", QByteArray(SPARSERL_BIN_DIR ":") + m_before);
        auto session = test::openMadeProject(path(), m_live);
        QVERIFY2(session, session ? "" : session.error().sentence().c_str());
        m_session = std::move(*session);
        QTRY_VERIFY_WITH_TIMEOUT(!m_session->busy(), patience);
    }

    // Of two programs, source, PTX or SASS is compared as the buttons say; no cursor and no key changes that.
    void kindsAreChosenByButtonsOnly()
    {
        KernelsPage page;
        page.resize(1200, 760);
        page.setSession(m_session.get());
        page.show();
        CandidateFilter filter = page.facets()->filter();
        filter.verdicts = {"correct"};
        page.facets()->setFilter(filter);
        const auto row = [&](int at) { return page.model()->row(page.model()->index(at, 0)); };
        QTRY_VERIFY_WITH_TIMEOUT(!page.model()->searching() && page.model()->rowCount() > 10 && row(0),
                                 patience);
        KernelDetail& detail = *page.detail();
        const auto choose = [&](int at) {
            page.table()->setCurrentIndex(page.model()->index(at, 0));
            QTRY_VERIFY_WITH_TIMEOUT(row(at) && detail.candidate() && detail.candidate()->id == row(at)->id &&
                                         !m_session->busy(),
                                     patience);
            QTest::qWait(20);
        };
        choose(0);
        const QString first = detail.source()->editor()->text();
        detail.toggleBaseline();
        for (int other = 1; other < 10 && detail.source()->editor()->text() == first; ++other)
            choose(other);
        QVERIFY(detail.code()->comparing());
        SourcePair* pair = detail.sources();
        QsciScintilla *own = pair->source()->editor(), *others = pair->baseline()->editor();
        const auto kind = [&](CodeKind wanted) { return detail.code()->kindButton(wanted); };
        const auto told = [&] { return detail.findChild<MessageBar*>()->accessibleName(); };
        // Cursor, focus, keys and mouse in either of the two.
        const auto moveAbout = [&] {
            page.activateWindow();
            for (QsciScintilla* editor : {own, others, own}) {
                editor->setFocus();
                for (const int line : {0, editor->lines() / 2, editor->lines() - 1}) {
                    editor->setCursorPosition(line, 0);
                    QTest::keyClick(editor, Qt::Key_Down);
                    QTest::mouseClick(editor->viewport(), Qt::LeftButton, {}, QPoint(60, 30));
                    QTest::qWait(30); // the editor tells of its cursor when it is painted
                }
            }
        };
        const std::pair<CodeKind, bool (*)(const QsciScintilla*)> kinds[] = {{CodeKind::Program, isSource},
                                                                             {CodeKind::Ptx, isPtx},
                                                                             {CodeKind::Sass, isSass},
                                                                             {CodeKind::Ptx, isPtx},
                                                                             {CodeKind::Program, isSource}};
        for (const auto& [wanted, shows] : kinds) {
            kind(wanted)->click();
            const auto done = [&, shows = shows] { return shows(own) && shows(others); };
            const auto noSass = [&] { return told().startsWith(QLatin1String("There is no SASS")); };
            QTRY_VERIFY_WITH_TIMEOUT(done() || (wanted == CodeKind::Sass && noSass()), patience);
            if (!done())
                continue; // this machine has no nvdisasm, and says so
            QVERIFY(detail.code()->comparedKind() == wanted && kind(wanted)->isChecked());
            moveAbout();
            QVERIFY(done());
            QVERIFY(detail.code()->comparedKind() == wanted && kind(wanted)->isChecked());
        }
        QCOMPARE(others->text(), first);
        detail.toggleBaseline();
    }

    // What an edited copy becomes, compiled while it is typed.
    void codeOfACopy()
    {
        EditDialog dialog(m_session.get(), original(), {}, nullptr);
        dialog.show();
        CopyCode* code = dialog.code();
        QsciScintilla *editor = dialog.sources()->source()->editor(),
                      *ptx = dialog.sources()->baseline()->editor(),
                      *sass = dialog.sources()->second()->editor();
        code->choice()->setCurrentIndex(3); // PTX and SASS
        QTRY_VERIFY_WITH_TIMEOUT(isPtx(ptx) && code->state()->text() != QLatin1String("Compiling…"),
                                 patience);
        if (code->state()->text() != QLatin1String("Up to date.")) {
            QVERIFY2(code->state()->text().contains(QLatin1String("nvdisasm")),
                     qPrintable(code->state()->text()));
            QSKIP("This machine has no nvdisasm.");
        }
        QVERIFY2(isSass(sass), qPrintable(sass->text()));
        QVERIFY(!sass->text().contains(QLatin1String("written_now")));
        editor->append(
            QStringLiteral("extern \"C\" __global__ void written_now(float* p) { p[0] = 3.0f; }\n"));
        QTRY_VERIFY_WITH_TIMEOUT(sass->text().contains(QLatin1String("written_now")) &&
                                     ptx->text().contains(QLatin1String("written_now")),
                                 patience);
        // What does not compile leaves what was made last.
        editor->append(QStringLiteral("float broken = ;\n"));
        QTRY_VERIFY_WITH_TIMEOUT(code->state()->text() != QLatin1String("Up to date.") &&
                                     code->state()->text() != QLatin1String("Compiling…"),
                                 patience);
        QVERIFY(sass->text().contains(QLatin1String("written_now")));
        code->choice()->setCurrentIndex(2); // SASS alone
        QTRY_VERIFY_WITH_TIMEOUT(isSass(ptx) && dialog.sources()->second()->isHidden(), patience);
        editor->setText(QString::fromStdString(original().text)); // nothing to keep
        dialog.close();
        QTRY_VERIFY_WITH_TIMEOUT(!m_session->busy(), patience);
    }

    // A copy whose plan cannot be read is filed under the task of its original, and one whose plan can be
    // read under its own, whatever the verdict.
    void copiesAreFiledUnderTheTaskOfTheirPlan()
    {
        ComparedProgram wide = original();
        wide.candidate.target.variant = TargetVariant::of(Task::SpMM, 8);
        wide.text = referenceProgram(Task::SpMM).text;
        wide.record.reset();
        const std::pair<QString, std::int64_t> copies[] = {
            {QStringLiteral("//! launch nothing\n"), 8},
            {QStringLiteral("//! task spmv\n//! launch k<<<1, max_length - max_length>>>(y)\n"
                            "extern \"C\" __global__ void k(float* y) {}\n"),
             1}};
        for (const auto& [text, columns] : copies) {
            auto* made = new EditDialog(m_session.get(), wide, {}, nullptr);
            made->setAttribute(Qt::WA_DeleteOnClose);
            made->show();
            made->sources()->source()->editor()->setText(text);
            made->evaluate();
            QTRY_VERIFY_WITH_TIMEOUT(!made->outcome()->text().startsWith(QLatin1String("Judging")), patience);
            const QString said = made->outcome()->text();
            const QPointer<EditDialog> dialog(made);
            made->close();
            QTRY_VERIFY_WITH_TIMEOUT(!dialog, patience);
            const auto row = [&, hash = sha256Hex(text.toStdString())]() -> std::optional<CandidateRow> {
                auto reader = ProjectReader::open(path());
                CandidateFilter filter;
                filter.origins = {sample_origin::hand};
                filter.programHash = hash;
                const auto rows = reader->candidateRows(*reader->candidateOrder(filter, {}, true));
                return rows && rows->size() == 1 ? std::optional(rows->front()) : std::nullopt;
            };
            QTRY_VERIFY_WITH_TIMEOUT(row(), patience);
            const CandidateRow kept = *row();
            QVERIFY2(kept.verdict == Verdict::PlanError, qPrintable(said));
            QCOMPARE(kept.target.variant.columns, columns);
            QCOMPARE(kept.target.contents, wide.candidate.target.contents);
        }
    }

    void cleanup() { QCOMPARE(test::takeWarnings(), QStringList()); }
    void cleanupTestCase()
    {
        m_session.reset();
        qputenv("PATH", m_before);
    }

private:
    /// A correct program of the project.
    ComparedProgram original() const
    {
        auto reader = ProjectReader::open(path());
        CandidateFilter filter;
        filter.verdicts = {"correct"};
        const auto ids = reader->candidateOrder(filter, {}, true);
        ComparedProgram program;
        program.candidate = *reader->candidate(ids->front());
        program.text = *reader->programText(program.candidate.programHash);
        program.record = *reader->verdict(program.candidate.id);
        return program;
    }
    std::filesystem::path path() const
    {
        return m_directory.filePath(QStringLiteral("project")).toStdString();
    }

    QTemporaryDir m_directory;
    test::LiveRuns m_live;
    std::unique_ptr<ProjectSession> m_session;
    QByteArray m_before;
};

SPARSERL_GUI_TEST_MAIN(TestListings)
#include "tst_widgets_listings.moc"
