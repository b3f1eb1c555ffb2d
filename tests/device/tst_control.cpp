// SPDX-License-Identifier: Apache-2.0
// Divergence, calls, warp-wide operations, atomics and waiting, against plain C++.
#include "device/simulator/decode/flow_graph.h"
#include "harness.h"

#include <QTest>
#include <algorithm>
#include <bit>

using namespace sparserl;
using namespace sparserl::harness;

class TestControl : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void nested();
    void choose();
    void calls();
    void reduce();
    void relay();
    void warpsWait();
    void lanesWait();
    void indexedBranches();
    void tickets();
    void atomics();
    void meetingPoints();
    void costOrder();
    void readsWhatItMay();
};

namespace {

std::vector<float> integers(int count)
{
    std::vector<float> x(count);
    for (int i = 0; i < count; ++i)
        x[i] = static_cast<float>((i * 7 + 3) % 11 - 4);
    return x;
}

constexpr int seeds = 6;

} // namespace

void TestControl::nested()
{
    constexpr int n = 100, threads = 256;
    const std::vector<float> x = integers(n);
    std::vector<float> expected(threads);
    for (int i = 0; i < threads; ++i) {
        float v = 0;
        bool returned = false;
        for (int k = 0; k <= i % 7; ++k) {
            if (k == 3 && i % 2)
                continue;
            if (k == 5 && i % 3 == 0)
                break;
            for (int m = 0; m < (i + k) % 4; ++m)
                v += x[(k * 4 + m) % n];
            if (v > 50.0f) {
                returned = true;
                break;
            }
        }
        expected[i] = returned ? -v : v;
    }
    for (int seed = 0; seed < seeds; ++seed) {
        Bench bench(fixture("control.ptx"));
        const int in = bench.x(n), out = bench.y(threads);
        bench.launch("nested", 4, 64, {number(n), array(in), array(out)});
        const ExecutionResult result = bench.run(x, seed);
        QVERIFY2(!result.fault, result.fault ? result.fault->message.c_str() : "");
        QCOMPARE(floats(result.outputs.at(0)), expected);
    }
}

void TestControl::choose()
{
    const std::vector<float> x = integers(128);
    for (int seed = 0; seed < seeds; ++seed) {
        Bench bench(fixture("control.ptx"));
        const int in = bench.x(128), out = bench.y(128, true);
        bench.launch("choose", 1, 128, {number(128), array(in), array(out)});
        const ExecutionResult result = bench.run(x, seed);
        QVERIFY(!result.fault);
        for (int i = 0; i < 128; ++i) {
            float v = x[i];
            switch (i % 9) {
            case 0:
                v += 1;
                break;
            case 1:
                v *= 2;
                break;
            case 2:
                v -= x[3];
                break;
            case 3:
                v = x[127];
                break;
            case 4:
                v = 0;
                break; // returned: still zero
            case 5:
                v = (v + 7) * 3;
                break;
            case 6:
                v *= 3;
                break;
            default:
                v = -v;
            }
            QCOMPARE(floats(result.outputs.at(0))[i], v);
        }
    }
}

void TestControl::calls()
{
    const std::vector<float> x = integers(96);
    Bench bench(fixture("control.ptx"));
    const int in = bench.x(96), out = bench.y(96);
    bench.launch("calls", 1, 96, {number(96), array(in), array(out)});
    const ExecutionResult result = bench.run(x);
    QVERIFY2(!result.fault, result.fault ? result.fault->message.c_str() : "");
    const std::vector<float> coefficients{1.0f, -2.0f, 3.0f, 0.5f, 4.0f};
    auto poly = [](float a, const std::vector<float>& table, int count) {
        float r = 0;
        for (int k = 0; k < count; ++k)
            r = std::fma(r, a, table[k]);
        return r;
    };
    for (int i = 0; i < 96; ++i) {
        std::vector<float> local(6);
        for (int k = 0; k < 6; ++k)
            local[k] = x[(i + k) % 96];
        float v = poly(x[i], local, 1 + i % 6);
        if (i % 3 == 0)
            v += poly(2.0f, coefficients, 5);
        QCOMPARE(floats(result.outputs.at(0))[i], v + local[(i * 5) % 6]);
    }
}

void TestControl::reduce()
{
    const std::vector<float> x = integers(128);
    for (int seed = 0; seed < seeds; ++seed) {
        Bench bench(fixture("control.ptx"));
        const int in = bench.x(128), out = bench.y(9);
        bench.launch("reduce", 1, 128, {number(128), array(in), array(out)});
        const ExecutionResult result = bench.run(x, seed);
        QVERIFY2(!result.fault, result.fault ? result.fault->message.c_str() : "");
        float sum = 0, most = -100;
        int positive = 0, inWarp = 0, same = 0;
        bool any = false, all = true;
        for (int i = 0; i < 128; ++i) {
            sum += x[i];
            positive += x[i] > 0;
            any = any || x[i] > 1.5f;
            all = all && x[i] > -9.0f;
            if (i / 32 == 1) {
                inWarp += x[i] > 0;
                same += x[i] == x[33];
                most = std::max(most, x[i]);
            }
        }
        const std::vector<float> expected{
            sum, float(positive), float(any), float(all), float(inWarp), float(same), most, x[42], x[42]};
        QCOMPARE(floats(result.outputs.at(0)), expected);
    }
}

void TestControl::relay()
{
    const std::vector<float> x = integers(40);
    float sum = 0;
    for (float v : x)
        sum += v;
    for (int seed = 0; seed < seeds; ++seed) {
        Bench bench(fixture("control.ptx"));
        const int in = bench.x(40), data = bench.buffer("data", BufferRole::Scratch, ElementType::F32, 40),
                  flag = bench.buffer("flag", BufferRole::Scratch, ElementType::U32, 40, true),
                  out = bench.y(1);
        bench.launch("relay", 40, 32, {number(40), array(in), array(data), array(flag), array(out)});
        const ExecutionResult result = bench.run(x, seed);
        QVERIFY2(!result.fault, result.fault ? result.fault->message.c_str() : "");
        QCOMPARE(floats(result.outputs.at(0)).at(0), sum);
    }
}

void TestControl::warpsWait()
{
    const std::vector<float> x = integers(40);
    for (int seed = 0; seed < seeds; ++seed) {
        Bench bench(fixture("control.ptx"));
        const int in = bench.x(40), out = bench.y(1);
        bench.launch("warps_wait", 3, 96, {number(40), array(in), array(out)});
        bench.plan.launches[0].grid = {1, 1, 1};
        const ExecutionResult result = bench.run(x, seed);
        QVERIFY2(!result.fault, result.fault ? result.fault->message.c_str() : "");
        QCOMPARE(floats(result.outputs.at(0)).at(0), x[7]);
    }
}

void TestControl::lanesWait()
{
    // Locks and hand-overs between threads of one warp: independent scheduling since Volta lets them through.
    constexpr int threads = 32;
    for (const char* kernel : {"warp_lock", "warp_try_lock", "warp_chain"}) {
        for (const Checks checks : {Checks::None, Checks::Counters, Checks::All}) {
            for (int seed = 0; seed < seeds; ++seed) {
                Bench bench(fixture("control.ptx"));
                const int lock = bench.buffer("lock", BufferRole::Scratch, ElementType::I32, 1, true),
                          turn = bench.buffer("turn", BufferRole::Scratch, ElementType::I32, 1, true),
                          x = bench.x(threads), y = bench.y(2 * threads);
                bench.launch(kernel, 1, threads,
                             {number(threads), array(lock), array(turn), array(x), array(y)});
                bench.request.stepBudget = 2'000'000;
                const std::vector<float> in = integers(threads);
                const ExecutionResult result = bench.run(in, seed, checks);
                QVERIFY2(!result.fault,
                         result.fault ? (kernel + (": " + result.fault->message)).c_str() : "");
                std::vector<float> expected(2 * threads);
                for (int i = 0; i < threads; ++i) {
                    expected[i] = (std::string(kernel) == "warp_chain" ? in[i] : in[0]) + float(i);
                    expected[threads + i] = in[i];
                }
                QCOMPARE(floats(result.outputs.at(0)), expected);
            }
        }
    }
}

void TestControl::indexedBranches()
{
    const std::string
        head = ".version 9.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 x, "
               ".param .u64 y)\n{\n.reg .b64 %a<4>; .reg .b32 %r<6>; .reg .f32 %f<2>; .reg .pred "
               "%p<2>;\nld.param.u64 %a0, [y]; mov.u32 %r0, %tid.x; rem.u32 %r1, %r0, 4; "
               "setp.lt.u32 %p0, %r0, 40; mov.u32 %r2, 7;\nTABLE: .branchtargets A, B, C, A;\n",
        tail = "bra END;\nA: add.s32 %r2, %r0, 100; bra END;\nB: mul.lo.s32 %r2, %r0, 3; bra END;\nC: "
               "neg.s32 %r2, %r0;\nEND: cvt.rn.f32.s32 %f0, %r2; mul.wide.u32 %a1, %r0, 4; add.s64 "
               "%a2, %a0, %a1; st.global.f32 [%a2], %f0; ret;\n}\n";
    for (const bool guarded : {false, true}) {
        Bench bench(head + (guarded ? "@%p0 " : "") + "brx.idx %r1, TABLE;\n" + tail);
        QVERIFY(!ptx::firstUnsupported(bench.module));
        const int x = bench.x(1), y = bench.y(64);
        bench.launch("k", 1, 64, {array(x), array(y)});
        const ExecutionResult result = bench.run({1.0f});
        QVERIFY2(!result.fault, result.fault ? result.fault->message.c_str() : "");
        for (int i = 0; i < 64; ++i) {
            const int targets[] = {i + 100, 3 * i, -i, i + 100};
            QCOMPARE(floats(result.outputs.at(0))[i], float(guarded && i >= 40 ? 7 : targets[i % 4]));
        }
    }
    QVERIFY(!ptx::parse(head + "brx.idx %r1, OTHER;\n" + tail));
}

void TestControl::tickets()
{
    const std::vector<float> x = integers(500);
    std::vector<float> expected(500);
    std::transform(x.begin(), x.end(), expected.begin(), [](float v) { return 2 * v; });
    Bench bench(fixture("control.ptx"));
    const int in = bench.x(500), next = bench.buffer("next", BufferRole::Scratch, ElementType::U32, 1, true),
              out = bench.y(500);
    bench.launch("tickets", 5, 64, {number(500), array(in), array(next), array(out)});
    const ExecutionResult result = bench.run(x);
    QVERIFY2(!result.fault, result.fault ? result.fault->message.c_str() : "");
    QCOMPARE(floats(result.outputs.at(0)), expected);
}

void TestControl::atomics()
{
    constexpr int threads = 300;
    const std::vector<float> x = integers(64);
    Bench bench(fixture("control.ptx"));
    const int in = bench.x(64), bins = bench.y(8, true);
    // Integers are counted in the output, whose bits come back; the float sums go to scratch.
    const int sums = bench.buffer("sums", BufferRole::Scratch, ElementType::F32, 3, true);
    bench.launch("atomics", 3, 100, {number(64), array(in), array(bins), array(sums)});
    const ExecutionResult result = bench.run(x);
    QVERIFY2(!result.fault, result.fault ? result.fault->message.c_str() : "");
    std::vector<int> got(8);
    std::memcpy(got.data(), floats(result.outputs.at(0)).data(), 32);
    const std::vector<int> expected{75, 75, 75, 75, threads - 1, -(threads - 1), (1 << 20) - 1, 77};
    QCOMPARE(got, expected);
    QVERIFY(result.atomicFloats);
}

void TestControl::meetingPoints()
{
    using namespace sim;
    auto branch = [](std::uint32_t target, bool guarded) {
        Insn insn;
        insn.kind = Kind::Branch;
        insn.target = target;
        insn.guarded = guarded;
        return insn;
    };
    Insn work, leave;
    leave.kind = Kind::Exit;
    // 0: if -> 3; 1: work; 2: else goes to 4; 3: work; 4: loop body; 5: back to 4; 6: exit
    std::vector<Insn> code{branch(3, true), work, branch(4, false), work, work, branch(4, true), leave};
    QVERIFY(placeReconvergence(code));
    QCOMPARE(code[0].reconverge, 4u);
    QVERIFY(code[4].join);
    QCOMPARE(code[5].reconverge, 6u);
    // A return inside an if does not move the meeting point: 0: if -> 4; 1: if -> 3; 2: exit; 3, 4: work; 5:
    // exit
    code = {branch(4, true), branch(3, true), leave, work, work, leave};
    QVERIFY(placeReconvergence(code));
    QCOMPARE(code[0].reconverge, 4u);
    QCOMPARE(code[1].reconverge, 3u);
    // A side that does its work and returns meets inside itself. 0: if -> 5; 1: if -> 3; 2, 3: work; 4: exit;
    // 5: if -> 7; 6, 7: work; 8: exit
    code = {branch(5, true), branch(3, true), work, work, leave, branch(7, true), work, work, leave};
    QVERIFY(placeReconvergence(code));
    QCOMPARE(code[1].reconverge, 3u);
    QVERIFY(code[3].join);
    QCOMPARE(code[5].reconverge, 7u);
    // A branch to the end is an exit: nobody waits for the lanes that take it.
    code = {branch(2, true), work, leave};
    QVERIFY(placeReconvergence(code));
    QCOMPARE(int(code[0].kind), int(Kind::Exit));
    // An endless loop meets nowhere and does not hang the analysis.
    code = {branch(0, true), branch(0, false)};
    QVERIFY(placeReconvergence(code));
    QCOMPARE(code[0].reconverge, 2u);
}

void TestControl::costOrder()
{
    auto time = [](const char* file, const TestMatrix& m, int threadsPerRow) {
        Bench bench(fixture(file));
        const int rowPtr = bench.matrix("csr.row_ptr", m.rowPtr), col = bench.matrix("csr.col", m.col),
                  val = bench.matrix("csr.val", m.val), x = bench.x(m.cols), y = bench.y(m.rows);
        bench.launch("spmv", (std::int64_t(m.rows) * threadsPerRow + 127) / 128, 128,
                     {number(m.rows), array(rowPtr), array(col), array(val), array(x), array(y)});
        const ExecutionResult result = bench.run(integers(m.cols), 1, Checks::Counters);
        if (result.fault || !(result.warmMicroseconds <= result.coldMicroseconds))
            throw std::runtime_error("no time");
        return result.warmMicroseconds;
    };
    const TestMatrix longRows = randomMatrix(1000, 4000, 400, 400, 1),
                     shortRows = randomMatrix(200000, 4000, 3, 3, 2);
    QVERIFY(time("csr_scalar.ptx", longRows, 1) > 1.5 * time("csr_warp.ptx", longRows, 32));
    QVERIFY(time("csr_warp.ptx", shortRows, 32) > 1.5 * time("csr_scalar.ptx", shortRows, 1));
    // One row with as many entries as all others together: a warp per row waits for it.
    TestMatrix skewed = randomMatrix(4000, 100000, 10, 10, 3);
    TestMatrix even = randomMatrix(4001, 100000, 20, 20, 3);
    for (int k = 0; k < 40000; ++k) {
        skewed.col.push_back(2 * k);
        skewed.val.push_back(1.0f);
    }
    ++skewed.rows;
    skewed.rowPtr.push_back(static_cast<int>(skewed.col.size()));
    QVERIFY(time("csr_warp.ptx", skewed, 32) > 1.5 * time("csr_warp.ptx", even, 32));
}

void TestControl::readsWhatItMay()
{
    // Rows of equal length in ELL: neighbouring threads read neighbouring words.
    constexpr int rows = 2000, width = 16;
    std::vector<std::int32_t> col(rows * width);
    std::vector<float> val(rows * width), x = integers(rows), expected(rows);
    for (int k = 0; k < width; ++k) {
        for (int r = 0; r < rows; ++r) {
            col[k * rows + r] = (r * 31 + k * 17) % rows;
            val[k * rows + r] = static_cast<float>((r + k) % 3);
            expected[r] += val[k * rows + r] * x[col[k * rows + r]];
        }
    }
    Bench bench(fixture("ell.ptx"));
    const int c = bench.matrix("ell.col", col), v = bench.matrix("ell.val", val), in = bench.x(rows),
              out = bench.y(rows);
    bench.launch("spmv", (rows + 255) / 256, 256,
                 {number(rows), number(width), array(c), array(v), array(in), array(out)});
    bench.request.lineCounters = true;
    const ExecutionResult result = bench.run(x);
    QVERIFY2(!result.fault, result.fault ? result.fault->message.c_str() : "");
    QCOMPARE(floats(result.outputs.at(0)), expected);
    // Compulsory traffic, counted by hand: col, val, x and y once, in sectors of eight words.
    const std::int64_t sectors = (2 * rows * width + 2 * rows) / 8;
    const LaunchReport& launch = result.launches.at(0);
    QVERIFY(launch.distinctSectors >= sectors && launch.distinctSectors <= sectors + 8);
    QCOMPARE(launch.total.dramSectors, launch.distinctSectors);
    QCOMPARE(launch.total.l1Hits + launch.total.l2Hits + launch.total.dramSectors,
             launch.total.globalSectors);
    // 8 blocks of 256 threads: one warp instruction of each has 32 lanes but for the last warps.
    QVERIFY(launch.total.threadInstructions <= 32 * launch.total.warpInstructions);
    QVERIFY(launch.occupancy.fraction > 0 && launch.occupancy.fraction < 0.1);
    QCOMPARE(launch.occupancy.limiter, std::string("grid"));
}

QTEST_GUILESS_MAIN(TestControl)
#include "tst_control.moc"
