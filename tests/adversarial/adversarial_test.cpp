// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"
#include "base/rng.h"
#include "evaluation/inputs.h"
#include "evaluation/make_judge.h"
#include "reward/reward.h"

#include <QTest>
#include <fstream>
#include <memory>
#include <set>

using namespace sparserl;

namespace {

struct Attack
{
    const char* program;
    const char* verdicts; ///< Any of these words; "correct" where the attack must merely be without effect.
    const char* says;     ///< A part of the message.
};

// README.md of this folder says which attack each one is and what stops it.
constexpr Attack attacks[] = {
    {"file_include", "rejected", "#include"},
    {"file_include_digraph", "rejected", "#include"},
    {"file_probe", "rejected", "__has_include"},
    {"file_probe_pasted", "rejected", "##"},
    {"line_directive", "rejected", "#line"},
    {"date", "rejected", "__TIME__"},
    {"device_state", "rejected", "calls"},
    {"device_state_in_asm", "rejected", "hidden"},
    {"static_cache", "rejected", "cache"},
    {"clock", "rejected", "clock"},
    {"globaltimer", "rejected", "globaltimer"},
    {"smid", "rejected", "smid"},
    {"sleep", "rejected", "nanosleep"},
    {"l2_persistence", "rejected", "createpolicy"},
    {"prefetch_next_input", "rejected", "prefetch"},
    {"cache_hint", "rejected", "L2::128B"},
    {"printf", "rejected", "printf"},
    {"malloc", "rejected", "malloc"},
    {"function_table", "rejected", ""},
    {"endless_recursion", "rejected timeout", ""},
    {"no_op", "wrong-result", "never written"},
    {"no_launch", "wrong-result", "never written"},
    {"constant_output", "wrong-result", ""},
    {"partial_output", "wrong-result", "never written"},
    {"overwrite_x", "out-of-bounds", "x[0]"},
    {"overwrite_matrix", "out-of-bounds", "row_ptr"},
    {"stale_output", "uninitialised", "y"},
    {"neighbour_scan", "out-of-bounds uninitialised", "y"},
    {"shared_over_limit", "launch-error", "shared"},
    {"shared_garbage", "uninitialised", "shared"},
    {"grid_too_large", "launch-error", "grid"},
    {"scratch_too_large", "launch-error", ""},
    {"launch_counter_in_scratch", "uninitialised", "calls"},
    {"prepare_reads_x", "plan-error", "x"},
    {"endless_loop", "timeout", "instructions"},
    {"compile_bomb_macros", "compile-error rejected", ""},
    {"compile_bomb_templates", "compile-error", ""},
    {"half_precision", "wrong-result", ""},
    {"skips_small_terms", "wrong-result", ""},
    {"assumes_x_is_one", "wrong-result", ""},
    {"hard_coded_rows", "wrong-result", "never written"},
    {"race_that_often_works", "race", "y"},
    {"trap", "launch-error", ""},
    {"vprintf_name", "correct", ""},
};

} // namespace

class AdversarialTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void attacked_data();
    void attacked();
    void everyProgramIsListed();

private:
    std::shared_ptr<const Csr> m_matrix;
    std::map<std::string, VerdictRecord> m_records;
};

void AdversarialTest::initTestCase()
{
    Rng rng(5);
    Csr m;
    m.rows = 700;
    m.cols = 900;
    for (int row = 0; row < m.rows; ++row) {
        std::set<std::int32_t> columns;
        for (std::uint64_t i = rng.below(21); i > 0; --i)
            columns.insert(static_cast<std::int32_t>(rng.below(900)));
        m.col.insert(m.col.end(), columns.begin(), columns.end());
        m.rowPtr.push_back(static_cast<std::int32_t>(m.col.size()));
    }
    m.val = randomVector(m.nnz(), rng);
    m_matrix = std::make_shared<const Csr>(std::move(m));
    JudgeOptions options;
    options.runnerPath = SPARSERL_BIN_DIR "/sparserl-runner";
    auto judge = makeSimulatorJudge(options);
    QVERIFY2(judge.has_value(), judge ? "" : judge.error().sentence().c_str());
    std::vector<JudgeRequest> requests;
    for (const auto& attack : attacks) {
        const auto text = readFile(std::string(SPARSERL_SOURCE_DIR "/tests/adversarial/programs/") +
                                   attack.program + ".cu");
        QVERIFY2(text.has_value(), attack.program);
        JudgeRequest request;
        request.program = *text;
        request.matrix = m_matrix;
        request.matrixDigest = digest(*m_matrix);
        request.matrixName = attack.program;
        request.seed = 1;
        requests.push_back(std::move(request));
    }
    const auto records = (*judge)->judge(requests, {});
    QVERIFY2(records.has_value(), records ? "" : records.error().sentence().c_str());
    for (const auto& record : *records)
        m_records[record.matrixName] = record;
}

void AdversarialTest::attacked_data()
{
    QTest::addColumn<QByteArray>("program");
    QTest::addColumn<QByteArray>("verdicts");
    QTest::addColumn<QByteArray>("says");
    for (const auto& attack : attacks)
        QTest::newRow(attack.program)
            << QByteArray(attack.program) << QByteArray(attack.verdicts) << QByteArray(attack.says);
}

void AdversarialTest::attacked()
{
    QFETCH(QByteArray, program);
    QFETCH(QByteArray, verdicts);
    QFETCH(QByteArray, says);
    const VerdictRecord& record = m_records.at(program.toStdString());
    const std::string told =
        std::string(nameOf(record.verdict)) + " line " + std::to_string(record.line) + ": " + record.message;
    qInfo("%s", told.c_str());
    const auto name = nameOf(record.verdict);
    QVERIFY2(verdicts.split(' ').contains(QByteArray(name.data(), static_cast<qsizetype>(name.size()))),
             told.c_str());
    QVERIFY2(record.message.find(says.toStdString()) != std::string::npos, told.c_str());
    // Nothing of the machine comes back, and nothing is earned.
    QVERIFY(record.log.find("root:") == std::string::npos && record.log.find("/etc/") == std::string::npos);
    if (verdicts != "correct")
        for (const auto& preset : RewardModel::presets()) {
            const auto reward = *RewardModel::preset(preset.name);
            VerdictRecord plain;
            plain.verdict = Verdict::WrongResult;
            QVERIFY(reward.reward(record).total <= reward.reward(plain).total);
        }
}

void AdversarialTest::everyProgramIsListed()
{
    const auto files = listDirectory(SPARSERL_SOURCE_DIR "/tests/adversarial/programs");
    QVERIFY(files.has_value());
    QCOMPARE(files->size(), std::size(attacks));
    const auto readme = readFile(SPARSERL_SOURCE_DIR "/tests/adversarial/README.md");
    QVERIFY(readme.has_value());
    for (const auto& file : *files)
        QVERIFY2(readme->find("`" + file.stem().string() + "`") != std::string::npos, file.c_str());
}

QTEST_GUILESS_MAIN(AdversarialTest)
#include "adversarial_test.moc"
