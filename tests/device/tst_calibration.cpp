// SPDX-License-Identifier: Apache-2.0
// Collection, fit and files of calibration, with a "GPU" whose times come from a model with other parameters.
#include "base/files.h"
#include "base/rng.h"
#include "device/calibration/collect.h"
#include "device/calibration/compare.h"
#include "device/calibration/fit.h"
#include "device/calibration/parallel.h"
#include "device/calibration/quality.h"
#include "device/calibration/source.h"
#include "device/device.h"
#include "device/simulator/profile/cost_model.h"
#include "matrix/generate.h"

#include <QtTest>
#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <new>
#include <set>

using namespace sparserl;

namespace {

/// A matrix with rows of very different lengths.
Csr skewed(std::int32_t rows, std::int32_t cols, int longest, std::uint64_t seed)
{
    Csr matrix;
    matrix.rows = rows;
    matrix.cols = cols;
    Rng rng(seed);
    for (std::int32_t r = 0; r < rows; ++r) {
        const int length = rng.chance(0.02) ? longest : static_cast<int>(rng.below(9));
        const int stride = std::max(1, cols / (length + 1));
        for (int k = 0; k < length; ++k) {
            matrix.col.push_back(std::min<std::int32_t>(cols - 1, k * stride + int(rng.below(stride))));
            matrix.val.push_back(static_cast<float>(rng.uniform(0.5, 1.5)));
        }
        matrix.rowPtr.push_back(static_cast<std::int32_t>(matrix.col.size()));
    }
    return matrix;
}

/// What the pretended GPU is like.
DeviceModel otherDevice()
{
    DeviceModel model = *findDeviceModel("h200");
    model.l2Latency *= 2;
    model.issuePerClock *= 0.4;
    model.launchMicroseconds *= 1.8;
    model.blockClocks *= 4;
    return model;
}

} // namespace

class CalibrationTest : public QObject
{
    Q_OBJECT

private:
    std::vector<CalibrationMatrix> m_matrices;
    std::vector<CalibrationRow> m_rows;
    std::optional<ProgramCompiler> m_compiler;
    CollectOptions m_options;
    Measure m_measure;

private Q_SLOTS:
    void initTestCase()
    {
        auto compiler = ProgramCompiler::create();
        if (!compiler)
            QSKIP(qPrintable(QString::fromStdString(compiler.error().sentence())));
        m_compiler.emplace(std::move(*compiler));
        for (int i = 0; i < 5; ++i)
            m_matrices.push_back({"skewed" + std::to_string(i), [i]() -> Result<Csr> {
                                      return skewed(300 << i, 400 << i, 20 * (i + 1), 7 + i);
                                  }});
        m_matrices.push_back({"missing", []() -> Result<Csr> { return fail("there is no such file"); }});
        m_options.programs = 8;
        m_measure = [](const MeasureRequest& request) -> Result<Measurement> {
            ExecutionRequest execution;
            execution.plan = request.plan;
            execution.module = request.module;
            execution.inputs = request.ring;
            execution.checks = Checks::Counters;
            auto result = SimulatedDevice().execute(execution);
            if (!result)
                return tl::unexpected(result.error());
            const sim::CallTime time = sim::callTime(otherDevice(), result->profile);
            Measurement measurement;
            measurement.warm = {time.warmMicroseconds, time.warmMicroseconds, time.warmMicroseconds, 20};
            measurement.cold =
                Timing{time.coldMicroseconds, time.coldMicroseconds, time.coldMicroseconds, 20};
            measurement.compared = compareOutput(request, result->outputs.front());
            return measurement;
        };
    }

    /// In double precision programs are in doubles, are held to the bound of doubles, and rows say so.
    void measuresInDoublePrecision()
    {
        CollectOptions options;
        options.programs = 6;
        options.variant.type = ElementType::F64;
        const std::vector<CalibrationMatrix> one{m_matrices.front()};
        const auto directory = TempDir::create();
        const MeasuringPlan plan{{1, 8}, 0, directory->path() / "rows.jsonl"};
        const MeasuringSource source = simulatorSource(defaultDeviceModel());
        std::vector<CalibrationRow> rows;
        const auto taken = measureRows(source, options, plan, one, *m_compiler, rows);
        QVERIFY(taken && rows.size() >= 6);
        for (const CalibrationRow& row : rows) {
            QCOMPARE(row.target.variant.type, ElementType::F64);
            QVERIFY(row.program.find("f64") != std::string::npos);
            QVERIFY2(row.correct && row.warm, row.problem.c_str());
        }
        QVERIFY(simulateProfiles(rows, one, *m_compiler, options, false));
        QVERIFY(std::all_of(rows.begin(), rows.end(), [](const auto& row) { return row.usable(); }));
        const auto read = readCalibrationRows(plan.file);
        QVERIFY(read && read->size() == rows.size() && read->front().key() == rows.front().key());
    }

    /// An output of doubles that was computed in floats is outside of the bound.
    void comparesInTheTypeOfTheMatrix()
    {
        const Csr floats = skewed(40, 50, 20, 3);
        const auto matrix = std::make_shared<const Csr>(inType(floats, ElementType::F64));
        std::vector<double> x(50), right(40);
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = 1.0 / double(i + 3);
        for (std::size_t row = 0; row < right.size(); ++row) {
            for (auto k = std::size_t(matrix->rowPtr[row]); k < std::size_t(matrix->rowPtr[row + 1]); ++k)
                right[row] += matrix->value(k) * x[std::size_t(matrix->col[k])];
        }
        MeasureRequest request;
        request.ring = {denseInput(Task::SpMV, NumberView(x))};
        request.compare = CompareRequest{matrix, 1, 0x1p-1074};
        const auto compared = [&](const std::vector<double>& y) {
            Tensor tensor{"y", ElementType::F64, std::vector<std::byte>(y.size() * sizeof(double))};
            std::memcpy(tensor.bytes.data(), y.data(), tensor.bytes.size());
            return compareOutput(request, {tensor});
        };
        QVERIFY(!compared(right).wrong && compared(right).elements == 40);
        std::vector<double> rounded(right);
        for (double& value : rounded)
            value = static_cast<float>(value);
        QVERIFY(compared(rounded).wrong);
    }

    /// Rows that are there are not measured again; each new one is in the file as it comes.
    void measuresWhatIsMissing()
    {
        const MeasuringSource source = simulatorSource(defaultDeviceModel());
        QCOMPARE(source.device, "simulated " + defaultDeviceModel().name);
        CollectOptions options;
        options.programs = 3;
        const std::vector<CalibrationMatrix> one{m_matrices.front()};
        const auto directory = TempDir::create();
        const MeasuringPlan plan{{1, 8}, 0, directory->path() / "rows.jsonl"};
        std::vector<CalibrationRow> rows;
        const auto first = measureRows(source, options, plan, one, *m_compiler, rows);
        QVERIFY(first && *first == rows.size() && *first >= 4);
        const auto read = readCalibrationRows(plan.file);
        QVERIFY(read && read->size() == rows.size());
        for (const CalibrationRow& row : rows) {
            QVERIFY(row.device == source.device &&
                    (row.target.variant.columns == 1 || row.target.variant.columns == 8));
            QVERIFY2(row.correct && row.warm && row.warm->median > 0, row.problem.c_str());
        }
        const auto again = measureRows(source, options, plan, one, *m_compiler, rows);
        QVERIFY(again && rows.size() == *first + *again); // others of the corpus, where there are any
        std::set<std::string> keys;
        for (const CalibrationRow& row : rows)
            QVERIFY(keys.insert(row.key()).second);
        QCOMPARE(readCalibrationRows(plan.file)->size(), rows.size());
        const ModelledTimes times = modelledTimes(source.model, rows);
        const std::string csv = timesCsv(rows, times, times, {});
        QCOMPARE(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')), rows.size() + 1);
        QVERIFY(csv.find("{\"\"") != std::string::npos); // parameters are JSON: their quotation marks doubled
    }

    void collects()
    {
        std::vector<std::string> sentences;
        m_options.log = [&](const std::string& sentence) { sentences.push_back(sentence); };
        const auto status = collectMeasurements(m_matrices, *m_compiler, m_options, m_measure,
                                                [&](const CalibrationRow& row) {
                                                    m_rows.push_back(row);
                                                    return Status();
                                                });
        QVERIFY2(status, status ? "" : qPrintable(QString::fromStdString(status.error().sentence())));
        QCOMPARE(m_rows.size(), std::size_t(5 * 8));
        std::string said;
        for (const std::string& sentence : sentences)
            said += sentence + "; ";
        QVERIFY2(sentences.size() == 1, said.c_str()); // the matrix that is missing
        std::set<std::string> keys, families;
        for (const CalibrationRow& row : m_rows) {
            QVERIFY2(row.correct, qPrintable(QString::fromStdString(row.problem)));
            keys.insert(row.key());
            families.insert(row.family);
        }
        QCOMPARE(keys.size(), m_rows.size());
        QVERIFY(families.size() >= 4);
    }

    void wrongResultsAreMarked()
    {
        const Measure wrong = [&](const MeasureRequest& request) -> Result<Measurement> {
            MeasureRequest other = request;
            const auto matrix = std::make_shared<Csr>(*request.compare->matrix);
            matrix->val[14] *= 1.5f; // As if the program had computed with another one.
            other.compare->matrix = matrix;
            return m_measure(other);
        };
        int seen = 0;
        CollectOptions options = m_options;
        options.log = nullptr;
        options.programs = 2;
        QVERIFY(
            collectMeasurements({m_matrices[0]}, *m_compiler, options, wrong, [&](const CalibrationRow& row) {
                ++seen;
                if (row.correct || row.problem.empty())
                    return Status(fail("not marked"));
                return Status();
            }));
        QCOMPARE(seen, 2);
    }

    void knownRowsAreNotMeasuredAgain()
    {
        CollectOptions options = m_options;
        options.log = nullptr;
        for (const CalibrationRow& row : m_rows)
            options.done.push_back(row.key());
        std::vector<std::string> again;
        QVERIFY(collectMeasurements({m_matrices[1]}, *m_compiler, options, m_measure,
                                    [&](const CalibrationRow& row) {
                                        again.push_back(row.key());
                                        return Status();
                                    }));
        for (const std::string& key : again)
            QVERIFY(std::find(options.done.begin(), options.done.end(), key) == options.done.end());
    }

    void simulatesAndFits()
    {
        QVERIFY(simulateProfiles(m_rows, m_matrices, *m_compiler, m_options, false));
        for (const CalibrationRow& row : m_rows)
            QVERIFY(row.usable());
        FitOptions options;
        options.rounds = 25;
        options.folds = 0;
        const DeviceModel start = *findDeviceModel("h200");
        const auto fitted = fitModel(start, m_rows, options);
        QVERIFY(fitted);
        const ModelQuality before = modelQuality(start, m_rows), after = modelQuality(fitted->model, m_rows),
                           truth = modelQuality(otherDevice(), m_rows);
        // Not quite exact: the "GPU" estimates registers, the profiles know them.
        QVERIFY2(truth.ordered > 0.93, qPrintable(QString::number(truth.ordered)));
        QVERIFY(truth.medianError < 0.01);
        QVERIFY(before.medianError > 0.15);
        QVERIFY2(after.medianError < 0.05, qPrintable(QString::number(after.medianError)));
        QVERIFY2(after.ordered > 0.93, qPrintable(QString::number(after.ordered)));
        QVERIFY(after.regret < 0.02);
        // Deterministic, whatever the number of threads.
        options.rounds = 3;
        const auto several = fitModel(start, m_rows, options);
        options.threads = 1;
        QVERIFY(several && toToml(several->model) != toToml(start));
        QCOMPARE(toToml(fitModel(start, m_rows, options)->model), toToml(several->model));
        options.folds = 2;
        const auto crossed = fitModel(start, m_rows, options);
        QVERIFY(crossed);
        QVERIFY(std::all_of(crossed->heldOut.warm.begin(), crossed->heldOut.warm.end(),
                            [](double time) { return time > 0; }));
    }

    void rowsSurviveFiles()
    {
        const auto folder = TempDir::create();
        QVERIFY(folder);
        const auto file = folder->path() / "rows.jsonl";
        QVERIFY(writeCalibrationRows(file, m_rows));
        auto rows = readCalibrationRows(file);
        QVERIFY(rows);
        QCOMPARE(rows->size(), m_rows.size());
        const DeviceModel model = otherDevice();
        for (std::size_t i = 0; i < rows->size(); ++i) {
            QCOMPARE((*rows)[i].key(), m_rows[i].key());
            const double kept = sim::callTime(model, *(*rows)[i].profile).warmMicroseconds;
            const double was = sim::callTime(model, *m_rows[i].profile).warmMicroseconds;
            QVERIFY(std::abs(kept - was) < 1e-3 * was);
        }
        // A collection that was killed leaves half a line.
        auto text = readFile(file);
        QVERIFY(text);
        text->resize(text->size() - 20);
        QVERIFY(writeFileAtomic(file, *text));
        rows = readCalibrationRows(file);
        QVERIFY(rows);
        QCOMPARE(rows->size(), m_rows.size() - 1);
        QVERIFY(writeFileAtomic(file, "not a row\n{}\n"));
        QVERIFY(!readCalibrationRows(file));
    }

    void modelsSurviveFiles()
    {
        const auto folder = TempDir::create();
        QVERIFY(folder);
        const auto file = folder->path() / "model.toml";
        DeviceModel model = otherDevice();
        model.name = "mine";
        QVERIFY(writeFileAtomic(file, toToml(model)));
        for (const std::string& given : {file.string(), toToml(model)}) {
            const auto read = loadDeviceModel(given);
            QVERIFY(read);
            QCOMPARE(read->name, std::string("mine"));
            QCOMPARE(toToml(*read), toToml(model));
        }
        QCOMPARE(loadDeviceModel("h200")->name, std::string("h200"));
        const auto missing = loadDeviceModel("no-such-model");
        QVERIFY(!missing);
        QVERIFY(missing.error().remedy.find("h200") != std::string::npos);
        QVERIFY(!loadDeviceModel("name = \"x\"\n[sizes]\n[costs]\n"));
        std::string bad = toToml(model);
        bad.replace(bad.find("issue_per_clock"), 15, "issue_per_klock");
        QVERIFY(!loadDeviceModel(bad));
        for (const char* key : {"sm_count", "clock_ghz", "issue_per_clock"}) { // a truth value is no number
            bad = toToml(model);
            const auto value = bad.find(" = ", bad.find(key)) + 3;
            QVERIFY2(!loadDeviceModel(bad.replace(value, bad.find('\n', value) - value, "true")), key);
        }
    }

    void exceptionsOfThreads()
    {
        for (const int threads : {1, 4}) {
            std::atomic<int> calls = 0;
            const auto work = [&](std::size_t i) {
                ++calls;
                if (i == 3)
                    throw std::bad_alloc();
            };
            QVERIFY_EXCEPTION_THROWN(parallelFor(1000000, threads, work), std::bad_alloc);
            QVERIFY(calls >= 4 && calls < 1000000);
            calls = 0;
            parallelFor(3, threads, work);
            QCOMPARE(calls.load(), 3);
        }
    }

    void tooFewRows()
    {
        const auto fitted = fitModel(*findDeviceModel("h200"), {m_rows[0]}, {});
        QVERIFY(!fitted);
    }
};

QTEST_GUILESS_MAIN(CalibrationTest)
#include "tst_calibration.moc"
