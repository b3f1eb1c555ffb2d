// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"
#include "base/json.h"
#include "compile/program_compiler.h"
#include "corpus/corpus.h"
#include "export/licence_name.h"
#include "export/run_export.h"
#include "kernel/plan.h"
#include "project/files/verifications.h"
#include "project/run/written_programs.h"
#include "tests/project/fixture.h"

#include <QTest>
#include <functional>
#include <map>
#include <utility>

using namespace sparserl;
using namespace fixture;

class TestExport : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void licences()
    {
        for (const char* good :
             {"Apache-2.0", "MIT OR Apache-2.0", "(MIT AND BSD-3-Clause) OR GPL-2.0-only", "GPL-2.0+",
              "Apache-2.0 WITH LLVM-exception", "LicenseRef-Ours", "LicenseRef-a.b-1 OR MIT"})
            QVERIFY2(checkLicence(good), good);
        for (const char* bad : {"", "FOO", "MIT OR", "OR MIT", "MIT MIT", "(MIT", "MIT)", "()",
                                "Apache-2.0 WITH MIT", "LicenseRef-", "XLicenseRef-a", "mit"})
            QVERIFY2(!checkLicence(bad), bad);
        QCOMPARE(
            checkLicence("Apache-2").error().sentence(),
            std::string("\"Apache-2\" is not an SPDX identifier of a licence. Did you mean Apache-2.0?"));
    }

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

    /// What was edited by hand or generated has no run: the project's folder stands for it.
    void exportsWhatNoRunWrote()
    {
        const auto project = m_scratch->path() / "project";
        const auto none = exportFromRun({project});
        QVERIFY(!none);
        QVERIFY2(none.error().what.find("outside of its runs") != std::string::npos,
                 none.error().what.c_str());
        const std::string text = derive("S1", {}, {})->text;
        WrittenProgram written;
        written.origin = sample_origin::hand;
        written.text = text;
        written.record = record(sha256Hex(text), m_digest, Verdict::Correct, 3);
        written.record->ptxHash = m_ptx.at(m_best);
        written.target = written.record->target;
        written.target.name = m_name;
        must(addWrittenProgram(project, written));
        ExportRequest request{project, sha256Hex(text)};
        request.out = m_scratch->path() / "by hand";
        const auto outcome = must(exportFromRun(request));
        QCOMPARE(outcome.evidence.warm->median, 3.0);
        const auto manifest = must(readJson(outcome.directory / "manifest.json"));
        QVERIFY(manifest["run"].is_null() && manifest["checkpoint"].is_null());
        // One that was kept unjudged is exported as soon as it has a verdict.
        written.text += "// a copy\n";
        const auto verdict = *std::exchange(written.record, {});
        must(addWrittenProgram(project, written));
        request.program = sha256Hex(written.text);
        request.out = m_scratch->path() / "judged later";
        QVERIFY(!exportFromRun(request));
        Verification first;
        first.record = verdict;
        first.record.programHash = request.program;
        must(addVerification(project, first));
        QCOMPARE(must(exportFromRun(request)).evidence.programHash, request.program);
        request.program = m_slow;
        request.out = m_scratch->path() / "of no run";
        const auto of = exportFromRun(request);
        QVERIFY(!of && of.error().remedy.find("--run") != std::string::npos);
    }

    /// In double precision, with the doubles that the verdict is about; without them it is refused.
    void exportsDoublePrecision()
    {
        const auto project = m_scratch->path() / "project";
        const std::string text = derive("S3", {}, {}, true, ElementType::F64)->text;
        const auto compiler = must(ProgramCompiler::create());
        const auto program = parseProgram(text);
        WrittenProgram written;
        written.origin = sample_origin::hand;
        written.text = text;
        written.record = record(sha256Hex(text), m_digest, Verdict::Correct, 3);
        written.record->ptxHash =
            must(compiler.compile({program->code, {}, {program->plan.calls.at(0).kernel}}))->ptxHash;
        written.record->target.variant.type = ElementType::F64;
        written.target = written.record->target;
        written.target.name = m_name;
        must(addWrittenProgram(project, written));
        ExportRequest request{project, sha256Hex(text)};
        request.out = m_scratch->path() / "doubles";
        const auto outcome = must(exportFromRun(request));
        QVERIFY(outcome.evidence.target.variant.type == ElementType::F64);
        const auto manifest = must(readJson(outcome.directory / "manifest.json"));
        QCOMPARE(manifest["element_type"].get<std::string>(), std::string("f64"));
        QCOMPARE(manifest["matrix_digest"].get<std::string>(), m_digest);
        QVERIFY(manifest["name"].get<std::string>().starts_with("sparserl_spmv_f64_"));

        written.text += "// once more\n";
        written.record->programHash = sha256Hex(written.text);
        written.record->target.values = "0123456789abcdef";
        written.target.values = written.record->target.values;
        must(addWrittenProgram(project, written));
        request.program = written.record->programHash;
        request.out = m_scratch->path() / "other doubles";
        const auto refused = exportFromRun(request);
        QVERIFY(!refused);
        QVERIFY2(refused.error().what.find("does not have the doubles") != std::string::npos,
                 refused.error().what.c_str());
    }

    /// A folder that was sent along with a run is no bundle of ours because its manifest says so: a file that
    /// was changed, added, removed or is a link, a manifest that fits the change. The bundle is written
    /// beside it, and what is there stays as it is.
    void whatIsThereAlready()
    {
        const auto first = must(exportFromRun({m_run})).directory;
        const auto kept = m_scratch->path() / "kept";
        std::filesystem::copy(first, kept, std::filesystem::copy_options::recursive);
        const std::string manifest = must(readFile(first / "manifest.json"));
        const std::string foreign = must(readFile(first / "src/plan.cpp")) + "int foreign;\n";
        const std::map<std::string, std::function<void()>> changes{
            {"a file is changed", [&] { mustDo(writeFileAtomic(first / "src/plan.cpp", foreign)); }},
            {"and its manifest with it",
             [&] {
                 mustDo(writeFileAtomic(first / "src/plan.cpp", foreign));
                 auto json = nlohmann::json::parse(manifest);
                 json["files"]["src/plan.cpp"] = sha256Hex(foreign);
                 mustDo(writeFileAtomic(first / "manifest.json", json.dump()));
             }},
            {"a file is added", [&] { mustDo(writeFileAtomic(first / "setup.py", "import os\n")); }},
            {"a hidden file", [&] { mustDo(writeFileAtomic(first / "python/.pth", "import os\n")); }},
            {"a folder is added", [&] { std::filesystem::create_directory(first / "build"); }},
            {"a file is gone", [&] { std::filesystem::remove(first / "LICENSE"); }},
            {"a link to the same",
             [&] {
                 std::filesystem::remove(first / "LICENSE");
                 std::filesystem::create_symlink(kept / "LICENSE", first / "LICENSE");
             }},
            {"other evidence",
             [&] {
                 auto json = nlohmann::json::parse(manifest);
                 json["evidence"]["warm"]["median"] = 0.001;
                 mustDo(writeFileAtomic(first / "manifest.json", json.dump()));
             }},
        };
        for (const auto& [name, change] : changes) {
            change();
            const auto outcome = must(exportFromRun({m_run})).directory;
            QVERIFY2(outcome != first, name.c_str());
            QCOMPARE(must(readFile(outcome / "src/plan.cpp")), must(readFile(kept / "src/plan.cpp")));
            QVERIFY(!std::filesystem::exists(outcome / "setup.py"));
            if (name == "a file is changed")
                QCOMPARE(must(readFile(first / "src/plan.cpp")), foreign);
            std::filesystem::remove_all(outcome);
            std::filesystem::remove_all(first);
            std::filesystem::copy(kept, first, std::filesystem::copy_options::recursive);
            QVERIFY2(must(exportFromRun({m_run})).directory == first, name.c_str());
        }
    }

    /// The project that a run names is not where a bundle goes unless it holds the run.
    void runsOfElsewhere()
    {
        const auto lone = m_scratch->path() / "lone";
        std::filesystem::copy(m_run, lone, std::filesystem::copy_options::recursive);
        const auto exports = m_scratch->path() / "project/exports";
        const auto count = [&] { return std::distance(std::filesystem::directory_iterator(exports), {}); };
        const auto before = count();
        const auto refused = exportFromRun({lone});
        QVERIFY(!refused);
        QVERIFY2(refused.error().remedy.find("--out") != std::string::npos,
                 refused.error().sentence().c_str());
        QCOMPARE(count(), before);
        const auto out = m_scratch->path() / "lone-out";
        QVERIFY(must(exportFromRun({lone, {}, {}, 0, out})).directory == out);
    }

    /// A project that was sent is open for reading: nothing is exported into it or from it.
    void notBeforeTrust()
    {
        const auto sent = m_scratch->path() / "sent";
        std::filesystem::copy(m_scratch->path() / "project", sent, std::filesystem::copy_options::recursive);
        const QByteArray before = qgetenv("SPARSERL_TRUST"), settings = qgetenv("XDG_CONFIG_HOME");
        qunsetenv("SPARSERL_TRUST");
        qputenv("XDG_CONFIG_HOME", (m_scratch->path() / "settings").c_str());
        const auto inside = exportFromRun({sent / "runs/ppo"});
        const auto outside = exportFromRun({sent / "runs/ppo", {}, {}, 0, m_scratch->path() / "sent-out"});
        qputenv("SPARSERL_TRUST", before);
        qputenv("XDG_CONFIG_HOME", settings);
        for (const auto& outcome : {inside, outside}) {
            QVERIFY(!outcome);
            QVERIFY2(outcome.error().sentence().find("is read-only") != std::string::npos,
                     outcome.error().sentence().c_str());
        }
        QVERIFY(!std::filesystem::exists(m_scratch->path() / "sent-out"));
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
        for (const auto& [program, words] : {std::pair{m_other, "differs from the verified PTX"},
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
