// SPDX-License-Identifier: Apache-2.0
// The CUDA device on a driver of our own (fake_driver.cpp), which runs kernels in the interpreter; and, where
// there is a GPU, on the real one.
#include "device/cuda/cuda_device.h"
#include "device/cuda/graph_timer.h"
#include "device/cuda/library_timing.h"
#include "harness.h"

#include <QTest>
#include <bit>
#include <cmath>
#include <dlfcn.h>
#include <set>

using namespace sparserl;
using namespace sparserl::harness;

namespace {

const std::filesystem::path fakeDriver = SPARSERL_FAKE_DRIVER;

std::string csrText(const std::string& file)
{
    return fixture(file);
}

/// y = A x with a thread per row, on a matrix whose sums are exact.
struct CsrCase
{
    TestMatrix matrix = randomMatrix(300, 200, 0, 9, 7);
    Bench bench{csrText("csr_scalar.ptx")};
    std::string cubin = csrText("csr_scalar.ptx"); // the driver takes PTX too
    std::vector<std::vector<float>> xs;
    int y = -1;

    explicit CsrCase(bool zeroed = false)
    {
        const int rowPtr = bench.matrix("csr.row_ptr", matrix.rowPtr),
                  col = bench.matrix("csr.col", matrix.col), val = bench.matrix("csr.val", matrix.val),
                  x = bench.x(matrix.cols);
        y = bench.y(matrix.rows, zeroed);
        bench.launch("spmv", (matrix.rows + 127) / 128, 128,
                     {number(matrix.rows), array(rowPtr), array(col), array(val), array(x), array(y)});
        for (int k = 0; k < 3; ++k) {
            std::vector<float>& values = xs.emplace_back();
            for (int i = 0; i < matrix.cols; ++i)
                values.push_back(static_cast<float>((i * 7 + k * 3) % 11 - 5));
        }
    }
    ExecutionRequest execution()
    {
        ExecutionRequest request;
        request.plan = &bench.plan;
        request.module = &bench.module;
        request.cubin = cubin;
        request.seed = 5;
        for (const auto& x : xs)
            request.inputs.push_back(denseInput(Task::SpMV, x));
        return request;
    }
    MeasureRequest measurement()
    {
        MeasureRequest request;
        request.plan = &bench.plan;
        request.module = &bench.module;
        request.cubin = cubin;
        request.samples = 6;
        request.sampleMicroseconds = 50;
        request.limitMicroseconds = 1e6;
        request.seed = 9;
        for (const auto& x : xs)
            request.ring.push_back(denseInput(Task::SpMV, x));
        request.compare = CompareRequest{std::make_shared<const Csr>(csrOf(matrix)), 1};
        return request;
    }
};

struct FaultCase
{
    Bench bench{fixture("faults.ptx")};
    std::string cubin = fixture("faults.ptx");
    std::vector<float> ones = std::vector<float>(128, 1.0f);

    FaultCase(const std::string& kernel, int blocks, int n)
    {
        const int x = bench.x(128), y = bench.y(128);
        bench.launch(kernel, blocks, 128, {number(n), array(x), array(y)});
    }
    ExecutionRequest execution()
    {
        ExecutionRequest request;
        request.plan = &bench.plan;
        request.module = &bench.module;
        request.cubin = cubin;
        request.inputs = {denseInput(Task::SpMV, ones)};
        request.limitSeconds = 0.2;
        return request;
    }
};

std::unique_ptr<CudaDevice> open(const char* settings = "")
{
    qputenv("SPARSERL_FAKE_GPU", settings);
    auto device = CudaDevice::create(0, fakeDriver);
    if (!device)
        throw std::runtime_error(device.error().sentence());
    return std::move(*device);
}

} // namespace

class TestCudaDevice : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void noDriver();
    void refusals_data();
    void refusals();
    void describesGpu();
    void executes();
    void poisonsOutputs();
    void faults_data();
    void faults();
    void poisonedAnswersNothing();
    void launchLimits();
    void measures();
    void memoryIsUsedAgain();
    void busyHostsAreWaitedFor();
    void zeroingIsPartOfTheCall();
    void callsDoNotOverlap();
    void dropsSlowPrograms();
    void badProgramsInMeasurements();
    void ceilings();
    void summary();
    void vendorLibraries();
    void baselines();
    void headToHead();
    void realGpu();
};

void TestCudaDevice::noDriver()
{
    const auto gpus = listGpus("/nowhere/libcuda.so.1");
    QVERIFY(!gpus);
    QVERIFY2(gpus.error().what.find("no NVIDIA driver") != std::string::npos, gpus.error().what.c_str());
    QVERIFY(!gpus.error().remedy.empty());
    const auto other = listGpus("libz.so.1");
    QVERIFY(!other);
    QVERIFY2(other.error().what.find("is not the library of an NVIDIA driver") != std::string::npos,
             other.error().what.c_str());
}

void TestCudaDevice::refusals_data()
{
    QTest::addColumn<QByteArray>("settings");
    QTest::addColumn<QByteArray>("sentence");
    QTest::addColumn<bool>("listed");
    QTest::newRow("old driver")
        << QByteArray("version=12040")
        << QByteArray("the NVIDIA driver is too old: it is for CUDA 12.4, and CUDA 13 is needed") << false;
    QTest::newRow("old driver that does not start")
        << QByteArray("version=12040 init=803") << QByteArray("too old") << false;
    QTest::newRow("no device") << QByteArray("init=100") << QByteArray("the NVIDIA driver finds no GPU")
                               << false;
    QTest::newRow("none visible") << QByteArray("devices=0") << QByteArray("the NVIDIA driver finds no GPU")
                                  << false;
    QTest::newRow("versions differ") << QByteArray("init=803") << QByteArray("are of different versions")
                                     << false;
    QTest::newRow("broken") << QByteArray("init=999") << QByteArray("does not start (cuInit returned 999)")
                            << false;
    QTest::newRow("Turing") << QByteArray("major=7")
                            << QByteArray("Fake GPU is older than Ampere (compute capability 7.0)") << true;
}

void TestCudaDevice::refusals()
{
    QFETCH(QByteArray, settings);
    QFETCH(QByteArray, sentence);
    QFETCH(bool, listed);
    qputenv("SPARSERL_FAKE_GPU", settings);
    QCOMPARE(listGpus(fakeDriver).has_value(), listed);
    const auto device = CudaDevice::create(0, fakeDriver);
    QVERIFY(!device);
    QVERIFY2(device.error().what.find(sentence.toStdString()) != std::string::npos,
             device.error().what.c_str());
    QVERIFY2(!device.error().remedy.empty(), "no remedy");
}

void TestCudaDevice::describesGpu()
{
    const auto device = open();
    const GpuInfo& info = device->info();
    QCOMPARE(info.name, std::string("Fake GPU"));
    QCOMPARE(info.architecture(), std::string("sm_90"));
    QCOMPARE(info.limits().smCount, 2);
    QCOMPARE(info.limits().maxSharedOptinBytes, std::int64_t(232448));
    QCOMPARE(info.model().maxWarpsPerSm, 64);
    const auto other = CudaDevice::create(3, fakeDriver);
    QVERIFY(!other);
    QVERIFY(other.error().what.find("there is no GPU 3") != std::string::npos);
}

void TestCudaDevice::executes()
{
    const auto device = open();
    CsrCase one;
    const auto result = device->execute(one.execution());
    QVERIFY2(result.has_value(), result ? "" : result.error().sentence().c_str());
    QVERIFY2(!result->fault, result->fault ? result->fault->message.c_str() : "");
    QCOMPARE(result->outputs.size(), std::size_t(3));
    for (std::size_t k = 0; k < 3; ++k)
        QCOMPARE(floats(result->outputs[k]), one.matrix.multiply(one.xs[k]));
    QCOMPARE(result->launches.size(), std::size_t(1));
    const LaunchReport& launch = result->launches[0];
    QCOMPARE(launch.blocks, std::int64_t(3));
    QVERIFY(launch.registers > 0 && launch.occupancy.blocksPerSm > 0);
    QVERIFY(!device->poisoned());
    // As on the simulated device, bit for bit.
    ExecutionRequest request = one.execution();
    const auto simulated = SimulatedDevice().execute(request);
    QVERIFY(simulated && !simulated->fault);
    QCOMPARE(result->outputs, simulated->outputs);
}

void TestCudaDevice::poisonsOutputs()
{
    const auto device = open();
    FaultCase one("same_value", 1, 128); // writes y[0] only
    const auto result = device->execute(one.execution());
    QVERIFY(result && !result->fault);
    QCOMPARE(floats(result->outputs[0])[0], 1.0f);
    // NaN, or a number that may be a result, but never the same.
    std::set<std::uint32_t> found;
    for (std::size_t i = 1; i < 128; ++i) {
        const float value = floats(result->outputs[0])[i];
        QVERIFY(std::isnan(value) || (std::abs(value) >= 0.25f && std::abs(value) < 16.0f));
        found.insert(std::bit_cast<std::uint32_t>(value));
    }
    QVERIFY(found.size() > 120);
    int runsWithNan = 0, runsWithNumbers = 0;
    for (std::uint64_t seed = 0; seed < 24; ++seed) {
        ExecutionRequest request = one.execution();
        request.seed = seed;
        const auto other = device->execute(request);
        QVERIFY(other && !other->fault);
        runsWithNan += std::isnan(floats(other->outputs[0])[5]);
        runsWithNumbers += !std::isnan(floats(other->outputs[0])[5]);
    }
    QVERIFY(runsWithNan > 3 && runsWithNumbers > 3);
    // The plan's own zeroing.
    one.bench.plan.buffers[1].zero = true;
    const auto zeroed = device->execute(one.execution());
    QVERIFY(zeroed && !zeroed->fault);
    QCOMPARE(floats(zeroed->outputs[0])[127], 0.0f);
}

void TestCudaDevice::faults_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("blocks");
    QTest::addColumn<int>("n");
    QTest::addColumn<QByteArray>("message");
    QTest::addColumn<bool>("poisons");
    const auto row = [](const char* name, FaultKind kind, int blocks, int n, const char* message,
                        bool poisons) {
        QTest::newRow(name) << int(kind) << blocks << n << QByteArray(message) << poisons;
    };
    // Into the zone behind y: nothing crashes, the zone tells.
    row("oob_write", FaultKind::OutOfBounds, 2, 128, "outside every array, at y[128], which has 128 elements",
        false);
    row("write_input", FaultKind::OutOfBounds, 1, 128, "a write to 'x', which may only be read here", false);
    row("null_pointer", FaultKind::OutOfBounds, 1, 100, "outside every array", true);
    row("misaligned", FaultKind::OutOfBounds, 1, 128, "misaligned", true);
    row("trapping", FaultKind::LaunchError, 1, 128, "trap", true);
    row("endless", FaultKind::Timeout, 1, 128, "did not end within 0.2 s", true);
}

void TestCudaDevice::faults()
{
    QFETCH(int, kind);
    QFETCH(int, blocks);
    QFETCH(int, n);
    QFETCH(QByteArray, message);
    QFETCH(bool, poisons);
    const std::string name = QTest::currentDataTag();
    {
        const auto device = open();
        FaultCase one(name, blocks, n);
        const auto result = device->execute(one.execution());
        QVERIFY2(result.has_value(), result ? "" : result.error().sentence().c_str());
        QVERIFY(result->fault);
        QCOMPARE(int(result->fault->kind), kind);
        QVERIFY2(result->fault->message.find(message.toStdString()) != std::string::npos,
                 result->fault->message.c_str());
        QCOMPARE(result->fault->kernel, name);
        QCOMPARE(result->fault->line, 1);
        QCOMPARE(device->poisoned(), poisons);
    }
    // A new driver session works again (here: of the same process, as this driver is not the real one).
    const auto device = open();
    CsrCase good;
    const auto result = device->execute(good.execution());
    QVERIFY(result && !result->fault);
}

void TestCudaDevice::poisonedAnswersNothing()
{
    const auto device = open();
    FaultCase bad("trapping", 1, 128);
    QVERIFY(device->execute(bad.execution()));
    QVERIFY(device->poisoned());
    CsrCase good;
    const auto again = device->execute(good.execution());
    QVERIFY(!again);
    QVERIFY2(again.error().remedy.find("new process") != std::string::npos, again.error().sentence().c_str());
    QVERIFY(!device->measure(good.measurement()));
    QVERIFY(!device->ceilings());
}

void TestCudaDevice::launchLimits()
{
    const auto device = open();
    CsrCase one;
    one.bench.plan.launches[0].block = {2048, 1, 1};
    auto result = device->execute(one.execution());
    QVERIFY(result && result->fault && result->fault->kind == FaultKind::LaunchError);
    one.bench.plan.launches[0].block = {128, 1, 1};
    one.bench.plan.launches[0].dynamicSharedBytes = 300'000;
    result = device->execute(one.execution());
    QVERIFY(result && result->fault && result->fault->message.find("shared memory") != std::string::npos);
    // Beyond 48 KiB only by permission, which is asked for.
    one.bench.plan.launches[0].dynamicSharedBytes = 100'000;
    result = device->execute(one.execution());
    QVERIFY(result && !result->fault);
    one.bench.plan.launches[0].arguments.pop_back();
    QVERIFY(!device->execute(one.execution()));
    QVERIFY(!device->poisoned());
}

void TestCudaDevice::measures()
{
    const auto device = open();
    CsrCase one;
    const auto result = device->measure(one.measurement());
    QVERIFY2(result.has_value(), result ? "" : result.error().sentence().c_str());
    QVERIFY2(!result->fault, result->fault ? result->fault->message.c_str() : "");
    QCOMPARE(result->warm.n, 6);
    QVERIFY(result->warm.median > 0 && result->warm.q25 <= result->warm.median &&
            result->warm.median <= result->warm.q75);
    QVERIFY(result->cold && result->cold->n >= 3);
    QVERIFY(result->wallMicroseconds > 0);
    const MeasurePhases& p = result->phases;
    QVERIFY(p.load > 0 && p.first > 0 && p.warm > 0 && p.cold > 0 && p.checks > 0);
    QVERIFY(p.first + p.warm + p.cold + p.checks <= result->measuringSeconds + 1e-3);
    QCOMPARE(result->occupancy.size(), std::size_t(1));
    // Six warm samples and at least three pairs of cold ones; of eight outputs and more, all rows.
    QVERIFY(!result->compared.wrong);
    QVERIFY(result->compared.calls >= 10 * cuda::ringSlots);
    QCOMPARE(result->compared.elements, result->compared.calls * one.matrix.rows);
    MeasureRequest other = one.measurement();
    other.ring.clear();
    QVERIFY(!device->measure(other));
    other = one.measurement();
    auto matrix = std::make_shared<Csr>(csrOf(one.matrix));
    matrix->val[17] += 1; // As if the program had used another one.
    other.compare->matrix = matrix;
    const auto wrong = device->measure(other);
    QVERIFY(wrong && !wrong->fault && wrong->compared.wrong);
    const auto row = wrong->compared.wrong->row;
    QVERIFY(matrix->rowPtr[static_cast<std::size_t>(row)] <= 17 &&
            17 < matrix->rowPtr[static_cast<std::size_t>(row) + 1]);
    other.compare.reset();
    const auto unseen = device->measure(other);
    QVERIFY(unseen && unseen->compared.calls == 0);
}

// Reserving and freeing memory stops the GPU: what one program gave back is enough for the next one like it.
void TestCudaDevice::memoryIsUsedAgain()
{
    using Count = int();
    void* const driver = dlopen(fakeDriver.c_str(), RTLD_NOW);
    QVERIFY(driver);
    auto* const allocations = reinterpret_cast<Count*>(dlsym(driver, "fakeAllocations"));
    QVERIFY(allocations);
    const auto device = open();
    CsrCase one;
    const auto judged = [&](std::uint64_t seed) {
        MeasureRequest timing = one.measurement();
        timing.seed = seed;
        ExecutionRequest execution = one.execution();
        execution.seed = seed + 1;
        const auto before = device->execute(execution);
        const auto measured = device->measure(timing);
        execution.seed = seed + 2;
        const auto after = device->execute(execution);
        return before && measured && after && !before->fault && !measured->fault && !after->fault;
    };
    // Arrays begin at a random place, so that one arena may be a size larger than another.
    for (std::uint64_t i = 0; i < 8; ++i)
        QVERIFY(judged(100 + 10 * i));
    const int known = allocations();
    QVERIFY(known > 0);
    for (std::uint64_t i = 0; i < 8; ++i)
        QVERIFY(judged(200 + 10 * i));
    QCOMPARE(allocations(), known);
    dlclose(driver);
}

// Where the host sees the ends of some rows late, another row counts; where it sees all late, that is said.
void TestCudaDevice::busyHostsAreWaitedFor()
{
    CsrCase one;
    const struct
    {
        const char* settings;
        bool agree;
        int least; ///< Samples: twice as many in each row.
    } cases[] = {{"late=0", true, 6}, {"late=2", true, 24}, {"late=100", false, 24}};
    for (const auto& [settings, agree, least] : cases) {
        const auto device = open(settings);
        MeasureRequest request = one.measurement();
        request.compare.reset(); // It would take most of the seconds that there are for rows.
        const auto result = device->measure(request);
        QVERIFY(result && !result->fault);
        QCOMPARE(result->clocksAgree, agree);
        // A machine that is busy in truth adds rows.
        QVERIFY(agree ? result->warm.n >= least : result->warm.n > least);
    }
}

void TestCudaDevice::zeroingIsPartOfTheCall()
{
    // atomicAdd into y: right only if y is zeroed before each of the many calls of a graph.
    const auto device = open();
    FaultCase one("uninitialised_output", 1, 128);
    one.bench.plan.buffers[1].zero = true;
    MeasureRequest request;
    request.plan = &one.bench.plan;
    request.module = &one.bench.module;
    request.cubin = one.cubin;
    request.ring = {denseInput(Task::SpMV, one.ones)};
    request.samples = 5;
    request.sampleMicroseconds = 20;
    request.cold = false;
    Csr unit;
    unit.rows = unit.cols = 128;
    for (std::int32_t i = 0; i < 128; ++i) {
        unit.col.push_back(i);
        unit.val.push_back(1);
        unit.rowPtr.push_back(i + 1);
    }
    request.compare = CompareRequest{std::make_shared<const Csr>(unit), 1};
    const auto result = device->measure(request);
    QVERIFY(result && !result->fault);
    QVERIFY(!result->cold);
    QVERIFY(result->compared.calls > 0 && !result->compared.wrong);
    one.bench.plan.buffers[1].zero = false;
    const auto poisoned = device->measure(request);
    QVERIFY(poisoned && !poisoned->fault && poisoned->compared.wrong);
}

/// Kernels of libraries may start before the one before them has ended: not in what we time.
void TestCudaDevice::callsDoNotOverlap()
{
    const auto device = open("overlap=1");
    CsrCase one(true); // The output is zeroed before the kernel: the other way round, it stays zero.
    const auto timing = device->measure(one.measurement());
    QVERIFY2(timing.has_value(), timing ? "" : timing.error().sentence().c_str());
    QVERIFY(!timing->fault && timing->compared.calls > 0);
    QVERIFY(!timing->compared.wrong);
}

void TestCudaDevice::dropsSlowPrograms()
{
    const auto device = open();
    CsrCase one;
    MeasureRequest request = one.measurement();
    request.dropAbove = 0.001;
    const auto result = device->measure(request);
    QVERIFY(result && !result->fault && result->dropped);
    QCOMPARE(result->warm.n, 1);
    QVERIFY(result->compared.calls == 0 && !result->cold);
}

void TestCudaDevice::badProgramsInMeasurements()
{
    for (const auto& [name, blocks] :
         {std::pair<const char*, int>{"oob_write", 2}, {"trapping", 1}, {"endless", 1}}) {
        const auto device = open();
        FaultCase one(name, blocks, 128);
        MeasureRequest request;
        request.plan = &one.bench.plan;
        request.module = &one.bench.module;
        request.cubin = one.cubin;
        request.ring = {denseInput(Task::SpMV, one.ones)};
        request.samples = 5;
        request.sampleMicroseconds = 20;
        request.limitMicroseconds = 1e5;
        const auto result = device->measure(request);
        QVERIFY2(result.has_value(), result ? "" : result.error().sentence().c_str());
        QVERIFY2(result->fault, name);
        QCOMPARE(device->poisoned(), std::string(name) != "oob_write");
    }
}

void TestCudaDevice::ceilings()
{
    const auto device = open();
    const auto found = device->ceilings();
    QVERIFY2(found.has_value(), found ? "" : found.error().sentence().c_str());
    QVERIFY(found->launchMicroseconds > 0 && found->l2GBps > 0 && found->dramGBps > 0 &&
            found->dramCopyGBps > 0);
    QCOMPARE(*device->emptyLaunchMicroseconds(), found->launchMicroseconds);
}

void TestCudaDevice::summary()
{
    const Timing timing = cuda::summarise({4, 1, 3, 2});
    QCOMPARE(timing.median, 2.5);
    QCOMPARE(timing.q25, 1.75);
    QCOMPARE(timing.q75, 3.25);
    QCOMPARE(timing.n, 4);
    QCOMPARE(cuda::summarise({}).n, 0);
}

void TestCudaDevice::vendorLibraries()
{
    const auto names = [](BaselineSet set, bool spmm, double density, ElementType type = ElementType::F32) {
        std::vector<std::string> all;
        for (const auto& spec : cuda::routines(set, spmm, density, type))
            all.push_back(spec.name);
        return all;
    };
    QCOMPARE(names(BaselineSet::Csr, false, 0.9),
             (std::vector<std::string>{"SpMVOp ALG2", "SpMVOp ALG1", "CSR_ALG2, preprocessed",
                                       "CSR_ALG1, preprocessed", "CSR_ALG2", "CSR_ALG1", "DEFAULT"}));
    const auto all = names(BaselineSet::AllFormats, false, 0.6);
    for (const char* name : {"DEFAULT", "COO_ALG2", "SELL_ALG1", "sgemv"})
        QVERIFY2(std::find(all.begin(), all.end(), name) != all.end(), name);
    QCOMPARE(names(BaselineSet::AllFormats, false, 0.6, ElementType::F64).back(), std::string("dgemv"));
    QCOMPARE(names(BaselineSet::AllFormats, true, 0.6, ElementType::F64).back(), std::string("dgemm"));
    const auto sparse = names(BaselineSet::AllFormats, false, 0.01);
    QVERIFY(std::find(sparse.begin(), sparse.end(), "sgemv") == sparse.end());
    const auto spmm = names(BaselineSet::Csr, true, 0.1);
    QVERIFY(std::find(spmm.begin(), spmm.end(), "CSR_ALG3, preprocessed, column-major") != spmm.end());
    const auto sparseLibrary = cuda::openCusparse();
    if (!sparseLibrary)
        QSKIP("There is no cuSPARSE here, so its symbols cannot be looked up.");
    QVERIFY(cuda::openCublas());
}

namespace {

} // namespace

void TestCudaDevice::baselines()
{
    qputenv("SPARSERL_CUDA_DIR", SPARSERL_FAKE_CUDA);
    qputenv("SPARSERL_FAKE_DRIVER", SPARSERL_FAKE_DRIVER);
    const auto device = open();
    const Csr matrix = csrOf(randomMatrix(60, 50, 0, 9, 3));
    BaselineOptions options;
    options.set = BaselineSet::AllFormats;
    options.samples = 4;
    options.sampleMicroseconds = 20;
    std::vector<std::string> sentences;
    options.log = [&](std::string_view sentence) { sentences.emplace_back(sentence); };
    const auto spmv = device->measureBaselines(matrix, 1, options);
    QVERIFY2(spmv.has_value(), spmv ? "" : spmv.error().sentence().c_str());
    // SELL, BSR and SpMVOp's second algorithm are not supported by this one, which is no problem; the results
    // of the others were checked.
    QCOMPARE(spmv->size(), std::size_t(8));
    QVERIFY(sentences.empty());
    for (std::size_t i = 1; i < spmv->size(); ++i)
        QVERIFY((*spmv)[i - 1].warm.median <= (*spmv)[i].warm.median);
    for (const BaselineTiming& timing : *spmv) {
        QCOMPARE(timing.library, std::string("cuSPARSE 12.9.4"));
        const bool operation = timing.algorithm == "SpMVOp ALG1";
        const bool csr = operation || timing.algorithm.find("CSR_ALG") == 0;
        QCOMPARE(timing.csr, csr);
        if (timing.algorithm == "DEFAULT")
            QCOMPARE(timing.warm.n, 4);
        QCOMPARE(timing.setupMicroseconds > 0,
                 operation || timing.algorithm.find("preprocessed") != std::string::npos);
    }
    // CSR_ALG3 fails there, and CSR_ALG1 writes one output of the ring only, column by column: a sentence for
    // each, and the others are timed, also column by column.
    options.set = BaselineSet::Csr;
    const auto spmm = device->measureBaselines(matrix, 8, options);
    QVERIFY2(spmm.has_value(), spmm ? "" : spmm.error().sentence().c_str());
    QCOMPARE(sentences.size(), std::size_t(6));
    QVERIFY(sentences[0].find("CSR_ALG3, preprocessed, row-major could not be timed") == 0);
    QCOMPARE(std::count_if(sentences.begin(), sentences.end(),
                           [](const std::string& s) {
                               return s.find("column-major could not be timed: the library failed: operation "
                                             "not permitted") != std::string::npos;
                           }),
             2);
    QCOMPARE(std::count_if(sentences.begin(), sentences.end(),
                           [](const std::string& s) {
                               return s.find("CSR_ALG1, ") == 0 && s.find("is right") != std::string::npos;
                           }),
             2);
    QCOMPARE(spmm->size(), std::size_t(6));
    Csr empty;
    empty.rows = empty.cols = 3;
    empty.rowPtr = {0, 0, 0, 0};
    QVERIFY(!device->measureBaselines(empty, 1, options));
    qunsetenv("SPARSERL_CUDA_DIR");
}

void TestCudaDevice::headToHead()
{
    qputenv("SPARSERL_CUDA_DIR", SPARSERL_FAKE_CUDA);
    qputenv("SPARSERL_FAKE_DRIVER", SPARSERL_FAKE_DRIVER);
    const auto device = open();
    CsrCase one;
    BaselineTiming against;
    against.algorithm = "CSR_ALG2, preprocessed";
    MeasureRequest request = one.measurement();
    const auto both = device->headToHead(request, csrOf(one.matrix), 1, against);
    QVERIFY2(both.has_value(), both ? "" : both.error().sentence().c_str());
    QVERIFY(!both->fault);
    QCOMPARE(both->speedup.n, 6);
    QVERIFY(both->program.median > 0 && both->baseline.median > 0 && both->speedup.median > 0);
    QVERIFY(!both->compared.wrong && both->compared.calls >= 6 * cuda::ringSlots);
    against.algorithm = "SpMVOp ALG1";
    const auto operation = device->headToHead(request, csrOf(one.matrix), 1, against);
    QVERIFY2(operation && !operation->fault && operation->baseline.median > 0,
             operation ? "" : operation.error().sentence().c_str());
    against.algorithm = "CSR_ALG7";
    const auto none = device->headToHead(request, csrOf(one.matrix), 1, against);
    QVERIFY(!none && none.error().what.find("CSR_ALG7") != std::string::npos);
    qunsetenv("SPARSERL_CUDA_DIR");
}

void TestCudaDevice::realGpu()
{
    auto device = CudaDevice::create();
    if (!device)
        QSKIP(("No usable GPU here: " + device.error().sentence()).c_str());
    CsrCase one;
    const auto result = (*device)->execute(one.execution());
    QVERIFY2(result.has_value(), result ? "" : result.error().sentence().c_str());
    QVERIFY(!result->fault);
    for (std::size_t k = 0; k < 3; ++k)
        QCOMPARE(floats(result->outputs[k]), one.matrix.multiply(one.xs[k]));
    const auto timing = (*device)->measure(one.measurement());
    QVERIFY2(timing.has_value(), timing ? "" : timing.error().sentence().c_str());
    QVERIFY(!timing->fault && timing->clocksAgree);
    QVERIFY(timing->compared.calls > 0 && !timing->compared.wrong);
}

QTEST_GUILESS_MAIN(TestCudaDevice)
#include "tst_cuda_device.moc"
