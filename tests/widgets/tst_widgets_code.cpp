// SPDX-License-Identifier: Apache-2.0
// Listings beside a program: help on instructions, control codes, what differs; and what the tab of the log
// says.
#include "tests/widgets/gui_test.h"
#include "widgets/kernels/code_editor_style.h"
#include "widgets/kernels/code_listing.h"
#include "widgets/kernels/compile_log_view.h"
#include "widgets/kernels/find_bar.h"
#include "widgets/kernels/instruction_tips.h"
#include "widgets/kernels/listing_counts.h"
#include "widgets/kernels/sass_bar.h"
#include "widgets/kernels/source_pair.h"
#include "widgets/kernels/source_view.h"

#include "tests/patience.h"
#include "widgets/kernels/scintilla.h"
#include <QComboBox>
#include <QHelpEvent>
#include <QLabel>
#include <QLineEdit>
#include <QShortcut>
#include <QSignalSpy>
#include <QTest>
#include <QToolTip>
#include <QVBoxLayout>
#include <cstdlib>

using namespace sparserl;

namespace {

CodeListing sassListing()
{
    CodeListing listing;
    listing.kind = CodeKind::Sass;
    listing.text = QStringLiteral("spmv:\n"
                                  "  /*0000*/       LDG.E R2, [R2.64] ;\n"
                                  "  /*0010*/  @!P0 FFMA R5, R2, R2, R5 ;\n"
                                  "  /*0020*/  @P1  BRA `(.L_x_3) ;\n"
                                  "  /*0030*/       EXIT ;\n");
    listing.lines = {0, 2, 2, 3, 3};
    listing.controls = {{},
                        QStringLiteral("B------:R-:W2:-:S04"),
                        QStringLiteral("B--2---:R-:W-:-:S05"),
                        QStringLiteral("B------:R-:W-:-:S05"),
                        QStringLiteral("B------:R-:W-:Y:S05")};
    listing.help = {
        {QStringLiteral("LDG.E"),
         {QStringLiteral("d, [a]"), QStringLiteral("Loads <it>."),
          QStringLiteral(".E: the address has 64 bits; .X: another"), QStringLiteral("LSU pipe")}},
        {QStringLiteral("FFMA"), {QStringLiteral("d, a, b, c"), QStringLiteral("d = a * b + c."), {}, {}}}};
    return listing;
}

/// The tool tip where the mouse rests on a character of a line.
QString tipOver(QsciScintilla* editor, int line, int column)
{
    QToolTip::hideText(); // after a moment
    if (!QTest::qWaitFor([] { return !QToolTip::isVisible(); }))
        return QStringLiteral("the tool tip before stays");
    const long position = editor->positionFromLineIndex(line, column);
    const auto at = [&](unsigned int message) {
        return static_cast<int>(editor->SendScintilla(message, 0UL, position));
    };
    const QPoint point(at(QsciScintilla::SCI_POINTXFROMPOSITION) + 2,
                       at(QsciScintilla::SCI_POINTYFROMPOSITION) + 4);
    QHelpEvent event(QEvent::ToolTip, point, editor->viewport()->mapToGlobal(point));
    QApplication::sendEvent(editor->viewport(), &event);
    return QToolTip::isVisible() ? QToolTip::text() : QString();
}

} // namespace

class TestWidgetsCode : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void instructionsOfLines_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("whole");
        QTest::newRow("sass") << "  /*0010*/       IADD3 R1, R2, R3 ;"
                              << "IADD3"
                              << "IADD3 R1, R2, R3 ";
        QTest::newRow("predicate") << "  /*0010*/  @!P0 LDG.E.CONSTANT R2, [R2.64] ;"
                                   << "LDG.E.CONSTANT"
                                   << "@!P0 LDG.E.CONSTANT R2, [R2.64] ";
        QTest::newRow("sass alone") << "  /*0090*/       EXIT;"
                                    << "EXIT"
                                    << "EXIT";
        QTest::newRow("ptx") << "\tld.global.nc.L1::no_allocate.f32 \t%f1, [%rd4];"
                             << "ld.global.nc.L1::no_allocate.f32"
                             << "ld.global.nc.L1::no_allocate.f32 \t%f1, [%rd4]";
        QTest::newRow("ptx predicate") << "\t@%p1 bra \t$L__BB0_3;"
                                       << "bra"
                                       << "@%p1 bra \t$L__BB0_3";
        QTest::newRow("brace") << "\t{ mov.b32 %r1, %f1;"
                               << "mov.b32"
                               << "mov.b32 %r1, %f1";
        QTest::newRow("label") << ".L_x_3:"
                               << ""
                               << "";
        QTest::newRow("label of PTX") << "$L__BB0_3:"
                                      << ""
                                      << "";
        QTest::newRow("kernel") << "spmv:"
                                << ""
                                << "";
        QTest::newRow("directive") << "\t.reg .b32 \t%r<9>;"
                                   << ""
                                   << "";
        QTest::newRow("nothing") << ""
                                 << ""
                                 << "";
    }
    void instructionsOfLines()
    {
        QFETCH(QString, line);
        QFETCH(QString, name);
        QFETCH(QString, whole);
        const InstructionPlace place = instructionOn(line);
        QCOMPARE(place.name, name);
        QCOMPARE(line.mid(place.begin, place.end - place.begin), whole);
    }

    // What moves with every change is no difference: addresses, numbers of labels, lines of the program.
    void whatIsNoDifference()
    {
        using Lines = std::vector<std::string>;
        QCOMPARE(
            comparedLines(QStringLiteral("  /*0010*/  @P0  BRA `(.L_x_3) ;\n.L_x_3:\n"), CodeKind::Sass),
            comparedLines(QStringLiteral("  /*00f0*/  @P0  BRA `(.L_x_12) ;\n.L_x_12:\n"), CodeKind::Sass));
        QVERIFY(comparedLines(QStringLiteral("  /*0010*/  MOV R1, R2 ;"), CodeKind::Sass) !=
                comparedLines(QStringLiteral("  /*0010*/  MOV R1, R3 ;"), CodeKind::Sass));
        QCOMPARE(comparedLines(QStringLiteral("\t.loc\t1 6 5\n\tbra $L__BB0_2;\n"), CodeKind::Ptx),
                 comparedLines(QStringLiteral("\t.loc\t1 9 1\n\tbra $L__BB0_14;\n"), CodeKind::Ptx));
        QVERIFY(comparedLines(QStringLiteral("\tadd.f32 %f1, %f2, %f3;"), CodeKind::Ptx) !=
                comparedLines(QStringLiteral("\tadd.f32 %f1, %f2, %f4;"), CodeKind::Ptx));
        QCOMPARE(comparedLines(QStringLiteral("/*0010*/ x;\n.loc 1"), CodeKind::Program),
                 (Lines{"/*0010*/ x;", ".loc 1"}));
    }

    void helpWhereTheMouseRests()
    {
        SourceView view;
        view.resize(700, 300);
        view.showListing(sassListing(), QStringLiteral("SASS"));
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view, test::patience()));
        const QString tip = tipOver(view.editor(), 1, 18);
        QVERIFY2(tip.contains(QLatin1String("LDG.E d, [a]\n")), qPrintable(tip));
        QVERIFY2(tip.contains(QLatin1String("Loads <it>.")), qPrintable(tip));
        QVERIFY2(tip.contains(QLatin1String("\n.X: ")) && tip.contains(QLatin1String("LSU pipe.")),
                 qPrintable(tip));
        QVERIFY(tipOver(view.editor(), 2, 30).contains(QLatin1String("FFMA"))); // on an operand
        QCOMPARE(tipOver(view.editor(), 0, 1), QString());
        QCOMPARE(tipOver(view.editor(), 4, 18), QString()); // nothing is known of it here
        // The program itself has no instructions.
        view.showProgram(QStringLiteral("FFMA R5, R2\n"), {});
        QCOMPARE(tipOver(view.editor(), 0, 1), QString());
    }

    void helpByKeyboard()
    {
        SourceView view;
        view.resize(700, 300);
        view.showListing(sassListing(), QStringLiteral("SASS"));
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view, test::patience()));
        view.editor()->setCursorPosition(2, 0);
        view.tips()->explainHere();
        QVERIFY(QToolTip::isVisible());
        QVERIFY(QToolTip::text().contains(QLatin1String("FFMA")));
        QCOMPARE(view.editor()->accessibleDescription(), QStringLiteral("FFMA d, a, b, c. d = a * b + c."));
        view.editor()->setCursorPosition(0, 0);
        view.tips()->explainHere();
        QCOMPARE(view.editor()->accessibleDescription(),
                 QStringLiteral("There is no instruction on this line."));
        view.editor()->setCursorPosition(4, 0);
        view.tips()->explainHere();
        QCOMPARE(view.editor()->accessibleDescription(), QStringLiteral("Nothing is known about EXIT."));
    }

    void controlCodesAreAColumn()
    {
        SourceView view;
        view.resize(700, 300);
        view.showListing(sassListing(), QStringLiteral("SASS"));
        QCOMPARE(view.editor()->marginWidth(TextMargin), 0);
        view.setControlsShown(true);
        QVERIFY(view.editor()->marginWidth(TextMargin) > 60);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view, test::patience()));
        const QPoint inMargin(view.editor()->marginWidth(0) + 20, 30);
        QHelpEvent event(QEvent::ToolTip, inMargin, view.editor()->viewport()->mapToGlobal(inMargin));
        QApplication::sendEvent(view.editor()->viewport(), &event);
        QVERIFY(QToolTip::isVisible());
        QCOMPARE(QToolTip::text(), SassBar::legend());
        // Nothing else has any, and where they are unknown that is said.
        CodeListing ptx = sassListing();
        ptx.kind = CodeKind::Ptx;
        view.showListing(ptx, QStringLiteral("PTX"));
        QCOMPARE(view.editor()->marginWidth(TextMargin), 0);
        CodeListing unknown = sassListing();
        unknown.controls.clear();
        unknown.controlProblem = QStringLiteral("control codes unknown");
        view.showListing(unknown, QStringLiteral("SASS"));
        QCOMPARE(view.editor()->marginWidth(TextMargin), 0);
        QStringList labels;
        for (const QLabel* label : view.findChildren<QLabel*>())
            labels.append(label->text());
        QVERIFY(labels.contains(QStringLiteral("SASS · control codes unknown")));
        view.setControlsShown(false);
    }

    void differencesOfSass()
    {
        SourcePair pair;
        pair.resize(900, 300);
        CodeListing other = sassListing();
        // One more instruction moves every address behind it, and the label has another number.
        other.text = QStringLiteral("spmv:\n"
                                    "  /*0000*/       LDG.E R2, [R2.64] ;\n"
                                    "  /*0010*/       MOV R4, R2 ;\n"
                                    "  /*0020*/  @!P0 FFMA R5, R2, R2, R5 ;\n"
                                    "  /*0030*/  @P1  BRA `(.L_x_9) ;\n"
                                    "  /*0040*/       EXIT ;\n");
        pair.source()->showListing(sassListing(), QStringLiteral("SASS"));
        pair.baseline()->showListing(other, QStringLiteral("SASS"));
        pair.compare(true, QStringLiteral("the SASS of it"));
        QCOMPARE(pair.differences(), (std::vector<LineDifference>{{2, 3, 2, 2}}));
        QCOMPARE(pair.source()->editor()->accessibleName(), QStringLiteral("SASS of the program"));
        QCOMPARE(pair.baseline()->editor()->accessibleName(), QStringLiteral("SASS of the baseline"));
        pair.nextDifference();
        int line = 0, column = 0;
        pair.baseline()->editor()->getCursorPosition(&line, &column);
        QCOMPARE(line, 2);
    }

    // Which words of two lines differ; what moves with every change is none.
    void wordsWithinALine()
    {
        using Spans = std::vector<LineSpan>;
        const auto within = [](const char* left, const char* right, CodeKind kind = CodeKind::Program) {
            return differencesWithin(left, right, kind);
        };
        WithinLine found = within("sum += a[k] * x[c];", "sum += b[k] * x[c];");
        QCOMPARE(found.left, (Spans{{7, 8}}));
        QCOMPARE(found.right, (Spans{{7, 8}}));
        found = within("for (int k = begin; k < end; ++k)", "for (int k = begin + lane; k < end; k += 32)");
        QCOMPARE(found.right.front(), (LineSpan{18, 25})); // " + lane"
        QVERIFY(found.left.size() < found.right.size() || found.left.back().end > found.left.back().begin);
        found = within("return 1;", "if (lane == 0) y[row] = sum;"); // nothing in common: the whole line
        QVERIFY(found.left.empty() && found.right.empty());
        found =
            within("  /*0010*/  FFMA R5, R2, R2, R5 ;", "  /*00f0*/  FFMA R5, R2, R7, R5 ;", CodeKind::Sass);
        QCOMPARE(found.left, (Spans{{25, 27}}));
        QCOMPARE(found.right, (Spans{{25, 27}}));
        found = within("\t@%p1 bra \t$L__BB0_3;", "\t@%p2 bra \t$L__BB0_17;", CodeKind::Ptx);
        QCOMPARE(found.left, (Spans{{3, 5}}));
        found = within("float größe = 1;", "float größe = 2;"); // bytes, not letters
        QCOMPARE(found.right, (Spans{{16, 17}}));
    }

    // A comparison begins at its first difference, says which one of how many it is, and marks the words.
    void differencesAreGoneToAndCounted()
    {
        QString left, right;
        for (int line = 0; line < 200; ++line) {
            left += QStringLiteral("float v%1 = a[%1];\n").arg(line);
            right += line == 120 || line == 160 ? QStringLiteral("float v%1 = b[%1];\n").arg(line)
                                                : QStringLiteral("float v%1 = a[%1];\n").arg(line);
        }
        SourcePair pair;
        pair.resize(900, 300);
        pair.show();
        pair.source()->showProgram(right, {});
        pair.baseline()->showProgram(left, {});
        pair.compare(true, QStringLiteral("it"));
        QsciScintilla* editor = pair.source()->editor();
        QCOMPARE(pair.source()->cursorLine(), 121);
        QVERIFY(editor->firstVisibleLine() > 90 && editor->firstVisibleLine() <= 120);
        QCOMPARE(pair.baseline()->editor()->firstVisibleLine(), editor->firstVisibleLine());
        QCOMPARE(pair.summary()->text(), QStringLiteral("Difference 1 of 2 from it, on the right."));
        pair.nextDifference();
        QCOMPARE(pair.source()->cursorLine(), 161);
        QCOMPARE(pair.summary()->text(), QStringLiteral("Difference 2 of 2 from it, on the right."));
        pair.nextDifference(); // round
        QCOMPARE(pair.source()->cursorLine(), 121);
        pair.previousDifference();
        QCOMPARE(pair.source()->cursorLine(), 161);
        editor->setCursorPosition(0, 0);
        QTRY_COMPARE_WITH_TIMEOUT(pair.summary()->text(),
                                  QStringLiteral("2 differences from it, on the right."), test::patience());
        const auto marked = [](QsciScintilla* one, int line, int column) {
            return one->SendScintilla(QsciScintilla::SCI_INDICATORVALUEAT,
                                      static_cast<unsigned long>(changedWords),
                                      static_cast<long>(one->positionFromLineIndex(line, column))) != 0;
        };
        QVERIFY(marked(editor, 120, 13) && marked(pair.baseline()->editor(), 120, 13)); // b, a
        QVERIFY(!marked(editor, 120, 2) && !marked(editor, 119, 13));
        QVERIFY(editor->SendScintilla(QsciScintilla::SCI_INDICGETALPHA,
                                      static_cast<unsigned long>(changedWords)) < 128); // it can be read
        // Counters that come later change nothing of that.
        pair.compare(true, QStringLiteral("it"));
        QCOMPARE(pair.source()->cursorLine(), 1);
        // Lines at the very end that only the other side has.
        pair.baseline()->showProgram(right + QStringLiteral("one\ntwo\n"), {});
        pair.compare(true, QStringLiteral("it"));
        QCOMPARE(pair.summary()->text(), QStringLiteral("Difference 1 of 1 from it, on the right."));
        pair.nextDifference();
        QCOMPARE(pair.summary()->text(), QStringLiteral("Difference 1 of 1 from it, on the right."));
    }

    // Ctrl+F where the code has the focus looks in the code, and not in the window's list.
    void findsInTheCode()
    {
        QWidget window;
        auto* layout = new QVBoxLayout(&window);
        SourceView view;
        layout->addWidget(&view);
        auto* list = new QShortcut(QKeySequence::Find, &window);
        int listAsked = 0;
        connect(list, &QShortcut::activated, &window, [&] { ++listAsked; });
        window.resize(700, 300);
        view.showProgram(QStringLiteral("int lane = 0;\nint row = lane;\nfloat Lane = 1;\n"), {});
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window, test::patience()));
        QVERIFY(view.findBar()->isHidden());
        view.editor()->setFocus();
        QTest::keyClick(view.editor(), Qt::Key_F, Qt::ControlModifier);
        QCOMPARE(listAsked, 0);
        QVERIFY(view.findBar()->isVisible());
        QLineEdit* words = view.findBar()->words();
        QTRY_VERIFY_WITH_TIMEOUT(words->hasFocus(), test::patience());
        QTest::keyClicks(words, QStringLiteral("lane"));
        QCOMPARE(view.findBar()->count()->text(), QStringLiteral("1 of 3"));
        QCOMPARE(view.editor()->selectedText(), QStringLiteral("lane"));
        QTest::keyClick(words, Qt::Key_Return);
        QCOMPARE(view.cursorLine(), 2);
        QTest::keyClick(words, Qt::Key_F3, Qt::ShiftModifier);
        QCOMPARE(view.cursorLine(), 1);
        QTest::keyClick(words, Qt::Key_F3, Qt::ShiftModifier); // round
        QCOMPARE(view.cursorLine(), 3);
        QCOMPARE(view.findBar()->count()->text(), QStringLiteral("3 of 3"));
        words->setText(QStringLiteral("Lane")); // with an upper case letter it is meant so
        QCOMPARE(view.findBar()->count()->text(), QStringLiteral("1 of 1"));
        words->setText(QStringLiteral("warp"));
        QCOMPARE(view.findBar()->count()->text(), QStringLiteral("not found"));
        QTest::keyClick(words, Qt::Key_Escape);
        QVERIFY(view.findBar()->isHidden());
        QVERIFY(view.editor()->hasFocus());
    }

    // What each line of the PTX did, and what is known of that of SASS.
    void countersOfListings()
    {
        CodeListing ptx;
        ptx.text = QStringLiteral("\tld.global.f32 %f1, [%rd1];\n\tld.global.f32 %f2, [%rd2];\n"
                                  "\tfma.rn.f32 %f3, %f1, %f2, %f3;\n\t@%p1 bra $L__BB0_2;\n");
        ptx.lines = {2, 2, 2, 3};
        CodeListing sass;
        sass.kind = CodeKind::Sass;
        sass.text = QStringLiteral("  /*0000*/ LDG.E R2, [R2.64] ;\n  /*0010*/ LDG.E R4, [R4.64] ;\n"
                                   "  /*0020*/ FFMA R5, R2, R4, R5 ;\n  /*0030*/ @P1 BRA `(.L_x_3) ;\n"
                                   "  /*0040*/ BAR.SYNC 0x0 ;\n");
        sass.lines = {2, 2, 2, 3, 3};
        const std::vector<LineCounters> counts{{.line = 1, .warpInstructions = 10, .globalSectors = 40},
                                               {.line = 2, .warpInstructions = 10, .globalSectors = 41},
                                               {.line = 3, .warpInstructions = 10},
                                               {.line = 4, .warpInstructions = 7, .divergentBranches = 2}};
        const auto of = [&](int line) {
            for (const LineCounters& one : sassCounters(ptx, counts, sass))
                if (one.line == line)
                    return one;
            return LineCounters{};
        };
        QCOMPARE(of(1).globalSectors + of(2).globalSectors, 81); // nothing is lost
        QVERIFY(std::abs(of(1).globalSectors - of(2).globalSectors) <= 1);
        QCOMPARE(of(3).warpInstructions, 10);
        QCOMPARE(of(3).globalSectors, 0);
        QCOMPARE(of(4).divergentBranches, 2);
        QCOMPARE(of(5).line, 0); // the assembler's own: nothing is known of it
        SourceView view;
        view.resize(700, 300);
        view.showListing(ptx, QStringLiteral("PTX"), counts);
        QCOMPARE(view.heat().size(), std::size_t{4});
        QVERIFY(view.editor()->marginWidth(TextMargin) > 0);
        view.nextHotLine();
        QVERIFY(view.cursorLine() <= 3);
        view.showListing(ptx, QStringLiteral("PTX"));
        QVERIFY(view.heat().empty());
        QCOMPARE(view.editor()->marginWidth(TextMargin), 0);
    }

    // Lines of the program that became something have a band, and what they became has the same one.
    void bandsJoinLines()
    {
        SourcePair pair;
        pair.source()->showProgram(QStringLiteral("a\nb\nc\n"), {});
        pair.showListings({{sassListing(), QStringLiteral("SASS")}});
        QsciScintilla *program = pair.source()->editor(), *sass = pair.baseline()->editor();
        const auto band = [](QsciScintilla* editor, int line) {
            return editor->markersAtLine(line) >> firstBand & 0x7fu;
        };
        QVERIFY(program->marginWidth(BandMargin) > 0 && sass->marginWidth(BandMargin) > 0);
        QCOMPARE(band(program, 0), 0u);
        QVERIFY(band(program, 1) != 0 && band(program, 2) != 0 && band(program, 1) != band(program, 2));
        QCOMPARE(band(sass, 0), 0u);
        QCOMPARE(band(sass, 1), band(program, 1));
        QCOMPARE(band(sass, 4), band(program, 2));
        pair.compare(false);
        QCOMPARE(program->marginWidth(BandMargin), 0);
    }

    void architecturesByKeyboard()
    {
        SassBar bar;
        bar.resize(300, 30);
        bar.show();
        auto* combo = bar.findChild<QComboBox*>();
        QSignalSpy chosen(&bar, &SassBar::architectureChosen);
        bar.setArchitecture(QStringLiteral("sm_80"));
        bar.setArchitecture(QStringLiteral("sm_1")); // of a newer version
        QCOMPARE(bar.architecture(), QStringLiteral("sm_80"));
        QCOMPARE(chosen.size(), 0);
        QVERIFY(!combo->accessibleName().isEmpty() && combo->focusPolicy() != Qt::NoFocus);
        combo->setFocus();
        QTest::keyClick(combo, Qt::Key_Down);
        QCOMPARE(chosen.size(), 1);
        QCOMPARE(chosen.front().front().toString(), QStringLiteral("sm_86"));
    }

    // The tab of the log is never empty, and says where no compiler was called.
    void logOfEveryVerdict()
    {
        QVERIFY(compileLogText({}).contains(QLatin1String("No verdict")));
        for (const Verdict verdict :
             {Verdict::PlanError, Verdict::StoppedEarly, Verdict::MachineError, Verdict::CompileError,
              Verdict::AssembleError, Verdict::Rejected, Verdict::LaunchError, Verdict::OutOfBounds,
              Verdict::Uninitialised, Verdict::Race, Verdict::SyncError, Verdict::Timeout,
              Verdict::WrongResult, Verdict::FormatError, Verdict::Correct}) {
            VerdictRecord record;
            record.verdict = verdict;
            record.message = "the reason";
            record.line = 3;
            const QString text = compileLogText(record);
            const bool never = verdict == Verdict::PlanError || verdict == Verdict::StoppedEarly;
            QCOMPARE(text.contains(QLatin1String("never compiled")), never);
            QCOMPARE(neverCompiled(record), never);
            QCOMPARE(text.contains(QLatin1String("Line 3: the reason")), !isCompiled(verdict));
            QVERIFY(text.size() > 20);
            record.log = "program.cu(3): warning";
            QCOMPARE(compileLogText(record), QStringLiteral("program.cu(3): warning"));
        }
        // A plan may fail on its matrix, after the code was compiled.
        VerdictRecord late;
        late.ptxHash = "p";
        QVERIFY(!neverCompiled(late));
        QVERIFY(compileLogText(late).startsWith(QLatin1String("The compiler reported nothing.")));
        CompileLogView view;
        VerdictRecord early;
        view.setRecord(early);
        view.setOptions({}, {});
        QStringList labels;
        for (const QLabel* label : view.findChildren<QLabel*>())
            labels.append(label->text());
        QVERIFY(labels.contains(QStringLiteral("NVRTC was not called.")));
        // The log begins below the options, not to the left of them.
        view.resize(400, 200);
        view.show();
        const auto* log = view.findChild<QPlainTextEdit*>();
        const auto* options = view.findChild<QLabel*>();
        QVERIFY(log && options);
        QCOMPARE(log->viewport()->mapTo(&view, log->cursorRect(QTextCursor(log->document())).topLeft()).x(),
                 options->mapTo(&view, QPoint(options->contentsMargins().left(), 0)).x());
    }

    void cleanup() { QCOMPARE(test::takeWarnings(), QStringList()); }
};

SPARSERL_GUI_TEST_MAIN(TestWidgetsCode)
#include "tst_widgets_code.moc"
