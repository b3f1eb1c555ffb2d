// SPDX-License-Identifier: Apache-2.0
#include "kernel/bind.h"
#include "kernel/parameters.h"

#include <QTest>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

using namespace sparserl;

namespace {

/// 4 x 5: row 0 has 3 entries, row 1 none, row 2 one, row 3 two.
Csr smallMatrix()
{
    Csr m;
    m.rows = 4;
    m.cols = 5;
    m.rowPtr = {0, 3, 3, 4, 6};
    m.col = {0, 2, 4, 1, 0, 3};
    m.val = {1, 2, 3, 4, 5, 6};
    return m;
}

tl::expected<BoundPlan, BindFailure> bindText(const std::string& text, const Csr& matrix = smallMatrix())
{
    const auto program = parseProgram("//! task spmv\n" + text);
    if (!program)
        qFatal("%s", program.error().reason.c_str());
    return bindPlan(program->plan, {matrix, {1}}, {});
}

template <typename T>
std::vector<T> contents(const BoundPlan& plan, const char* name)
{
    const BoundBuffer& buffer = plan.buffers.at(static_cast<std::size_t>(plan.find(name)));
    std::vector<T> values(buffer.data.size() / sizeof(T));
    if (!values.empty())
        std::memcpy(values.data(), buffer.data.data(), buffer.data.size());
    return values;
}

using Ints = std::vector<std::int32_t>;
using Floats = std::vector<float>;
using Extents = std::array<std::int64_t, 3>;

} // namespace

class TestBind : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void evaluatesPerMatrix()
    {
        const auto plan =
            bindText("//! const T = 2\n//! scratch s i64[rows * T + 1] zero\n"
                     "//! launch k<<<ceil_div(nnz, 4), dim3(32, T), 4 * T>>>(rows, cols, nnz, max_length, "
                     "mean_length, sm_count, s, x, y)\n");
        QVERIFY(plan);
        const BoundCall& call = plan->launches.at(0);
        QVERIFY((call.grid == Extents{2, 1, 1}));
        QVERIFY((call.block == Extents{32, 2, 1}));
        QCOMPARE(call.dynamicSharedBytes, std::int64_t(8));
        const std::int64_t expected[] = {4, 5, 6, 3, 1, 132};
        for (std::size_t i = 0; i < 6; ++i)
            QCOMPARE(std::get<std::int64_t>(call.arguments.at(i)), expected[i]);
        QCOMPARE(plan->buffers.size(), std::size_t(3));
        const BoundBuffer& scratch = plan->buffers.at(0);
        QVERIFY(scratch.role == BufferRole::Scratch && scratch.zero && scratch.count == 9 &&
                scratch.bytes() == 72);
        QVERIFY(plan->buffers.at(1).role == BufferRole::Input && plan->buffers.at(1).count == 5);
        QVERIFY(plan->buffers.at(2).role == BufferRole::Output && plan->buffers.at(2).count == 4);
        QCOMPARE(plan->find("nothing"), -1);
    }

    void requirements()
    {
        // 4 rows, 5 columns; each comparison below, at and above.
        for (const auto& [comparison, below, equal, above] :
             std::vector<std::tuple<std::string, bool, bool, bool>>{{"==", false, true, false},
                                                                    {"!=", true, false, true},
                                                                    {"<", true, false, false},
                                                                    {"<=", true, true, false},
                                                                    {">", false, false, true},
                                                                    {">=", false, true, true}}) {
            for (const auto& [right, holds] : std::map<int, bool>{{0, below}, {-1, equal}, {-2, above}}) {
                const std::string line = fmt::format("rows - cols {} 0 - {}", comparison, -right);
                const auto plan = bindText(fmt::format("//! require {}\n//! launch k<<<1, 32>>>(y)\n", line));
                QVERIFY2(plan.has_value() == holds, line.c_str());
                if (plan)
                    continue;
                QVERIFY(plan.error().kind == BindFailure::Kind::PlanError);
                QCOMPARE(plan.error().line, 2);
                QCOMPARE(plan.error().reason,
                         fmt::format("the program requires {}, which does not hold here", line));
            }
        }
        // Counts of formats are known by then, and a requirement comes before the memory that it guards.
        QVERIFY(
            bindText("//! format ell\n//! require ell.width == max_length\n//! launch k<<<1, 32>>>(y)\n"));
        const auto guarded = bindText(
            "//! scratch s f64[rows * 99999999999]\n//! require rows < 4\n//! launch k<<<1, 32>>>(s)\n");
        QVERIFY(!guarded);
        QCOMPARE(guarded.error().line, 3);
        const auto undefined = bindText("//! require rows / (cols - 5) == 1\n//! launch k<<<1, 32>>>(y)\n");
        QVERIFY(!undefined && undefined.error().reason == "division by zero");
    }

    void fillsCsrAndParts()
    {
        const auto plan =
            bindText("//! part a = rows with length in [1, 3)\n//! part b = rows with length in [3, inf)\n"
                     "//! format e = ell of a\n"
                     "//! launch k<<<a.rows, 32>>>(csr.row_ptr, csr.val, a.row_ids, a.row_ptr, a.col, a.val, "
                     "b.row_ids, b.nnz, e.width, e.val)\n");
        QVERIFY(plan);
        QCOMPARE(contents<std::int32_t>(*plan, "csr.row_ptr"), (Ints{0, 3, 3, 4, 6}));
        QCOMPARE(contents<float>(*plan, "csr.val"), (Floats{1, 2, 3, 4, 5, 6}));
        QCOMPARE(contents<std::int32_t>(*plan, "a.row_ids"), (Ints{2, 3}));
        QCOMPARE(contents<std::int32_t>(*plan, "a.row_ptr"), (Ints{0, 1, 3}));
        QCOMPARE(contents<std::int32_t>(*plan, "a.col"), (Ints{1, 0, 3}));
        QCOMPARE(contents<float>(*plan, "a.val"), (Floats{4, 5, 6}));
        QCOMPARE(contents<std::int32_t>(*plan, "b.row_ids"), (Ints{0}));
        // ELL of the part, by hand: width 2, entry k of row r at k * 2 + r.
        QCOMPARE(contents<float>(*plan, "e.val"), (Floats{4, 5, 0, 6}));
        QCOMPARE(plan->launches.at(0).grid[0], std::int64_t(2));
        QCOMPARE(std::get<std::int64_t>(plan->launches.at(0).arguments.at(7)), std::int64_t(3));
        QVERIFY(plan->setupBytes > 0);
    }

    void outputZeroAndSpmmSizes()
    {
        const auto program =
            parseProgram("//! task spmm\n//! zero C\n//! launch k<<<dense_cols, 32>>>(B, C, dense_cols)\n");
        QVERIFY(program);
        const auto plan = bindPlan(program->plan, {smallMatrix(), {8}}, {});
        QVERIFY(plan);
        QCOMPARE(plan->buffers.at(0).count, std::int64_t(40));
        QVERIFY(plan->buffers.at(1).count == 32 && plan->buffers.at(1).zero);
        QCOMPARE(plan->launches.at(0).grid[0], std::int64_t(8));
    }

    void zeroExtents()
    {
        const auto skipped = bindText("//! launch k<<<nnz - 6, 32>>>(y)\n");
        QVERIFY(skipped && skipped->launches.at(0).skipped);
        const auto refused = bindText("//! launch k<<<1, nnz - 6>>>(y)\n");
        QVERIFY(!refused && refused.error().kind == BindFailure::Kind::PlanError &&
                refused.error().line == 2);
    }

    void failures_data()
    {
        using Kind = BindFailure::Kind;
        QTest::addColumn<QByteArray>("plan");
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("line");
        const auto add = [](const char* name, const char* plan, Kind kind) {
            QTest::newRow(name) << QByteArray(plan) << int(kind) << 2;
        };
        add("division", "//! launch k<<<1, 32>>>(rows / (nnz - 6))\n", Kind::PlanError);
        add("negative", "//! launch k<<<1, 32>>>(rows - nnz)\n", Kind::PlanError);
        add("overflow", "//! launch k<<<1, 32>>>(nnz * 4611686018427387904)\n", Kind::PlanError);
        add("negative size", "//! scratch s u8[rows - 9]\n//! launch k<<<1, 32>>>(s)\n", Kind::PlanError);
        add("block too large", "//! launch k<<<1, 2048>>>(y)\n", Kind::LaunchError);
        add("block product", "//! launch k<<<1, dim3(64, 32)>>>(y)\n", Kind::LaunchError);
        add("block z", "//! launch k<<<1, dim3(1, 1, 65)>>>(y)\n", Kind::LaunchError);
        add("grid y", "//! launch k<<<dim3(1, 65536), 32>>>(y)\n", Kind::LaunchError);
        add("grid x", "//! launch k<<<2147483648, 32>>>(y)\n", Kind::LaunchError);
        add("shared", "//! launch k<<<1, 32, 240 * 1024>>>(y)\n", Kind::LaunchError);
        add("scratch",
            "//! scratch s u8[64 * 1024 * 1024 + 8 * (5 * 4 + 6 * 8) + 1]\n//! launch k<<<1, 32>>>(s)\n",
            Kind::LaunchError);
        add("scratch overflow", "//! scratch s i64[9223372036854775807]\n//! launch k<<<1, 32>>>(s)\n",
            Kind::LaunchError);
    }

    void failures()
    {
        QFETCH(QByteArray, plan);
        QFETCH(int, kind);
        QFETCH(int, line);
        const auto bound = bindText(plan.toStdString());
        QVERIFY(!bound);
        QCOMPARE(int(bound.error().kind), kind);
        QCOMPARE(bound.error().line, line);
        QVERIFY(!bound.error().reason.empty());
    }

    void byteLimitIsExact()
    {
        QVERIFY(bindText(
            "//! scratch s u8[64 * 1024 * 1024 + 8 * (5 * 4 + 6 * 8)]\n//! launch k<<<1, 32>>>(s)\n"));
    }

    void formatThatDoesNotApply()
    {
        // 600 rows with one entry each, on 600 diagonals: more than the 512 that DIA takes.
        Csr m;
        m.rows = m.cols = 600;
        m.rowPtr.resize(601);
        for (int r = 0; r < 600; ++r) {
            m.rowPtr[static_cast<std::size_t>(r) + 1] = r + 1;
            m.col.push_back(599 - r);
            m.val.push_back(1);
        }
        const auto bound = bindText("//! format dia\n//! launch k<<<1, 32>>>(dia.val)\n", m);
        QVERIFY(!bound);
        QVERIFY(bound.error().kind == BindFailure::Kind::FormatError);
        QCOMPARE(bound.error().line, 2);
    }

    void emptyMatrix()
    {
        const auto bound = bindText("//! format sell(slice=32, sigma=32)\n"
                                    "//! launch k<<<sell.slices, 32>>>(sell.val, csr.col, x, y)\n",
                                    Csr{});
        QVERIFY2(bound, bound ? "" : bound.error().reason.c_str());
        QVERIFY(bound->launches.at(0).skipped);
    }

    void parametersByPosition()
    {
        const auto plan = bindText("//! launch k<<<1, 32>>>(rows, x, nnz * 1000000000)\n");
        QVERIFY(plan);
        const BoundCall& call = plan->launches.at(0);
        const KernelParameter i32{4, "u32", ""}, i64{8, "u64", ""}, f32{4, "f32", "a"}, f64{8, "f64", "p"};
        const auto check = [&](std::vector<KernelParameter> p) { return checkParameters(*plan, call, p); };
        QVERIFY(!check({i32, i64, i64}));
        QVERIFY(!check({i64, i64, i64}));
        QVERIFY(check({i32, i64}));      // count
        QVERIFY(check({i32, i32, i64})); // array into 4 bytes
        QVERIFY(check({i32, i64, i32})); // 6e9 into 4 bytes
        QVERIFY(check({f32, i64, i64})); // number into a float
        QVERIFY(check({i32, f64, i64})); // array into a double
        QVERIFY(check({{2, "u16", ""}, i64, i64}));
        QCOMPARE(check({i32, i64, i32})->line, 2);

        // The largest values that four bytes hold, and the next ones.
        const struct
        {
            const char* value;
            const char* type;
            std::int64_t bytes;
            bool held;
        } limits[] = {{"2147483647", "s32", 4, true},  {"2147483648", "s32", 4, false},
                      {"2147483648", "u32", 4, true},  {"2147483648", "b32", 4, true},
                      {"4294967295", "u32", 4, true},  {"4294967295", "", 4, true},
                      {"4294967296", "u32", 4, false}, {"4294967296", "", 4, false},
                      {"4294967296", "s32", 4, false}, {"8589934592 + rows", "b32", 4, false},
                      {"4294967296", "u64", 8, true},  {"9223372036854775807", "s64", 8, true},
                      {"nnz", "s32", 4, true},         {"rows - 4", "u32", 4, true}};
        for (const auto& limit : limits) {
            const auto one = bindText("//! launch k<<<1, 32>>>(" + std::string(limit.value) + ")\n");
            QVERIFY2(one, limit.value);
            const KernelParameter parameter{limit.bytes, limit.type, "n"};
            const auto failure = checkParameters(*one, one->launches.at(0), std::span(&parameter, 1));
            QVERIFY2(failure.has_value() != limit.held, limit.value);
            QVERIFY(!failure || failure->kind == BindFailure::Kind::PlanError);
            QVERIFY(!failure ||
                    (failure->line == 2 && failure->reason.find("cannot hold") != std::string::npos));
        }
    }

    void realArguments()
    {
        const auto plan = bindText("//! launch k<<<1, 32>>>(1e-5f, rows, -0.0f)\n");
        QVERIFY(plan);
        const BoundCall& call = plan->launches.at(0);
        QCOMPARE(std::get<float>(call.arguments.at(0)), 1e-5f);
        QVERIFY(std::signbit(std::get<float>(call.arguments.at(2))));
        const KernelParameter real{4, "f32", "eps"}, number{4, "u32", "n"};
        const auto check = [&](const KernelParameter& first, const KernelParameter& second) {
            return checkParameters(*plan, call, std::vector{first, second, real});
        };
        QVERIFY(!check(real, number));
        QVERIFY(!check({4, "", "struct"}, number));
        for (const KernelParameter& wrong : {number,
                                             KernelParameter{4, "s32", ""},
                                             {8, "f64", ""},
                                             {2, "f16", ""},
                                             {8, "u64", ""},
                                             {8, "", ""}}) {
            const auto failure = check(wrong, number);
            QVERIFY(failure && failure->kind == BindFailure::Kind::PlanError && failure->line == 2);
            QVERIFY2(failure->reason.find("is no float, but the plan passes the real number 1e-05") !=
                         std::string::npos,
                     failure->reason.c_str());
        }
        QVERIFY(check(real, real)); // an integer into a float
    }

    void factors()
    {
        const auto plan = bindText("//! launch k<<<1, 32>>>(alpha, rows, beta)\n");
        QVERIFY(plan);
        const BoundCall& call = plan->launches.at(0);
        const KernelParameter real{4, "f32", "a"}, wide{8, "f64", "a"}, number{4, "u32", "n"};
        const auto check = [&](const KernelParameter& first) {
            return checkParameters(*plan, call, std::vector{first, number, real});
        };
        QVERIFY(!check(real));
        for (const KernelParameter& wrong : {wide, number, KernelParameter{8, "u64", ""}}) {
            const auto failure = check(wrong);
            QVERIFY(failure && failure->kind == BindFailure::Kind::PlanError && failure->line == 2);
            QVERIFY2(failure->reason.find("is no float, but the plan passes alpha") != std::string::npos,
                     failure->reason.c_str());
        }
        const auto words = [](const BoundPlan& bound, std::vector<std::int64_t> bytes, CallFactors factors) {
            return parameterWords(
                bound, bound.launches.at(0), bytes, [](int) { return std::uint64_t(0); }, factors);
        };
        const auto passed = words(*plan, {4, 4, 4}, {0.1, -2});
        QVERIFY(passed);
        QCOMPARE(*passed, (std::vector<std::uint64_t>{0x3dcccccd, 4, 0xc0000000}));
        // One that no call was given is 1 or 0.
        QCOMPARE(*parameterWords(*plan, call, std::vector<std::int64_t>{4, 4, 4}, nullptr),
                 (std::vector<std::uint64_t>{0x3f800000, 4, 0}));
        QVERIFY(!words(*plan, {8, 4, 4}, {}));

        const Csr matrix = inType(smallMatrix(), ElementType::F64);
        const auto program = parseProgram("//! task spmv f64\n//! launch k<<<1, 32>>>(alpha, beta)\n");
        QVERIFY(program);
        const auto doubles = bindPlan(program->plan, {matrix, {1, ElementType::F64}}, {});
        QVERIFY(doubles);
        QVERIFY(!checkParameters(*doubles, doubles->launches.at(0), std::vector{wide, wide}));
        const auto narrow = checkParameters(*doubles, doubles->launches.at(0), std::vector{wide, real});
        QVERIFY(narrow && narrow->reason.find("is no double, but the plan passes beta") != std::string::npos);
        QCOMPARE(*words(*doubles, {8, 8}, {0.1, -2}),
                 (std::vector<std::uint64_t>{0x3fb999999999999a, 0xc000000000000000}));
    }

    void whatDevicesPass()
    {
        const auto plan = bindText("//! launch k<<<1, 32>>>(rows, x, -0.5f, nnz)\n");
        QVERIFY(plan);
        const BoundCall& call = plan->launches.at(0);
        const auto words = [&](std::vector<std::int64_t> bytes) {
            return parameterWords(*plan, call, bytes,
                                  [](int buffer) { return 0x1122334455667700u + std::uint64_t(buffer); });
        };
        const auto right = words({4, 8, 4, 8});
        QVERIFY(right);
        QCOMPARE(*right, (std::vector<std::uint64_t>{4, 0x1122334455667700u, 0xbf000000u, 6}));
        for (const auto& bytes : std::vector<std::vector<std::int64_t>>{
                 {4, 8, 4}, {2, 8, 4, 8}, {4, 4, 4, 8}, {4, 8, 8, 8}, {4, 8, 2, 8}})
            QVERIFY(!words(bytes));
    }
};

QTEST_GUILESS_MAIN(TestBind)
#include "tst_bind.moc"
