// SPDX-License-Identifier: Apache-2.0
// Programs of every family through the whole path: NVRTC, gate, battery and simulated device. Of each family
// one program always, others by lot; SPARSERL_TEST_SHARE=1 judges all.
#include "base/rng.h"
#include "corpus/corpus.h"
#include "evaluation/judge/make_judge.h"
#include "machine/device_model.h"
#include "matrix/features.h"
#include "tests/drawn_share.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <set>
#include <utility>

using namespace sparserl;

namespace {

std::shared_ptr<const Csr> fromRows(const std::vector<std::set<int>>& rows, int cols)
{
    Rng rng(77);
    Csr m;
    m.rows = static_cast<std::int32_t>(rows.size());
    m.cols = cols;
    for (const auto& row : rows) {
        for (int c : row) {
            m.col.push_back(c);
            m.val.push_back(static_cast<float>(rng.uniform(0.5, 1.5)));
        }
        m.rowPtr.push_back(static_cast<std::int32_t>(m.col.size()));
    }
    return std::make_shared<const Csr>(std::move(m));
}

std::shared_ptr<const Csr> band(int n, int halfWidth)
{
    std::vector<std::set<int>> rows(static_cast<std::size_t>(n));
    for (int r = 0; r < n; ++r) {
        for (int c = std::max(0, r - halfWidth); c <= std::min(n - 1, r + halfWidth); ++c)
            rows[static_cast<std::size_t>(r)].insert(c);
    }
    return fromRows(rows, n);
}

/// Rows of `mean` entries at random places; every `skew`-th row has none, every 50th ten times as many.
std::shared_ptr<const Csr> scattered(int rows, int cols, int mean, int skew)
{
    Rng rng(5);
    std::vector<std::set<int>> all(static_cast<std::size_t>(rows));
    for (int r = 0; r < rows; ++r) {
        const int wanted = r % skew == 0 ? 0 : r % 50 == 1 ? 10 * mean : mean;
        while (static_cast<int>(all[static_cast<std::size_t>(r)].size()) < std::min(wanted, cols / 2))
            all[static_cast<std::size_t>(r)].insert(
                static_cast<int>(rng.below(static_cast<std::uint64_t>(cols))));
    }
    return fromRows(all, cols);
}

/// Spearman's, of numbers with their places.
double rankCorrelation(const std::vector<double>& numbers)
{
    std::vector<std::size_t> sorted(numbers.size());
    std::iota(sorted.begin(), sorted.end(), std::size_t(0));
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](std::size_t a, std::size_t b) { return numbers[a] < numbers[b]; });
    double squares = 0;
    for (std::size_t rank = 0; rank < sorted.size(); ++rank)
        squares += std::pow(double(rank) - double(sorted[rank]), 2);
    const auto n = double(numbers.size());
    return 1 - 6 * squares / (n * (n * n - 1));
}

} // namespace

class TestJudged : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        JudgeOptions options;
        options.secretSeed = 1;
        options.runnerPath = SPARSERL_BIN_DIR "/sparserl-runner";
        auto judge = makeSimulatorJudge(options);
        QVERIFY2(judge, judge ? "" : judge.error().sentence().c_str());
        m_judge = std::move(*judge);
        options.everyKind = false; // As in training; what differs in its type alone meets no other.
        auto quick = makeSimulatorJudge(options);
        QVERIFY2(quick, quick ? "" : quick.error().sentence().c_str());
        m_quick = std::move(*quick);
    }

    void everyFamilyIsCorrect_data()
    {
        QTest::addColumn<bool>("twice");
        QTest::addColumn<int>("each");
        QTest::addRow("f32") << false << 9;
        QTest::addRow("f64") << true << 6;
    }

    void everyFamilyIsCorrect()
    {
        QFETCH(bool, twice);
        QFETCH(int, each);
        const ElementType type = twice ? ElementType::F64 : ElementType::F32;
        const std::map<std::string, std::shared_ptr<const Csr>> matrices = {
            {"band", band(333, 2)},
            {"scattered", scattered(301, 290, 5, 9)},
            {"long rows", scattered(20, 900, 300, 7)}};
        Rng rng(9);
        std::vector<JudgeRequest> requests;
        std::vector<std::string> families;
        std::vector<DerivedProgram> programs;
        for (const Family& family : sparserl::families(Task::SpMV)) {
            for (int i = 0; i < each; ++i) {
                SampleOptions options;
                options.families = {family.id};
                options.variety = i / (each - 1.0);
                options.type = type;
                auto program = sampleProgram(Task::SpMV, options, rng);
                QVERIFY(program);
                programs.push_back(std::move(*program));
            }
        }
        std::size_t number = 0;
        for (const DerivedProgram& program : programs) {
            auto it = matrices.begin();
            std::advance(it, number++ % matrices.size());
            if (program.family == "S13")
                it = matrices.find("band"); // Elsewhere there are too many diagonals.
            JudgeRequest request;
            request.program = program.text;
            request.target.matrix = it->second;
            request.target.id.contents = digest(*it->second);
            request.target.id.name = it->first;
            request.target.id.variant.type = type;
            request.seed = number;
            requests.push_back(request);
            families.push_back(program.family);
        }
        QVERIFY(requests.size() >= 100);
        keepDrawn(requests, families);
        const auto records = judged(requests, twice);
        QVERIFY2(records, records ? "" : records.error().sentence().c_str());
        for (std::size_t i = 0; i < records->size(); ++i) {
            const VerdictRecord& record = (*records)[i];
            QVERIFY2(record.correct(), fmt::format("{} on {}: {} {} (line {})\n{}", families[i],
                                                   record.target.name, nameOf(record.verdict), record.message,
                                                   record.line, requests[i].program.text())
                                           .c_str());
            QVERIFY(record.warm && record.warm->median > 0);
        }
    }

    void everySpmmFamilyIsCorrect_data()
    {
        QTest::addColumn<bool>("twice");
        QTest::addRow("f32") << false;
        QTest::addRow("f64") << true;
    }

    void everySpmmFamilyIsCorrect()
    {
        QFETCH(bool, twice);
        const ElementType type = twice ? ElementType::F64 : ElementType::F32;
        const std::map<std::string, std::shared_ptr<const Csr>> matrices = {
            {"band", band(133, 2)},
            {"scattered", scattered(101, 90, 5, 9)},
            {"long rows", scattered(9, 700, 300, 7)}};
        Rng rng(19);
        std::vector<JudgeRequest> requests;
        std::vector<std::string> families;
        std::size_t number = 0;
        for (const Family& family : sparserl::families(Task::SpMM)) {
            for (int i = 0; i < 3; ++i) {
                SampleOptions options;
                options.families = {family.id};
                options.variety = i / 2.0;
                options.type = type;
                const auto program = sampleProgram(Task::SpMM, options, rng);
                QVERIFY(program);
                auto it = matrices.begin();
                std::advance(it, number++ % matrices.size());
                if (family.id == "M17")
                    it = matrices.find("band"); // Elsewhere there are too many diagonals.
                JudgeRequest request;
                request.program = program->text;
                request.target.matrix = it->second;
                request.target.id.contents = digest(*it->second);
                request.target.id.name = it->first;
                request.target.id.variant = {i % 2 == 0 ? 8 : 32, type};
                request.seed = number;
                requests.push_back(request);
                families.push_back(family.id);
            }
        }
        const JudgeRequest plain = requests.front();
        keepDrawn(requests, families);
        // The plain family takes any number of columns.
        for (std::int64_t columns : {2, 3, 7, 33}) {
            JudgeRequest request = plain;
            request.program = referenceProgram(Task::SpMM, type).text;
            request.target.id.variant.columns = columns;
            requests.push_back(request);
            families.push_back("M1");
        }
        const auto records = judged(requests, twice);
        QVERIFY2(records, records ? "" : records.error().sentence().c_str());
        for (std::size_t i = 0; i < records->size(); ++i) {
            const VerdictRecord& record = (*records)[i];
            QVERIFY2(record.correct(), fmt::format("{} on {}: {} {} (line {})\n{}", families[i],
                                                   record.target.name, nameOf(record.verdict), record.message,
                                                   record.line, requests[i].program.text())
                                           .c_str());
            QVERIFY(record.warm && record.warm->median > 0 && record.speedup() > 0);
            QVERIFY(record.target.task() == Task::SpMM);
        }
    }

    void wrongSpmmIsFound()
    {
        const std::string text = referenceProgram(Task::SpMM).text;
        const auto with = [&](const std::string& from, const std::string& to) {
            std::string changed = text;
            const std::size_t at = changed.find(from);
            if (at == std::string::npos)
                qFatal("the reference has no '%s'", from.c_str());
            return changed.replace(at, from.size(), to);
        };
        const struct
        {
            std::string program;
            Verdict verdict;
            const char* message;
        } cases[] = {
            {with("= sum;", "= j == 5 ? 2 * sum : sum;"), Verdict::WrongResult, ", 5] is "},
            {with("row >= rows", "row >= rows - 1"), Verdict::WrongResult, "never written"},
            {with("C[(size_t)row * N + j]", "C[(size_t)j * rows + row]"), Verdict::WrongResult, "C["},
            {with("* N + j];\n    }", "* N + j + 1];\n    }"), Verdict::OutOfBounds, "B["},
            {with("task spmm", "task spmv"), Verdict::PlanError, "spmm"},
            {derive("M4", {{"vec", 4}}, {})->text, Verdict::PlanError, "requires dense_cols % 4 == 0"},
        };
        std::vector<JudgeRequest> requests;
        const auto matrix = scattered(101, 90, 5, 9);
        for (const auto& one : cases) {
            JudgeRequest request;
            request.program = one.program;
            request.target.matrix = matrix;
            request.target.id.contents = digest(*matrix);
            request.target.id.variant.columns = &one == std::end(cases) - 1 ? 10 : 8;
            requests.push_back(request);
        }
        const auto records = m_judge->judge(requests, {});
        QVERIFY2(records, records ? "" : records.error().sentence().c_str());
        for (std::size_t i = 0; i < records->size(); ++i) {
            const VerdictRecord& record = (*records)[i];
            QVERIFY2(record.verdict == cases[i].verdict &&
                         record.message.find(cases[i].message) != std::string::npos,
                     fmt::format("case {}: {} {}", i, nameOf(record.verdict), record.message).c_str());
        }
    }

    void parametersChangeTheTime()
    {
        // What the policy can choose must matter: among the values of each of these, times differ.
        const struct
        {
            const char* family;
            const char* parameter;
            std::shared_ptr<const Csr> matrix;
        } cases[] = {{"S1", "block", scattered(3000, 3000, 6, 11)},
                     {"S2", "lanes", scattered(3000, 3000, 6, 11)},
                     {"S3", "accumulators", scattered(60, 2000, 300, 7)},
                     {"S4", "block", scattered(60, 2000, 300, 7)},
                     {"S11", "sigma", scattered(3000, 3000, 6, 11)},
                     {"S11", "slice", scattered(3000, 3000, 6, 11)},
                     {"S10", "lanes", band(2000, 3)},
                     {"S13", "unroll", band(2000, 3)}};
        const test::DrawnShare some(4);
        std::vector<std::pair<std::string, std::string>> all; // One of them always.
        for (const auto& c : cases)
            all.emplace_back("parameter", std::string(c.family) + c.parameter);
        const auto always = some.oneOfEach(all);
        for (const auto& c : cases) {
            const std::string name = std::string(c.family) + c.parameter;
            if (!some.has(name) && !always.contains(name))
                continue;
            std::vector<JudgeRequest> requests;
            for (const FamilyParameter& parameter : findFamily(c.family)->parameters) {
                if (parameter.name != c.parameter)
                    continue;
                for (std::int64_t value : parameter.values) {
                    JudgeRequest request;
                    request.program = derive(c.family, {{c.parameter, value}}, {})->text;
                    request.target.matrix = c.matrix;
                    request.target.id.contents = digest(*c.matrix);
                    requests.push_back(request);
                }
            }
            const auto records = m_quick->judge(requests, {}); // times are those of any judge
            QVERIFY(records);
            std::set<double> times;
            std::string shown;
            for (const VerdictRecord& record : *records) {
                QVERIFY2(record.correct(), record.message.c_str());
                times.insert(record.warm->median);
                shown += fmt::format(" {:.3f}", record.warm->median);
            }
            qInfo("%s %s:%s us", c.family, c.parameter, shown.c_str());
            QVERIFY2(times.size() > 1, c.family);
        }
    }

    /// The order that the estimate gives in double precision, beside the times of the simulated device: for
    /// one task by lot.
    void estimatesOrderPrograms_data()
    {
        QTest::addColumn<std::int64_t>("columns");
        QTest::addRow("SpMV") << std::int64_t(1);
        QTest::addRow("SpMM") << std::int64_t(8);
    }

    void estimatesOrderPrograms()
    {
        QFETCH(std::int64_t, columns);
        if (!m_share.everything() && m_share.wider(8).has("SpMV") != (columns == 1))
            QSKIP("the other task is drawn");
        const TargetVariant variant{columns, ElementType::F64};
        double order = 0, first = 1, ofThree = 1;
        const auto matrices = {scattered(600, 600, 6, 11), scattered(30, 600, 90, 7), band(600, 3)};
        for (const auto& matrix : matrices) {
            const auto candidates = recommend(variant.task(), computeFeatures(*matrix, columns),
                                              defaultDeviceModel(), columns, variant.type);
            std::vector<JudgeRequest> requests;
            for (std::size_t i = 0; i < candidates.size(); i += i < 3 ? 1 : 4) { // Through the whole list.
                const Candidate& candidate = candidates[i];
                const auto program = derive(candidate.family, candidate.parameters, {}, true, variant.type);
                QVERIFY2(program, program ? "" : program.error().sentence().c_str());
                JudgeRequest request;
                request.program = program->text;
                request.target.matrix = matrix;
                request.target.id.contents = digest(*matrix);
                request.target.id.variant = variant;
                requests.push_back(request);
            }
            const auto records = m_quick->judge(requests, {});
            QVERIFY2(records, records ? "" : records.error().sentence().c_str());
            std::vector<double> times;
            for (const VerdictRecord& record : *records) {
                if (record.correct()) // Else a format that does not apply.
                    times.push_back(record.warm->median);
            }
            QVERIFY(times.size() >= 6);
            const double best = *std::min_element(times.begin(), times.end());
            order += rankCorrelation(times) / double(matrices.size());
            first *= std::pow(times[0] / best, 1 / double(matrices.size()));
            ofThree *= std::pow(std::min({times[0], times[1], times[2]}) / best, 1 / double(matrices.size()));
        }
        qInfo("rank correlation %.2f; the first takes %.2f times the best, the best of three %.2f", order,
              first, ofThree);
        QVERIFY(order > 0.25);
        QVERIFY(ofThree < 1.35);
    }

private:
    /// Leaves of the requests one of each family that is drawn, and a drawn eighth of the others.
    void keepDrawn(std::vector<JudgeRequest>& requests, std::vector<std::string>& families) const
    {
        std::vector<std::pair<std::string, std::string>> all;
        for (std::size_t i = 0; i < requests.size(); ++i)
            all.emplace_back(families[i], families[i] + " " + std::to_string(i));
        const auto ofEach = m_share.oneOfEach(all);
        const test::DrawnShare others = m_share.wider(4);
        std::vector<JudgeRequest> kept;
        std::vector<std::string> theirs;
        for (std::size_t i = 0; i < requests.size(); ++i)
            if (others.has(all[i].second) || ofEach.contains(all[i].second)) {
                kept.push_back(std::move(requests[i]));
                theirs.push_back(families[i]);
            }
        requests = std::move(kept);
        families = std::move(theirs);
    }

    /// Records of all: a drawn share has the judge of verdicts that count, the others that of training.
    Result<std::vector<VerdictRecord>> judged(const std::vector<JudgeRequest>& requests, bool quick)
    {
        std::vector<JudgeRequest> parts[2];
        std::vector<bool> counts;
        for (const JudgeRequest& request : requests) {
            counts.push_back(!quick && m_share.has(request.program.text() + request.target.id.name));
            parts[counts.back() ? 0 : 1].push_back(request);
        }
        SPARSERL_TRY(const auto counted, m_judge->judge(parts[0], {}));
        SPARSERL_TRY(const auto others, m_quick->judge(parts[1], {}));
        std::vector<VerdictRecord> all;
        std::size_t next[2] = {0, 0};
        for (const bool one : counts)
            all.push_back(one ? counted.at(next[0]++) : others.at(next[1]++));
        return all;
    }

    std::unique_ptr<Judge> m_judge, m_quick;
    const test::DrawnShare m_share{32};
};

QTEST_GUILESS_MAIN(TestJudged)
#include "tst_judged.moc"
