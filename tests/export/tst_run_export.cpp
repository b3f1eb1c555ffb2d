// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"
#include "compile/program_compiler.h"
#include "corpus/corpus.h"
#include "export/run_export.h"
#include "kernel/plan.h"
#include "project/verifications.h"
#include "tests/project/fixture.h"

#include <QTest>

using namespace sparserl;
using namespace fixture;

class TestExport : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_scratch.emplace(must(TempDir::create()));
        Project project = must(Project::create(m_scratch->path() / "project"));
        m_digest = must(project.addGenerated("stencil2d(n=8,points=5)", {})).digest;
        m_name = project.matrices().at(0).name;
        auto directory = must(RunDirectory::create(project.runsPath() / "ppo", [&] {
            RunConfig made = config("rl");
            made.project = project.path().string();
            made.parentCheckpoint = "runs/sft/checkpoints/step-000100";
            return made;
        }()));
        m_run = directory.path();
        auto session = must(directory.beginWork());
        const auto compiler = must(ProgramCompiler::create());
        const auto add = [&](const char* family, Verdict verdict, double micros, VerdictFlags flags,
                             std::optional<std::string> ptxHash = {}, std::int64_t columns = 1) {
            const std::string text = derive(family, {}, {})->text;
            VerdictRecord made = record(sha256Hex(text), m_digest, verdict, micros);
            made.target.name = m_name;
            made.target.variant.columns = columns;
            const auto program = parseProgram(text);
            made.ptxHash =
                must(compiler.compile({program->code, {}, {program->plan.calls.at(0).kernel}}))->ptxHash;
            m_ptx[made.programHash] = made.ptxHash;
            made.ptxHash = ptxHash.value_or(made.ptxHash);
            made.flags = std::move(flags);
            mustDo(session.journal().appendProgram(1, made.programHash, text));
            mustDo(session.journal().append(1, VerdictEvent{made}));
            return made.programHash;
        };
        m_slow = add("S3", Verdict::Correct, 8, {});
        m_best = add("S1", Verdict::Correct, 4, {});
        m_wrong = add("S4", Verdict::WrongResult, 0, {});
        add("S10", Verdict::Correct, 0.1, {VerdictFlag::Suspicious});
        m_other = add("S2", Verdict::Correct, 20, {}, "0123");
        m_unknown = add("S7", Verdict::Correct, 20, {}, "");
        m_spmm = add("M1", Verdict::Correct, 30, {}, {}, 8);
        add("M1", Verdict::Correct, 20, {}, {}, 32);
        m_unmeasured = add("S9", Verdict::Correct, 0.5, {VerdictFlag::NotMeasured});
        mustDo(session.journal().sync());
    }

    void exportsTheFastestCorrectProgram()
    {
        const auto outcome = must(exportFromRun({m_run}));
        QCOMPARE(outcome.evidence.programHash, m_best);
        QVERIFY(outcome.directory.parent_path().filename() == "exports");
        const auto manifest = must(readJson(outcome.directory / "manifest.json"));
        QCOMPARE(manifest["program_hash"].get<std::string>(), m_best);
        QCOMPARE(manifest["matrix_digest"].get<std::string>(), m_digest);
        QCOMPARE(manifest["run"].get<std::string>(), std::string("ppo"));
        QCOMPARE(manifest["checkpoint"].get<std::string>(), std::string("runs/sft/checkpoints/step-000100"));
        QCOMPARE(manifest["evidence"]["verdict"].get<std::string>(), std::string("correct"));
        // Again: the same bundle, not an error and not a second one.
        QVERIFY(must(exportFromRun({m_run})).directory == outcome.directory);
    }

    void exportsAChosenProgram()
    {
        const auto out = m_scratch->path() / "chosen";
        const auto outcome = must(exportFromRun({m_run, m_slow.substr(0, 10), m_name, 0, out}));
        QCOMPARE(outcome.evidence.programHash, m_slow);
        QVERIFY(std::filesystem::exists(out / "program.ptx"));
        const auto manifest = must(readJson(out / "manifest.json"));
        QCOMPARE(manifest["ptx_hash"].get<std::string>(), outcome.evidence.ptxHash);
        QCOMPARE(manifest["files"]["program.ptx"].get<std::string>(),
                 sha256Hex(must(readFile(out / "program.ptx"))));
        // A matrix of our own generator belongs to nobody else.
        QVERIFY(manifest["matrix"]["attribution"].get<std::string>().find("generator stencil2d") !=
                std::string::npos);
        QVERIFY(!exportFromRun({m_run, m_slow, m_name, 0, out})); // Not empty any more.
    }

    void codeThatWasNotVerified()
    {
        // The compiler gives other PTX than the verdict was about, or the verdict does not say.
        for (const auto& [program, words] : {std::pair{m_other, "other PTX than was verified"},
                                             std::pair{m_unknown, "does not say which PTX"}}) {
            const auto out = m_scratch->path() / "unverified";
            const auto outcome = exportFromRun({m_run, program, {}, 0, out});
            QVERIFY(!outcome);
            QVERIFY2(outcome.error().what.find(words) != std::string::npos, outcome.error().what.c_str());
            QVERIFY(!std::filesystem::exists(out));
        }
    }

    /// A program that was judged for several widths is exported for the one that was asked for.
    void columnsAreKeptApart()
    {
        for (const std::int64_t columns : {8, 32, 0}) {
            const auto out = m_scratch->path() / ("columns-" + std::to_string(columns));
            const auto outcome = must(exportFromRun({m_run, m_spmm, m_name, columns, out}));
            const std::int64_t wanted = columns == 8 ? 8 : 32; // 32 is the faster one
            QCOMPARE(outcome.evidence.target.variant.columns, wanted);
            QCOMPARE(outcome.evidence.warm->median, wanted == 8 ? 30.0 : 20.0);
            const auto manifest = must(readJson(out / "manifest.json"));
            QCOMPARE(manifest["matrix"]["dense_cols"].get<std::int64_t>(), wanted);
            QCOMPARE(manifest["evidence"]["dense_columns"].get<std::int64_t>(), wanted);
        }
        // Without a folder each has its own, and the same one twice.
        const auto narrow = must(exportFromRun({m_run, m_spmm, m_name, 8})).directory;
        const auto wide = must(exportFromRun({m_run, m_spmm, m_name, 32})).directory;
        QVERIFY(narrow != wide);
        QVERIFY(must(exportFromRun({m_run, m_spmm, m_name, 8})).directory == narrow);
        QVERIFY(!exportFromRun({m_run, m_spmm, m_name, 16}));
    }

    /// What training has paid for is no evidence.
    void whatWasNeverMeasured()
    {
        const auto out = m_scratch->path() / "unmeasured";
        const auto outcome = exportFromRun({m_run, m_unmeasured, {}, 0, out});
        QVERIFY(!outcome);
        QVERIFY2(outcome.error().what.find("never measured") != std::string::npos,
                 outcome.error().what.c_str());
        QVERIFY(!std::filesystem::exists(out));
    }

    void refusals()
    {
        const auto out = m_scratch->path() / "refused";
        for (const ExportRequest& request :
             {ExportRequest{m_run, m_wrong, {}, 0, out}, ExportRequest{m_run, "ffffff", {}, 0, out},
              ExportRequest{m_run, {}, "no such matrix", 0, out},
              ExportRequest{m_scratch->path(), {}, {}, 0, out}}) {
            const auto outcome = exportFromRun(request);
            QVERIFY(!outcome && !outcome.error().what.empty());
        }
        QVERIFY(!std::filesystem::exists(out));
    }

    void aLaterVerificationCounts()
    {
        // Judged again and found wrong: no longer exported. Found right once more: it is.
        const auto project = m_scratch->path() / "project";
        VerdictRecord made = record(m_best, m_digest, Verdict::Race, 0);
        must(addVerification(project, {{}, 0, "correct", made}));
        QCOMPARE(must(exportFromRun({m_run, {}, {}, 0, m_scratch->path() / "next"})).evidence.programHash,
                 m_slow);
        QVERIFY(!exportFromRun({m_run, m_best, {}, 0, m_scratch->path() / "fallen"}));
        made = record(m_best, m_digest, Verdict::Correct, 3);
        made.target.name = m_name;
        made.ptxHash = m_ptx[m_best];
        must(addVerification(project, {{}, 0, "race", made}));
        const auto outcome = must(exportFromRun({m_run, {}, {}, 0, m_scratch->path() / "again"}));
        QCOMPARE(outcome.evidence.programHash, m_best);
        QCOMPARE(outcome.evidence.warm->median, 3.0);
    }

private:
    std::optional<TempDir> m_scratch;
    std::map<std::string, std::string> m_ptx; ///< Hash of the PTX by program.
    std::filesystem::path m_run;
    std::string m_digest, m_name, m_slow, m_best, m_wrong, m_other, m_unknown, m_spmm, m_unmeasured;
};

QTEST_GUILESS_MAIN(TestExport)
#include "tst_run_export.moc"
