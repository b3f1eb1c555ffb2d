// SPDX-License-Identifier: Apache-2.0
// Programs as people and language models write them, in many styles (programs/): each must be judged correct.
#include "base/files.h"
#include "evaluation/judge/make_judge.h"
#include "kernel/verifier.h"
#include "tests/drawn_share.h"

#include <QTest>
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>

using namespace sparserl;

namespace {

/// Deterministic; empty rows, one long row, all lengths up to `most`.
Csr matrixOf(std::int32_t rows, std::int32_t columns, std::int32_t most, std::int32_t longest)
{
    Csr matrix;
    matrix.rows = rows;
    matrix.cols = columns;
    std::uint32_t state = 17;
    const auto next = [&](std::uint32_t below) {
        state = state * 1664525u + 1013904223u;
        return (state >> 8) % below;
    };
    for (std::int32_t row = 0; row < rows; ++row) {
        const std::int32_t length = row == rows / 3 ? longest : static_cast<std::int32_t>(next(most + 1));
        std::vector<std::int32_t> columnsOfRow;
        while (static_cast<std::int32_t>(columnsOfRow.size()) < std::min(length, columns)) {
            const auto column = static_cast<std::int32_t>(next(columns));
            if (std::find(columnsOfRow.begin(), columnsOfRow.end(), column) == columnsOfRow.end())
                columnsOfRow.push_back(column);
        }
        std::sort(columnsOfRow.begin(), columnsOfRow.end());
        for (const auto column : columnsOfRow) {
            matrix.col.push_back(column);
            matrix.val.push_back(static_cast<float>(next(1 << 20)) / (1 << 18) - 2);
        }
        matrix.rowPtr.push_back(static_cast<std::int32_t>(matrix.col.size()));
    }
    return matrix;
}

} // namespace

/// A drawn eighth of the programs on both matrices meets the judge as it works in training, which tries some
/// kinds of input by lot, and a part of these the one of verdicts that count; SPARSERL_TEST_SHARE=1 gives all
/// to that. What stops programs early, which refused most of them once, always meets all.
class HonestTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void correct_data();
    void correct();
    void neverStoppedEarly();

private:
    std::vector<std::pair<std::string, std::string>> m_programs; ///< Names and texts.
    std::vector<std::string> m_names; ///< By record: "v01_scalar_plain, small, in training".
    std::vector<VerdictRecord> m_records;
};

void HonestTest::initTestCase()
{
    std::vector<std::filesystem::path> files;
    for (const auto& entry :
         std::filesystem::directory_iterator(SPARSERL_SOURCE_DIR "/tests/honest/programs"))
        if (entry.path().extension() == ".cu")
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    const auto small = std::make_shared<const Csr>(matrixOf(43, 51, 9, 37));
    const auto large = std::make_shared<const Csr>(matrixOf(1300, 1100, 11, 900));
    QVERIFY(large->nnz() > 7000 && large->nnz() < 9000);
    const test::DrawnShare share(96), trained = share.wider(12);
    std::array<std::vector<JudgeRequest>, 2> requests; // Of verdicts that count, and as in training.
    std::array<std::vector<std::string>, 2> names;
    for (const auto& file : files) {
        auto text = readFile(file);
        QVERIFY(text.has_value());
        m_programs.emplace_back(file.stem().string(), *text);
        for (const auto& [name, matrix] : {std::pair("small", small), std::pair("large", large)}) {
            JudgeRequest request;
            request.program = *text;
            request.target.matrix = matrix;
            request.target.id.contents = digest(*matrix);
            request.target.id.name = name;
            request.target.id.variant.columns = text->find("//! task spmm") != std::string::npos ? 8 : 1;
            if (text->find(" f64\n") != std::string::npos) // As the line of the task ends.
                request.target.id.variant.type = ElementType::F64;
            request.seed = 3;
            const std::string title = m_programs.back().first + ", " + name;
            if (!share.everything() && trained.has(title)) {
                requests[1].push_back(request);
                names[1].push_back(title + ", in training");
            }
            if (share.has(title)) {
                requests[0].push_back(std::move(request));
                names[0].push_back(title);
            }
        }
    }
    for (const std::size_t i : {0, 1}) {
        JudgeOptions options;
        options.secretSeed = 1;
        options.everyKind = i == 0;
        options.runnerPath = SPARSERL_BIN_DIR "/sparserl-runner";
        auto judge = makeSimulatorJudge(options);
        QVERIFY2(judge.has_value(), judge ? "" : judge.error().sentence().c_str());
        auto records = (*judge)->judge(requests[i], {});
        QVERIFY2(records.has_value(), records ? "" : records.error().sentence().c_str());
        m_names.insert(m_names.end(), names[i].begin(), names[i].end());
        m_records.insert(m_records.end(), records->begin(), records->end());
    }
}

void HonestTest::correct_data()
{
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < m_names.size(); ++i)
        QTest::newRow(m_names[i].c_str()) << static_cast<int>(i);
}

void HonestTest::correct()
{
    QFETCH(int, index);
    const VerdictRecord& record = m_records.at(static_cast<std::size_t>(index));
    if (record.message.find("is not installed") != std::string::npos)
        QSKIP(record.message.c_str());
    QVERIFY2(record.correct(), (std::string(nameOf(record.verdict)) + " line " + std::to_string(record.line) +
                                ": " + record.message)
                                   .c_str());
}

/// What watches a program while it is sampled lets all of them through.
void HonestTest::neverStoppedEarly()
{
    QVERIFY(m_programs.size() >= 100);
    for (const auto& [name, text] : m_programs) {
        IncrementalVerifier verifier;
        for (std::size_t at = 0; at < text.size(); at += 5) {
            const auto stop = verifier.feed(std::string_view(text).substr(at, 5));
            QVERIFY2(!stop, stop ? (name + ": " + stop->reason).c_str() : "");
        }
        const auto stop = verifier.finish();
        QVERIFY2(!stop, stop ? (name + ": " + stop->reason).c_str() : "");
    }
}

QTEST_GUILESS_MAIN(HonestTest)
#include "honest_test.moc"
