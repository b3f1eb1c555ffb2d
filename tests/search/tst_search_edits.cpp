// SPDX-License-Identifier: Apache-2.0
// Each edit on programs written by hand: the text that comes out, and that it still compiles.
#include "compile/program_compiler.h"
#include "search/edits.h"

#include <QTest>
#include <string>

using namespace sparserl;

namespace {

/// Lanes of a row with a batched loop, a function of its own and two classes of rows.
const std::string sample = R"(//! task spmv
//! const BLOCK = 128
//! const T = 4
//! part long_rows = rows with length in [16, inf)
//! part short_rows = rows with length in [0, 16)
//! launch spmv<<<ceil_div(long_rows.rows, BLOCK / 32) + ceil_div(short_rows.rows, BLOCK / T), BLOCK>>>(long_rows.rows, long_rows.row_ids, long_rows.row_ptr, long_rows.col, long_rows.val, short_rows.rows, short_rows.row_ids, short_rows.row_ptr, short_rows.col, short_rows.val, x, y)
static __device__ float dot(int from, int to, int step, const int* col, const float* val, const float* x) {
    float sum = 0;
    for (int i = from; i < to; i += 4 * step) {
#pragma unroll 4
        for (int u = 0; u < 4; u++) {
            int k = i + u * step < to ? i + u * step : i;
            float a = val[k];
            float b = x[col[k]];
            sum += a * (i + u * step < to ? b : 0.0f);
        }
    }
    return sum;
}
extern "C" __global__ void spmv(int long_rows, const int* long_ids, const int* long_ptr, const int* long_col, const float* long_val, int short_rows, const int* short_ids, const int* short_ptr, const int* short_col, const float* short_val, const float* x, float* y) {
    int t = threadIdx.x, block = blockIdx.x;
    int blocks = (long_rows + BLOCK / 32 - 1) / (BLOCK / 32);
    if (block < blocks) {
        int row = block * (BLOCK / 32) + t / 32;
        if (row >= long_rows) return;
        float sum = dot(long_ptr[row] + t % 32, long_ptr[row + 1], 32, long_col, long_val, x);
        for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffff, sum, o);
        if (t % 32 == 0) y[long_ids[row]] = sum;
        return;
    }
    int row = (block - blocks) * (BLOCK / T) + t / T;
    if (row >= short_rows) return;
    float sum = dot(short_ptr[row] + t % T, short_ptr[row + 1], T, short_col, short_val, x);
    for (int o = T / 2; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffff, sum, o, T);
    if (t % T == 0) y[short_ids[row]] = sum;
}
)";

/// A plain loop in CSR.
const std::string plain = R"(//! task spmv
//! const BLOCK = 256
//! const T = 8
//! launch spmv<<<ceil_div(rows, BLOCK / T), BLOCK>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* row_ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * (BLOCK / T) + threadIdx.x / T;
    int lane = threadIdx.x % T;
    if (row >= rows) return;
    float sum = 0;
    for (int i = row_ptr[row] + lane; i < row_ptr[row + 1]; i += T) {
        sum += val[i] * x[col[i]];
    }
    for (int o = T / 2; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffff, sum, o, T);
    if (lane == 0) y[row] = sum;
}
)";

const std::string tiles = R"(//! task spmv
//! const BLOCK = 128
//! const ITEMS = 5
//! format tiles(items=640)
//! format s = sell(slice=32, sigma=256)
//! launch spmv<<<ceil_div(rows, BLOCK), BLOCK>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* row_ptr, const int* col, const float* val, const float* x, float* y) {
    __shared__ float part[640];
    int row = blockIdx.x * BLOCK + threadIdx.x;
    float sum = 0;
    if (row < rows)
        for (int i = row_ptr[row]; i < row_ptr[row + 1]; i++) sum += val[i] * x[col[i]];
    part[threadIdx.x] = sum;
    if (row < rows) y[row] = part[threadIdx.x] + 0 * ITEMS;
}
)";

std::string swapped(std::string text, const std::vector<std::pair<std::string, std::string>>& changes)
{
    for (const auto& [from, to] : changes) {
        const std::size_t at = text.find(from);
        if (at == std::string::npos)
            return "not there: " + from;
        text.replace(at, from.size(), to);
    }
    return text;
}

std::string everywhere(std::string text, const std::string& from, const std::string& to)
{
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
    return text;
}

/// What the edit makes of the program in the draw whose words are these.
std::optional<EditedProgram> drawn(const std::string& kind, const std::string& text, const std::string& words,
                                   const std::string& other = {})
{
    const auto view = ProgramView::of(text);
    const auto second = ProgramView::of(other);
    for (std::uint64_t seed = 1; view && seed < 2000; ++seed) {
        Rng rng(seed);
        auto edited = findEditKind(kind)->apply({*view, second ? &*second : nullptr, rng});
        if (edited && edited->words == words)
            return edited;
    }
    return std::nullopt;
}

} // namespace

class TestSearchEdits : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        auto compiler = ProgramCompiler::create();
        QVERIFY2(compiler.has_value(), compiler ? "" : compiler.error().sentence().c_str());
        m_compiler.emplace(std::move(*compiler));
    }

    void edits_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("words");
        QTest::addColumn<QString>("expected");
        QTest::addColumn<QString>("other");
        const auto row = [](const char* kind, const std::string& text, const std::string& words,
                            const std::string& expected, const std::string& other = {}) {
            QTest::addRow("%s: %s", kind, words.c_str())
                << QString::fromLatin1(kind) << QString::fromStdString(text) << QString::fromStdString(words)
                << QString::fromStdString(expected) << QString::fromStdString(other);
        };
        row("block-size", plain, "block of 512 threads instead of 256",
            swapped(plain, {{"BLOCK = 256", "BLOCK = 512"}}));
        // What is made of it goes with it.
        row("block-size", tiles, "block of 256 threads instead of 128",
            swapped(tiles,
                    {{"BLOCK = 128", "BLOCK = 256"}, {"items=640", "items=1280"}, {"[640]", "[1280]"}}));
        row("block-size", everywhere(everywhere(tiles, "//! const BLOCK = 128\n", ""), "BLOCK", "128"),
            "block of 64 threads instead of 128",
            everywhere(everywhere(tiles, "//! const BLOCK = 128\n", ""), "BLOCK", "64"));
        row("constant", plain, "T = 16 instead of 8", swapped(plain, {{"T = 8", "T = 16"}}));
        row("constant", tiles, "ITEMS = 4 instead of 5",
            swapped(tiles, {{"ITEMS = 5", "ITEMS = 4"}, {"items=640", "items=512"}, {"[640]", "[512]"}}));
        row("row-classes", sample, "classes of rows part at 24 entries instead of 16",
            swapped(sample, {{"[16, inf)", "[24, inf)"}, {"[0, 16)", "[0, 24)"}}));
        row("format", tiles, "format with sigma 1024 instead of 256",
            swapped(tiles, {{"sigma=256", "sigma=1024"}}));
        row("load-hint", plain, "__ldcs of val in spmv", swapped(plain, {{"val[i]", "__ldcs(&val[i])"}}));
        row("load-hint", plain, "__ldg of row_ptr in spmv",
            swapped(plain, {{"row_ptr[row] + lane", "__ldg(&row_ptr[row]) + lane"},
                            {"i < row_ptr[row + 1]", "i < __ldg(&row_ptr[row + 1])"}}));
        row("load-hint", swapped(plain, {{"val[i]", "__ldcs(&val[i])"}}), "a plain access of val in spmv",
            plain);
        row("store-hint", plain, "__stcs to y", swapped(plain, {{"y[row] = sum;", "__stcs(&y[row], sum);"}}));
        row("store-hint", swapped(plain, {{"y[row] = sum;", "__stcs(&y[row], sum);"}}), "a plain access to y",
            plain);
        row("restrict", plain, "with __restrict__ in spmv",
            everywhere(everywhere(plain, "int* ", "int* __restrict__ "), "float* ", "float* __restrict__ "));
        row("unroll", plain, "unroll 4 of the loop over i in spmv",
            swapped(plain, {{"for (int i = row_ptr", "\n#pragma unroll 4\nfor (int i = row_ptr"}}));
        row("unroll", sample, "no unroll of the loop over u in dot",
            swapped(sample, {{"#pragma unroll 4", ""}}));
        row("batch-size", sample, "batches of 6 instead of 4 in the loop over i in dot",
            swapped(sample, {{"4 * step", "6 * step"}, {"unroll 4", "unroll 6"}, {"u < 4", "u < 6"}}));
        row("batch", plain, "batches of 4 and a loop for the rest in place of the loop over i in spmv",
            swapped(plain, {{R"(    for (int i = row_ptr[row] + lane; i < row_ptr[row + 1]; i += T) {
        sum += val[i] * x[col[i]];
    })",
                             R"(    {
        int i = row_ptr[row] + lane;
        const int stop = row_ptr[row + 1];
        for (; i + (4 - 1) * (T) < stop; i += 4 * (T)) {
#pragma unroll 4
            for (int u = 0; u < 4; u++) {
                const int k = i + u * (T);
                sum += val[k] * x[col[k]];
            }
        }
        for (; i < stop; i += (T)) { sum += val[i] * x[col[i]]; }
    })"}}));
        row("split-loop", sample, "the loop over i in dot without checks, and one for the rest",
            swapped(sample, {{R"(    for (int i = from; i < to; i += 4 * step) {
)",
                              R"(    {
        int i = from;
        for (; i + (4 - 1) * step < to; i += 4 * step) {
#pragma unroll 4
        for (int u = 0; u < 4; u++) {
            int k = i + u * step;
            float a = val[k];
            float b = x[col[k]];
            sum += a * (b);
        }
        }
        for (; i < to; i += 4 * step) {
)"},
                             {R"(            sum += a * (i + u * step < to ? b : 0.0f);
        }
    })",
                              R"(            sum += a * (i + u * step < to ? b : 0.0f);
        }
        }
    })"}}));
        row("accumulators", sample, "two sums in the loop over u in dot",
            swapped(sample, {{"    for (int i = from", "    float sum_b = 0;\n    for (int i = from"},
                             {"sum += a *", "(u % 2 ? sum_b : sum) += a *"},
                             {"    }\n    return", "    }\n    sum += sum_b;\n    return"}}));
        row("index-type", plain, "unsigned index of the loop over i in spmv",
            swapped(plain, {{"for (int i", "for (unsigned i"}}));
        row("launch-bounds", plain, "registers for 4 blocks of spmv",
            swapped(plain, {{"void spmv", "void __launch_bounds__(BLOCK, 4) spmv"}}));
        row("launch-bounds", swapped(plain, {{"void spmv", "void __launch_bounds__(BLOCK, 4) spmv"}}),
            "registers of spmv left to the compiler", plain);
        row("rows-per-thread", plain, "4 rows for each thread of spmv",
            swapped(plain, {{"<<<ceil_div(rows, BLOCK / T),", "<<<ceil_div(ceil_div(rows, BLOCK / T), 4),"},
                            {"int row = blockIdx.x * (BLOCK / T) + threadIdx.x / T;", ""},
                            {"if (row >= rows) return;",
                             "for (int row = blockIdx.x * (BLOCK / T) + threadIdx.x / T; row < rows; row += "
                             "gridDim.x * (BLOCK / T)) {"},
                            {"y[row] = sum;\n}", "y[row] = sum;\n    }\n}"}}));
        row("sorted-rows", plain, "rows by length, the longest first",
            swapped(plain, {{"//! launch", "//! format order\n//! launch"},
                            {"x, y)\n", "x, y, order.row_ids)\n"},
                            {"float* y) {", "float* y, const int* order_ids) {"},
                            {"return;", "return; row = order_ids[row];"}}));
        row("block-order", plain, "blocks of spmv from the last",
            swapped(plain, {{"blockIdx.x", "(gridDim.x - 1 - blockIdx.x)"}}));
        row("shuffle", plain, "sums in all lanes", swapped(plain, {{"__shfl_down_sync", "__shfl_xor_sync"}}));
        row("class-lanes", sample, "8 lanes for each of long_rows instead of 32",
            swapped(sample, {{"ceil_div(long_rows.rows, BLOCK / 32)", "ceil_div(long_rows.rows, BLOCK / 8)"},
                             {"(long_rows + BLOCK / 32 - 1) / (BLOCK / 32)",
                              "(long_rows + BLOCK / 8 - 1) / (BLOCK / 8)"},
                             {"(BLOCK / 32) + t / 32", "(BLOCK / 8) + t / 8"},
                             {"t % 32, long_ptr[row + 1], 32", "t % 8, long_ptr[row + 1], 8"},
                             {"int o = 16", "int o = 4"},
                             {"sum, o)", "sum, o, 8)"},
                             {"t % 32 == 0", "t % 8 == 0"}}));
        const std::string otherDot = swapped(sample, {{"x[col[k]]", "__ldg(&x[col[k]])"}});
        row("take-function", sample, "dot of the other", otherDot, otherDot);
        row("take-loop", plain, "the loop over i of the other",
            swapped(plain, {{"x[col[i]]", "__ldg(&x[col[i]])"}}),
            swapped(plain, {{"x[col[i]]", "__ldg(&x[col[i]])"}, {"lane == 0", "0 == lane"}}));
        row("take-constants", plain, "of the other: const T = 16", swapped(plain, {{"T = 8", "T = 16"}}),
            swapped(plain, {{"T = 8", "T = 16"}}));
    }

    void edits()
    {
        QFETCH(QString, kind);
        QFETCH(QString, text);
        QFETCH(QString, words);
        QFETCH(QString, expected);
        QFETCH(QString, other);
        const auto edited =
            drawn(kind.toStdString(), text.toStdString(), words.toStdString(), other.toStdString());
        QVERIFY2(edited, "no draw has these words");
        QCOMPARE(QString::fromStdString(edited->text), expected);
        compiles(edited->text);
    }

    /// One call of a function gets a copy that is batched otherwise.
    void functionCopy()
    {
        const auto edited = drawn("function-copy", sample, "batches of 8 instead of 4 in one call of dot");
        QVERIFY(edited);
        QVERIFY(edited->text.find("static __device__ float dot_b(int from") != std::string::npos);
        QVERIFY(edited->text.find("i += 4 * step") < edited->text.find("i += 8 * step"));
        QCOMPARE(everywhere(edited->text, "dot_b(", "").size() + 2 * 6, edited->text.size());
        compiles(edited->text);
    }

    /// What does not apply changes nothing, whatever the draw.
    void leavesAlone()
    {
        const std::string strange =
            "//! task spmv\n//! launch k<<<1, 32>>>(x, y)\n"
            "extern \"C\" __global__ void k(const float* x, float* y) { y[0] = 1; }\n";
        const auto view = ProgramView::of(strange);
        QVERIFY(view);
        for (const char* kind :
             {"block-size", "constant", "row-classes", "format", "unroll", "batch", "batch-size",
              "split-loop", "accumulators", "index-type", "function-copy", "rows-per-thread", "block-order",
              "shuffle", "class-lanes", "take-function", "take-loop"}) {
            for (std::uint64_t seed = 0; seed < 20; ++seed) {
                Rng rng(seed);
                QVERIFY2(!findEditKind(kind)->apply({*view, &*view, rng}), kind);
            }
        }
        QVERIFY(!ProgramView::of("no program"));
        QVERIFY(!findEditKind("none"));
    }

    /// Any order of edits on any text ends, and keeps what it gives readable as a text.
    void anyOrder()
    {
        for (std::uint64_t seed = 0; seed < 150; ++seed) {
            Rng rng(seed);
            std::string text = seed % 3 == 0 ? sample : seed % 3 == 1 ? plain : tiles;
            for (int step = 0; step < 12; ++step) {
                const auto view = ProgramView::of(text);
                if (!view)
                    break;
                const auto other = ProgramView::of(sample);
                const auto kinds = editKinds();
                auto edited = kinds[rng.below(kinds.size())].apply({*view, &*other, rng});
                if (!edited)
                    continue;
                QVERIFY(!edited->words.empty());
                QVERIFY(edited->text.size() < 200'000);
                text = std::move(edited->text);
            }
        }
    }

private:
    void compiles(const std::string& text)
    {
        const auto program = parseProgram(text);
        QVERIFY2(program, program ? "" : program.error().reason.c_str());
        CompileRequest request;
        request.code = program->code;
        for (const PlanCall& call : program->plan.calls)
            request.kernels.push_back(call.kernel);
        const auto answer = m_compiler->compile(request);
        QVERIFY2(answer, answer ? "" : answer.error().sentence().c_str());
        QVERIFY2(*answer, *answer ? "" : (*answer).error().message.c_str());
    }
    std::optional<ProgramCompiler> m_compiler;
};

QTEST_GUILESS_MAIN(TestSearchEdits)
#include "tst_search_edits.moc"
