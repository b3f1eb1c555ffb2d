// SPDX-License-Identifier: Apache-2.0
// Benchmarks on a device that takes the times it is told: what is dropped, chosen, refused and written.
#include "evaluation/bench/bench.h"
#include "evaluation/cases/oracle.h"
#include "matrix/features.h"
#include "matrix/generate.h"

#include <QTest>
#include <cmath>
#include <map>
#include <set>

using namespace sparserl;

namespace {

Timing exactly(double microseconds, int n)
{
    return {microseconds, 0.99 * microseconds, 1.01 * microseconds, n};
}

/// Computes by the oracle; a call takes what `times` says of its first kernel's arguments: 10 us for each
/// family in the order in which they come, unless told otherwise.
class ScriptedDevice : public BenchDevice
{
public:
    std::map<std::string, double> microseconds; ///< By a piece of the program's text.
    std::string wrong;                          ///< A piece of the program that computes nonsense.
    std::string refused;                        ///< A piece of the program that the device has no room for.
    double baseline = 12;
    int full = 0, quick = 0, compared = 0;

    std::string name() const override { return "scripted"; }
    std::string architecture() const override { return "sm_90"; }
    DeviceLimits limits() const override { return {}; }
    Status begin(const Csr& matrix, std::int64_t columns, const std::vector<CallInputs>& inputs) override
    {
        m_matrix = &matrix;
        m_outputs.clear();
        for (const CallInputs& input : inputs) {
            const std::span<const std::byte> bytes = input.at(0).bytes;
            const Reference right = reference(
                matrix, std::span(reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)),
                columns);
            const std::vector<float> values(right.values.begin(), right.values.end());
            const auto written = std::as_bytes(std::span(values));
            m_outputs.push_back({{"y", ElementType::F32, {written.begin(), written.end()}}});
        }
        return {};
    }
    Result<std::vector<BaselineTiming>> baselines(BaselineSet, const BenchSampling& sampling,
                                                  const std::function<void(std::string_view)>& log) override
    {
        log("ALG9 could not be timed: it does not exist");
        BaselineTiming slow, fast, other;
        fast.library = slow.library = other.library = "library";
        fast.algorithm = "FAST";
        slow.algorithm = "SLOW";
        other.algorithm = "DEFAULT";
        fast.csr = slow.csr = true;
        fast.warm = exactly(baseline, sampling.samples);
        slow.warm = exactly(2 * baseline, 1);
        other.warm = exactly(1.5 * baseline, sampling.samples);
        fast.cold = other.cold = exactly(3 * baseline, 5);
        return std::vector{fast, other, slow};
    }
    Result<BenchTimes> time(const BenchProgram& program, const BenchSampling& sampling) override
    {
        ++(sampling.cold ? full : quick);
        if (!refused.empty() && program.compiled->program.text.text().find(refused) != std::string::npos)
            return fail("no room");
        BenchTimes times;
        times.warm = exactly(timeOf(program), sampling.samples);
        if (sampling.dropAbove > 0 && times.warm.median > sampling.dropAbove) {
            times.dropped = true;
            times.warm.n = 1;
            return times;
        }
        if (sampling.cold)
            times.cold = exactly(2 * times.warm.median, 5);
        times.outputs = m_outputs;
        if (!wrong.empty() && program.compiled->program.text.text().find(wrong) != std::string::npos)
            times.outputs[0][0].bytes[2] ^= std::byte(0x40);
        return times;
    }
    Result<HeadToHead> compare(const BenchProgram& program, const BaselineTiming& against,
                               const BenchSampling&) override
    {
        ++compared;
        HeadToHead both;
        both.program = exactly(timeOf(program), 30);
        both.baseline = against.warm;
        const double ratio = against.warm.median / both.program.median;
        both.speedup = exactly(1.1 * ratio, 30);
        both.compared.calls = static_cast<std::int64_t>(m_outputs.size());
        return both;
    }
    double floorMicroseconds(int launches, std::int64_t bytes) const override
    {
        return launches + static_cast<double>(bytes) / 1e6;
    }

private:
    double timeOf(const BenchProgram& program) const
    {
        for (const auto& [piece, time] : microseconds) {
            if (program.compiled->program.text.text().find(piece) != std::string::npos)
                return time;
        }
        return 100;
    }
    const Csr* m_matrix = nullptr;
    std::vector<CallOutputs> m_outputs;
};

BenchOptions three()
{
    BenchOptions options;
    options.choice.families = {"S1", "S3", "S10"};
    options.choice.limit = 8;
    options.threads = 2;
    return options;
}

std::vector<ListedMatrix> listed(const std::string& word)
{
    auto list = listMatrices(word);
    if (!list)
        throw std::runtime_error(list.error().sentence());
    return *list;
}

const BenchRow* rowOf(const BenchMatrix& matrix, const std::string& family)
{
    for (const BenchRow& row : matrix.table) {
        if (row.family == family)
            return &row;
    }
    return nullptr;
}

std::vector<std::string> fieldsOf(const std::string& line)
{
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (const char c : line) {
        if (c == '"')
            quoted = !quoted;
        else if (c == ',' && !quoted)
            fields.emplace_back();
        else
            fields.back() += c;
    }
    return fields;
}

} // namespace

class BenchTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void portfolio();
    void choosesAndCompares();
    void wrongResultsDoNotCount();
    void errorsOfOneProgram();
    void slowProgramsStillCount();
    void unreadableMatrices();
    void cancels();
    void summary();
};

void BenchTest::portfolio()
{
    const auto matrix = generate("random(rows=400,cols=400)");
    QVERIFY(matrix.has_value());
    const MatrixFeatures features = computeFeatures(*matrix);
    BenchChoice choice;
    choice.limit = 60;
    const auto programs = benchPrograms(Task::SpMV, features, 1, choice);
    QVERIFY(programs.size() > 30 && programs.size() <= 60);
    std::set<std::string> texts, ids;
    for (const DerivedProgram& program : programs) {
        texts.insert(program.text);
        ids.insert(program.family);
    }
    QCOMPARE(texts.size(), programs.size());
    for (const Family& family : families(Task::SpMV))
        QVERIFY2(ids.count(family.id), family.id.c_str());
    // What is recommended comes first.
    QCOMPARE(programs.front().family, recommend(Task::SpMV, features, defaultDeviceModel()).front().family);
    choice.families = {"S10"};
    choice.limit = 5;
    for (const DerivedProgram& program : benchPrograms(Task::SpMV, features, 1, choice, ElementType::F64))
        QVERIFY(program.text.starts_with("//! task spmv f64\n"));
    const std::string header = benchCsvHeader();
    QCOMPARE(benchCsvHeader({.type = ElementType::F64}),
             header.substr(0, header.size() - 1) + ",element_type\n");
    const auto few = benchPrograms(Task::SpMV, features, 1, choice);
    QVERIFY(!few.empty() && few.size() <= 5);
    for (const DerivedProgram& program : few)
        QCOMPARE(program.family, std::string("S10"));
    QVERIFY(!benchPrograms(Task::SpMM, computeFeatures(*matrix, 8), 8, {}).empty());
}

void BenchTest::choosesAndCompares()
{
    ScriptedDevice device;
    device.microseconds = {{"format ell", 8}};
    std::vector<std::string> sentences;
    BenchOptions options = three();
    options.log = [&](const std::string& sentence) { sentences.push_back(sentence); };
    std::vector<BenchMatrix> done;
    const auto ok =
        runBench(device, listed("random(rows=300,cols=300)"), options, [&](const BenchMatrix& matrix) {
            done.push_back(matrix);
            return Status{};
        });
    QVERIFY2(ok.has_value(), ok ? "" : ok.error().sentence().c_str());
    QCOMPARE(done.size(), std::size_t(1));
    const BenchMatrix& m = done.front();
    QVERIFY2(m.bestProgram(), "nothing was best");
    QCOMPARE(m.bestProgram()->family, std::string("S10"));
    QCOMPARE(m.bestProgram()->warm.n, options.samples);
    QVERIFY(m.bestProgram()->cold && m.bestProgram()->floorMicroseconds > 1);
    QCOMPARE(m.bestBaseline()->variant, std::string("FAST"));
    QCOMPARE(device.compared, 1);
    QCOMPARE(m.speedup(), 1.1 * 12 / 8); // measured in turn rules
    // What came behind the best was dropped after its first look; what came before it was timed.
    bool seen = false, others = false;
    for (const BenchRow& row : m.table) {
        if (row.baseline)
            continue;
        QVERIFY2(row.problem.empty(), row.problem.c_str());
        QCOMPARE(row.dropped, seen && row.family != "S10");
        QCOMPARE(row.warm.n == 1, row.dropped);
        seen = seen || row.family == "S10";
        others = others || row.family != "S10";
    }
    QVERIFY(seen && others);
    QVERIFY(sentences.size() == 1 && sentences[0].find("ALG9") != std::string::npos);

    const auto header = fieldsOf(benchCsvHeader().substr(0, benchCsvHeader().size() - 1));
    std::istringstream csv(benchCsv(m, options, device.name()));
    int lines = 0;
    const auto column = [&](const char* name) {
        return static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
    };
    for (std::string line; std::getline(csv, line); ++lines) {
        const auto fields = fieldsOf(line);
        QCOMPARE(fields.size(), header.size());
        QCOMPARE(std::stod(fields[column("nnz")]), double(m.sizes.nnz));
        if (fields[column("best")] == "1") {
            QCOMPARE(fields[column("family")], std::string("S10"));
            QCOMPARE(fields[column("warm_us")], std::string("8.0000"));
            QCOMPARE(fields[column("in_turn_speedup")], std::string("1.6500"));
            QCOMPARE(fields[column("speedup")], std::string("1.5000"));
            const double setup = std::stod(fields[column("conversion_us")]);
            QCOMPARE(std::stod(fields[column("break_even_calls")]), std::ceil(setup / (12.0 - 8.0)));
        }
    }
    QCOMPARE(lines, int(m.table.size()));
}

void BenchTest::wrongResultsDoNotCount()
{
    ScriptedDevice device;
    device.microseconds = {{"format ell", 1}};
    device.wrong = "format ell";
    BenchMatrix m;
    const auto ok =
        runBench(device, listed("random(rows=300,cols=300)"), three(), [&](const BenchMatrix& matrix) {
            m = matrix;
            return Status{};
        });
    QVERIFY(ok);
    QVERIFY2(rowOf(m, "S10")->problem.find("wrong result: row 0") == 0, rowOf(m, "S10")->problem.c_str());
    QVERIFY(m.bestProgram() && m.bestProgram()->family != "S10");
}

void BenchTest::errorsOfOneProgram()
{
    ScriptedDevice device;
    device.refused = "format ell";
    BenchMatrix m;
    const auto ok =
        runBench(device, listed("random(rows=300,cols=300)"), three(), [&](const BenchMatrix& matrix) {
            m = matrix;
            return Status{};
        });
    QVERIFY2(ok.has_value(), ok ? "" : ok.error().sentence().c_str());
    QCOMPARE(rowOf(m, "S10")->problem, std::string("no room"));
    QVERIFY(m.bestProgram() && m.bestProgram()->family != "S10");
}

void BenchTest::slowProgramsStillCount()
{
    // Ten times slower than the baseline: the mean has to know.
    ScriptedDevice device;
    device.baseline = 10;
    BenchMatrix m;
    QVERIFY(runBench(device, listed("random(rows=300,cols=300)"), three(), [&](const BenchMatrix& matrix) {
        m = matrix;
        return Status{};
    }));
    QVERIFY(m.bestProgram());
    QCOMPARE(m.speedup(), 1.1 * 0.1);
}

void BenchTest::unreadableMatrices()
{
    ScriptedDevice device;
    std::vector<ListedMatrix> list = listed("random(rows=50,cols=50)");
    ListedMatrix broken;
    broken.name = "broken";
    broken.load = [](const ReadOptions&) -> Result<Csr> { return fail("the file is not there"); };
    list.insert(list.begin(), broken);
    broken.name = "too large"; // On a thread of its own, which must not end the program.
    broken.load = [](const ReadOptions&) -> Result<Csr> { throw std::bad_alloc(); };
    list.push_back(broken);
    std::vector<BenchMatrix> done;
    QVERIFY(runBench(device, list, three(), [&](const BenchMatrix& matrix) {
        done.push_back(matrix);
        return Status{};
    }));
    QCOMPARE(done.size(), std::size_t(3));
    QCOMPARE(done[0].problem, std::string("the file is not there"));
    QCOMPARE(done[2].name, std::string("too large"));
    QCOMPARE(done[2].problem, std::string("memory ran out while it was prepared"));
    QVERIFY(done[0].table.empty() && done[1].bestProgram());
    QVERIFY(benchCsv(done[0], three(), "scripted").find("\"broken\"") == 0);
}

void BenchTest::cancels()
{
    ScriptedDevice device;
    BenchOptions options = three();
    const CancelToken token = options.cancel;
    std::vector<ListedMatrix> list;
    for (int i = 0; i < 20; ++i)
        list.push_back(listed("random(rows=50,cols=50)").front());
    int seen = 0;
    const auto ok = runBench(device, list, options, [&](const BenchMatrix&) {
        if (++seen == 2)
            token.cancel();
        return Status{};
    });
    QVERIFY(!ok);
    QCOMPARE(seen, 2);
}

void BenchTest::summary()
{
    const auto matrix = [](const char* name, std::int64_t nnz, double program, double baseline) {
        BenchMatrix m;
        m.name = name;
        m.structure = "irregular";
        m.sizes.rows = m.sizes.cols = 100;
        m.sizes.nnz = nnz;
        m.seconds = 1;
        BenchRow b;
        b.baseline = b.csr = true;
        b.family = "library";
        b.variant = "FAST";
        b.warm = exactly(baseline, 30);
        BenchRow p;
        p.family = "S1";
        p.variant = "{}";
        p.text = "one program";
        p.best = p.bestOfFamily = true;
        p.warm = exactly(program, 30);
        p.floorMicroseconds = 0.5 * program;
        p.conversionMicroseconds = 1000;
        BenchRow other = b;
        other.csr = false;
        other.variant = "SELL";
        other.warm = exactly(baseline / 2, 30);
        m.table = {b, other, p};
        return m;
    };
    const std::vector<BenchMatrix> all{matrix("good", 5'000, 10, 20), matrix("bad", 50'000, 20, 10),
                                       matrix("same", 50'000, 10, 10)};
    const std::string text = benchSummary(all, {});
    const auto says = [&](const char* piece) { return text.find(piece) != std::string::npos; };
    QVERIFY2(says("geometric mean  1.000x over    3 matrices, 1 below 1.0x, 1 below 0.9x"), text.c_str());
    QVERIFY2(says("non-zeros below 10,000           2.000x over    1 matrix, 0 below 1.0x"), text.c_str());
    QVERIFY2(says("non-zeros 50,000 to 200,000      0.707x over    2 matrices, 1 below 1.0x"), text.c_str());
    QVERIFY2(says("50,000 or more non-zeros         0.707x over    2 matrices"), text.c_str());
    QVERIFY2(says("over the best of all formats and cuBLAS:  0.500x over    3 matrices, 2 below 1.0x"),
             text.c_str());
    QVERIFY2(says("share of the physical limit (geometric mean): 0.50"), text.c_str());
    QVERIFY2(says("best single program for all: S1 · CSR, thread per row {}:  1.000x over    3 matrices"),
             text.c_str());
    // S1: best on all three and timed in full on all three; 1 ms of conversion is paid back in 100 calls
    // where it wins 10 us (and never elsewhere).
    QVERIFY2(says("  S1             3                 3     1.000x     1.00 ms     0.0 us   100 calls"),
             text.c_str());
    QVERIFY2(says("  1 below 1.0x; the worst:\n    0.500x bad"), text.c_str());
    QVERIFY(text.find("0.500x bad") < text.find("1.000x same"));
    QVERIFY(benchSummary({}, {}).find("No matrix") == 0);
}

QTEST_GUILESS_MAIN(BenchTest)
#include "bench_test.moc"
