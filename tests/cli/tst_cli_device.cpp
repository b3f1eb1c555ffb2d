// SPDX-License-Identifier: Apache-2.0
// Doctor, device info and bench as users run them, on a driver and libraries of our own
// (tests/device/fake_*.cpp).
#include "base/json.h"
#include "base/subprocess.h"

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

using namespace sparserl;

namespace {

const std::string tests = SPARSERL_TEST_DIR;
const std::string program = SPARSERL_BIN_DIR "/sparserl";

RunOutput run(const std::vector<std::string>& arguments, const std::string& gpu, bool driver = true)
{
    SpawnOptions options;
    options.argv = {program};
    options.argv.insert(options.argv.end(), arguments.begin(), arguments.end());
    options.extraEnvironment = {{"SPARSERL_FAKE_GPU", gpu},
                                {"SPARSERL_CUDA_DIR", tests + "/fake_cuda"},
                                {"SPARSERL_REAL_NVJITLINK", SPARSERL_REAL_NVJITLINK}};
    if (driver)
        options.extraEnvironment.emplace_back("LD_LIBRARY_PATH", tests + "/fake_driver");
    auto output = runToEnd(options, {}, 100);
    if (!output)
        throw std::runtime_error(output.error().sentence());
    return *output;
}

std::map<std::string, std::string> doctor(const std::string& gpu, bool driver = true)
{
    const RunOutput output = run({"--json", "doctor"}, gpu, driver);
    std::map<std::string, std::string> sentences;
    std::istringstream lines(output.output);
    for (std::string line; std::getline(lines, line);) {
        const auto json = parseJson(line);
        if (json && json->contains("key"))
            sentences[(*json)["key"]] = (*json)["sentence"];
    }
    return sentences;
}

} // namespace

class TestCliDevice : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void doctorNamesLocks();
    void runThatRequiresMore();
    void doctorSentences_data();
    void doctorSentences();
    void deviceInfo();
    void faultsAreCaught_data();
    void faultsAreCaught();
    void benchOnTheFake();
    void benchRefuses();
};

void TestCliDevice::doctorNamesLocks()
{
    const std::string sentence = doctor("")["sandbox"];
    for (const char* word :
         {"Processes that run programs are locked: ", "compile", "sim", "nvdisasm", "cuda"})
        QVERIFY2(sentence.find(word) != std::string::npos, sentence.c_str());
    // The same words stand in device info.
    const RunOutput info = run({"device", "info", "--no-ceilings"}, "");
    const std::string words = sentence.substr(sentence.find(": ") + 2);
    QVERIFY2(info.output.find("locked processes: " + words.substr(0, words.size() - 1)) != std::string::npos,
             info.output.c_str());
}

/// A run says how programs are locked, and does not begin where that is less than it requires.
void TestCliDevice::runThatRequiresMore()
{
    const std::string trainer = SPARSERL_BIN_DIR "/sparserl-training";
    if (!std::ifstream(trainer))
        QSKIP("built without LibTorch");
    const QTemporaryDir folder;
    const std::string project = folder.filePath(QStringLiteral("project")).toStdString();
    const std::string runner = folder.filePath(QStringLiteral("runner")).toStdString();
    std::ofstream(runner) << "#!/bin/sh\nexec " SPARSERL_BIN_DIR
                             "/sparserl-runner --without landlock \"$@\"\n";
    std::filesystem::permissions(runner, std::filesystem::perms::owner_all);
    const auto act = [&](std::vector<std::string> arguments) {
        SpawnOptions options;
        options.argv = {program};
        options.argv.insert(options.argv.end(), arguments.begin(), arguments.end());
        options.extraEnvironment = {{"SPARSERL_RUNNER", runner}, {"SPARSERL_TRUST", "all"}};
        options.output = options.error = StreamEnd::pipe();
        auto done = runToEnd(std::move(options), {}, 100);
        if (!done)
            throw std::runtime_error(done.error().sentence());
        return *done;
    };
    QVERIFY(act({"project", "new", project}).status.ok());
    QVERIFY(act({"import", "--project", project, "--generate", "random(rows=200,cols=200)"}).status.ok());
    const auto train = [&](const std::string& level) {
        return act({"train", "quickstart-sft", "--project", project, "--json", "--set", "judge.device=sim",
                    "--set", "threads=1", "--set", "sft.steps=1", "--set", "sft.batch=2", "--set",
                    "sft.programs_per_matrix=2", "--set", "sft.heldout_programs=1", "--set",
                    "judge.sandbox=" + level});
    };
    const RunOutput refused = train("full");
    QCOMPARE(refused.status.code, 1);
    QVERIFY2(refused.error.find(" runner is locked at level files (no Landlock") != std::string::npos,
             refused.error.c_str());
    const RunOutput done = train("files");
    QVERIFY2(done.status.ok(), done.error.c_str());
    std::string journal;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(project))
        if (entry.path().filename() == "journal.jsonl") {
            std::ifstream file(entry.path());
            journal.append(std::istreambuf_iterator<char>(file), {});
        }
    QVERIFY2(journal.find("Programs run in locked processes: compile and sim files (no Landlock") !=
                 std::string::npos,
             journal.c_str());
}

void TestCliDevice::doctorSentences_data()
{
    QTest::addColumn<QByteArray>("gpu");
    QTest::addColumn<QByteArray>("driverSays");
    QTest::addColumn<QByteArray>("gpuSays");
    QTest::newRow("works") << QByteArray("") << QByteArray("is running.")
                           << QByteArray("Fake GPU was found.");
    QTest::newRow("old driver") << QByteArray("version=12080") << QByteArray("too old: it is for CUDA 12.8")
                                << QByteArray("There is no NVIDIA GPU that can be used");
    QTest::newRow("no device") << QByteArray("init=100")
                               << QByteArray("finds no GPU, so kernels run on the simulated")
                               << QByteArray("There is no NVIDIA GPU that can be used");
    QTest::newRow("Turing") << QByteArray("major=7") << QByteArray("is running.")
                            << QByteArray("Fake GPU is older than Ampere (compute capability 7.0)");
}

void TestCliDevice::doctorSentences()
{
    QFETCH(QByteArray, gpu);
    QFETCH(QByteArray, driverSays);
    QFETCH(QByteArray, gpuSays);
    auto said = doctor(gpu.toStdString());
    QVERIFY2(said["driver"].find(driverSays.toStdString()) != std::string::npos, said["driver"].c_str());
    QVERIFY2(said["gpu"].find(gpuSays.toStdString()) != std::string::npos, said["gpu"].c_str());
}

void TestCliDevice::deviceInfo()
{
    const RunOutput output = run({"--json", "device", "info"}, "");
    QVERIFY2(output.status.ok(), output.error.c_str());
    bool gpu = false, ceilings = false;
    std::istringstream lines(output.output);
    for (std::string line; std::getline(lines, line);) {
        const auto json = parseJson(line);
        QVERIFY2(json.has_value(), line.c_str());
        gpu = gpu || jsonValue(*json, "device", std::string()) == "Fake GPU";
        ceilings = ceilings || jsonValue(*json, "launch_us", 0.0) > 0;
    }
    QVERIFY(gpu && ceilings);
    // Without a GPU it is no error to ask, but the check is one.
    QVERIFY(run({"device", "info"}, "devices=0").status.ok());
    const RunOutput check = run({"device", "info", "--check"}, "devices=0");
    QCOMPARE(check.status.code, 1);
    QVERIFY2(check.error.find("finds no GPU") != std::string::npos, check.error.c_str());
}

void TestCliDevice::faultsAreCaught_data()
{
    QTest::addColumn<QByteArray>("said");
    QTest::newRow("good") << QByteArray("good\n");
    QTest::newRow("store after y") << QByteArray("out-of-bounds: a write outside every array, at y[32]");
    QTest::newRow("store to x") << QByteArray("out-of-bounds: a write to 'x'");
    QTest::newRow("store far away") << QByteArray("out-of-bounds: ");
    QTest::newRow("endless loop") << QByteArray("timeout: ");
    QTest::newRow("trap") << QByteArray("launch-error: ");
}

void TestCliDevice::faultsAreCaught()
{
    QFETCH(QByteArray, said);
    const RunOutput output = run({"device", "info", "--fault", QTest::currentDataTag()}, "");
    QVERIFY2(output.status.ok(), output.error.c_str());
    QVERIFY2(output.output.starts_with(said.toStdString()), output.output.c_str());
}

void TestCliDevice::benchOnTheFake()
{
    QTemporaryDir folder;
    const std::string csv = folder.filePath(QStringLiteral("t.csv")).toStdString();
    const RunOutput output =
        run({"--json", "bench", "--device", "cuda", "--generate", "random(rows=40,cols=50)", "--families",
             "S1,S10", "--limit-per-matrix", "2", "--samples", "3", "--csv", csv},
            "");
    QVERIFY2(output.status.ok(), output.error.c_str());
    const auto json = parseJson(output.output.substr(0, output.output.find('\n')));
    QVERIFY2(json && jsonValue(*json, "speedup", 0.0) > 0, output.output.c_str());
    QVERIFY2(output.error.find("geometric mean") != std::string::npos, output.error.c_str());
    std::ifstream table(csv);
    int programs = 0, baselines = 0, problems = 0;
    for (std::string line; std::getline(table, line);) {
        programs += line.find(",program,") != std::string::npos;
        baselines += line.find(",baseline,") != std::string::npos;
        problems += !line.ends_with(",\"\"");
    }
    QCOMPARE(programs, 2);
    QCOMPARE(baselines, 6);
    QCOMPARE(problems, 1); // the header
}

void TestCliDevice::benchRefuses()
{
    QCOMPARE(run({"bench", "--device", "sim"}, "", false).status.code, 2);
    QCOMPARE(run({"bench", "--device", "sim", "--families", "S99", "--generate", "random(rows=9)"}, "", false)
                 .status.code,
             2);
    const RunOutput output =
        run({"bench", "--device", "cuda", "--generate", "random(rows=9)"}, "version=12000");
    QCOMPARE(output.status.code, 1);
    QVERIFY2(output.error.find("too old") != std::string::npos, output.error.c_str());
}

QTEST_GUILESS_MAIN(TestCliDevice)
#include "tst_cli_device.moc"
