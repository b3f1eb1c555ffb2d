// SPDX-License-Identifier: Apache-2.0
// What bundles do with a matrix on the host, beside what the engine does: built for both element types.
#include "base/rng.h"
#include "bundle_request.h"
#include "corpus/corpus.h"
#include "kernel/bind.h"
#include "kernel/bundle_plan.h"
#include "kernel/export/src/conversion.h"
#include "kernel/export/src/conversion_blocked.h"
#include "kernel/export/src/conversion_parts.h"
#include "kernel/export/src/plan.h"
#include "kernel/export/src/status.h"
#include "kernel/export/src/value_map.h"
#include "matrix/formats.h"

#include <QTest>
#include <bit>
#include <cstring>
#include <set>

using namespace sparserl;
using sparserl_bundle::real;

namespace {

constexpr ElementType type = sizeof(real) == 8 ? ElementType::F64 : ElementType::F32;

template <typename T>
std::vector<T> arrayOf(const FormatData& data, const char* name)
{
    const FormatArray* array = data.find(name);
    std::vector<T> values(array->bytes.size() / sizeof(T));
    if (!values.empty())
        std::memcpy(values.data(), array->bytes.data(), array->bytes.size());
    return values;
}

/// In the type of this test, with bits that floats do not have where it is the wider one.
Csr ownMatrix(int rows, int cols, double density, std::uint64_t seed)
{
    Csr m = inType(randomMatrix(rows, cols, density, seed), type);
    for (double& value : m.val64)
        value *= 1 + 0x1p-40;
    return m;
}

const real* valuesOf(const Csr& m)
{
    return visitValues(m, [](const auto& values) { return reinterpret_cast<const real*>(values.data()); });
}

/// A plan in the type of this test.
std::string inOwnType(std::string text)
{
    const auto end = text.find('\n');
    if (type == ElementType::F64 && text.compare(end - 4, 4, " f64") != 0)
        text.insert(end, " f64");
    return text;
}

} // namespace

class TestBundleConversion : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void conversionsAgreeWithTheEngine()
    {
        // Two implementations, written apart: the bundle's and the engine's. All arrays of all formats, of
        // the whole matrix and of its rows of two to nine entries.
        for (int round = 0; round < 12; ++round) {
            const Csr m = ownMatrix(round * 7, 1 + round * 5, 0.15, static_cast<std::uint64_t>(round));
            const sparserl_bundle::Csr whole{m.rows, m.cols, m.rowPtr.data(), m.col.data(), valuesOf(m)};
            whole.check();
            const auto part = sparserl_bundle::build_part(whole, 2, 10);
            for (const bool ofPart : {false, true}) {
                const sparserl_bundle::Csr a = ofPart ? part.csr() : whole;
                const auto engine = [&](const FormatSpec& spec) {
                    std::optional<std::span<const std::int32_t>> rows;
                    if (ofPart)
                        rows = part.row_ids;
                    auto built = buildFormat(m, spec, rows, std::int64_t(1) << 30);
                    if (!built)
                        qFatal("%s: %s", spec.kind.c_str(), built.error().what.c_str());
                    return *built;
                };
                const auto named = [&](std::vector<std::int32_t> rows) {
                    if (ofPart)
                        sparserl_bundle::rename_rows(rows, part);
                    return rows;
                };
                const auto ints = [](const FormatData& f, const char* name) {
                    return arrayOf<std::int32_t>(f, name);
                };
                const auto floats = [](const FormatData& f, const char* name) {
                    return arrayOf<real>(f, name);
                };
                {
                    const auto f = engine({"coo", {}});
                    const auto ours = sparserl_bundle::build_coo(a);
                    QCOMPARE(named(ours.row), ints(f, "row"));
                    QCOMPARE(ours.col, ints(f, "col"));
                    QCOMPARE(ours.val, floats(f, "val"));
                }
                {
                    const auto f = engine({"csc", {}});
                    const auto ours = sparserl_bundle::build_csc(a);
                    QCOMPARE(ours.col_ptr, ints(f, "col_ptr"));
                    QCOMPARE(named(ours.row), ints(f, "row"));
                    QCOMPARE(ours.val, floats(f, "val"));
                }
                {
                    const auto f = engine({"ell", {}});
                    const auto ours = sparserl_bundle::build_ell(a);
                    QCOMPARE(ours.width, f.counts.at("width"));
                    QCOMPARE(ours.col, ints(f, "col"));
                    QCOMPARE(ours.val, floats(f, "val"));
                }
                {
                    const auto f = engine({"sell", {{"slice", 4}, {"sigma", 16}}});
                    const auto ours = sparserl_bundle::build_sell(a, 4, 16);
                    QCOMPARE(ours.slices, f.counts.at("slices"));
                    QCOMPARE(ours.slice_ptr, ints(f, "slice_ptr"));
                    QCOMPARE(named(ours.row_ids), ints(f, "row_ids"));
                    QCOMPARE(ours.col, ints(f, "col"));
                    QCOMPARE(ours.val, floats(f, "val"));
                }
                {
                    const auto f = engine({"sell16", {{"slice", 8}, {"sigma", 8}}});
                    const auto ours = sparserl_bundle::build_sell16(a, 8, 8);
                    QCOMPARE(ours.slices, f.counts.at("slices"));
                    QCOMPARE(ours.slice_ptr, ints(f, "slice_ptr"));
                    QCOMPARE(named(ours.row_ids), ints(f, "row_ids"));
                    QCOMPARE(ours.base, ints(f, "base"));
                    QCOMPARE(ours.off, arrayOf<std::uint16_t>(f, "off"));
                    QCOMPARE(ours.val, floats(f, "val"));
                }
                {
                    const auto f = engine({"csr16", {}});
                    const auto ours = sparserl_bundle::build_csr16(a);
                    QCOMPARE(ours.row_ptr, ints(f, "row_ptr"));
                    QCOMPARE(ours.base, ints(f, "base"));
                    QCOMPARE(ours.off, arrayOf<std::uint16_t>(f, "off"));
                    QCOMPARE(ours.val, floats(f, "val"));
                }
                for (const bool quantile : {false, true}) {
                    const auto f = engine(quantile ? FormatSpec{"hyb", {{"quantile", 60}}}
                                                   : FormatSpec{"hyb", {{"width", 3}}});
                    const auto ours =
                        sparserl_bundle::build_hyb(a, quantile ? sparserl_bundle::hyb_width(a, 60) : 3);
                    QCOMPARE(ours.width, f.counts.at("width"));
                    QCOMPARE(ours.coo_nnz, f.counts.at("coo_nnz"));
                    QCOMPARE(ours.ell_col, ints(f, "ell_col"));
                    QCOMPARE(ours.ell_val, floats(f, "ell_val"));
                    QCOMPARE(named(ours.coo_row), ints(f, "coo_row"));
                    QCOMPARE(ours.coo_col, ints(f, "coo_col"));
                    QCOMPARE(ours.coo_val, floats(f, "coo_val"));
                }
                {
                    const auto f = engine({"csr5", {{"sigma", 3}}});
                    const auto ours = sparserl_bundle::build_csr5(a, 3);
                    QCOMPARE(ours.tiles, f.counts.at("tiles"));
                    QCOMPARE(ours.full_rows, f.counts.at("full_rows"));
                    QCOMPARE(ours.col, ints(f, "col"));
                    QCOMPARE(ours.val, floats(f, "val"));
                    QCOMPARE(ours.flag, arrayOf<std::uint32_t>(f, "flag"));
                    QCOMPARE(ours.y_off, ints(f, "y_off"));
                    QCOMPARE(ours.tile_row, ints(f, "tile_row"));
                    QCOMPARE(named(ours.row_ids), ints(f, "row_ids"));
                }
                {
                    const auto f = engine({"tiles", {{"items", 5}}});
                    const auto ours = sparserl_bundle::build_tiles(a, 5);
                    QCOMPARE(ours.count, f.counts.at("count"));
                    QCOMPARE(ours.row, ints(f, "row"));
                    QCOMPARE(ours.nz, ints(f, "nz"));
                }
                {
                    const auto f = engine({"blocks", {{"nnz", 9}}});
                    const auto ours = sparserl_bundle::build_blocks(a, 9);
                    QCOMPARE(ours.count, f.counts.at("count"));
                    QCOMPARE(ours.row, ints(f, "row"));
                }
                {
                    const auto f = engine({"panels", {{"width", 6}}});
                    const auto ours = sparserl_bundle::build_panels(a, 6);
                    QCOMPARE(ours.count, f.counts.at("count"));
                    QCOMPARE(ours.row_ptr, ints(f, "row_ptr"));
                    QCOMPARE(ours.col, ints(f, "col"));
                    QCOMPARE(ours.val, floats(f, "val"));
                }
                {
                    const auto f = engine({"order", {}});
                    QCOMPARE(named(sparserl_bundle::build_order(a).row_ids), ints(f, "row_ids"));
                }
                if (ofPart)
                    continue; // The rest is never of a part.
                {
                    const auto f = engine({"dia", {}});
                    const auto ours = sparserl_bundle::build_dia(a);
                    QCOMPARE(ours.offset, ints(f, "offset"));
                    QCOMPARE(ours.val, floats(f, "val"));
                }
                for (const std::int64_t block : {2, 3, 8}) {
                    const auto f = engine({"bsr", {{"block", block}}});
                    const auto ours = sparserl_bundle::build_bsr(a, block);
                    QCOMPARE(ours.block_rows, f.counts.at("block_rows"));
                    QCOMPARE(ours.blocks, f.counts.at("blocks"));
                    QCOMPARE(ours.row_ptr, ints(f, "row_ptr"));
                    QCOMPARE(ours.col, ints(f, "col"));
                    QCOMPARE(ours.val, floats(f, "val"));
                }
                {
                    const auto f = engine({"windows", {{"rows", 4}}});
                    const auto ours = sparserl_bundle::build_windows(a, 4);
                    QCOMPARE(ours.count, f.counts.at("count"));
                    QCOMPARE(ours.window_ptr, ints(f, "window_ptr"));
                    QCOMPARE(ours.col, ints(f, "col"));
                }
                QCOMPARE(sparserl_bundle::build_dense(a).val, floats(engine({"dense", {}}), "val"));
            }
        }
    }

    void plansAgreeWithTheEngine()
    {
        // The whole plan by two implementations: the engine's binding from the text, and the bundle's from
        // the numbers. Same arrays with the same bytes, same calls with the same arguments.
        Rng rng(8);
        std::set<std::string> kinds;
        int compared = 0;
        for (const Task task : {Task::SpMV, Task::SpMM}) {
            for (const Family& family : families(task)) {
                for (int round = 0; round < 4; ++round) {
                    SampleOptions options;
                    options.families = {family.id};
                    options.type = type;
                    const auto sample = sampleProgram(task, options, rng);
                    QVERIFY(sample);
                    const Csr m = ownMatrix(20 + 61 * round, 33 + 40 * round, 0.1, 3 + compared);
                    compare(programOf(sample->text).plan, m, task == Task::SpMM ? 8 : 1, kinds);
                    ++compared;
                }
            }
        }
        for (const char* text :
             {"//! task spmv\n//! const W = 4 * 2\n//! const V = ceil_div(W * 5 - 3 % 2, max(3, W)) + "
              "pow2_ceil(W + 1)\n//! format s = sell(slice=8, sigma=64)\n//! format hyb(quantile=60)\n//! "
              "format w = windows(rows=4)\n//! "
              "require rows - nnz < 0 - W / 9\n//! require s.slices != 0\n//! require W == 8\n//! require W "
              "<= V\n//! "
              "scratch t i64[rows * 2 - 1 - W % 3] zero\n//! prepared p f32[nnz]\n//! zero y\n//! prepare "
              "q<<<1, 32>>>(csr.val, p)\n//! launch k<<<dim3(ceil_div(nnz, W), 1, V), dim3(8, 4), 4 * "
              "W>>>(t, s.row_ids, p, x, y, nnz / W, s.slices, hyb.coo_nnz, w.count, w.col, sm_count, "
              "mean_length, 1e-5f, -0.0f)\n//! "
              "launch "
              "none<<<nnz / 100000, 32>>>(y)\n",
              "//! task spmm\n//! part low = rows with length in [0, 5)\n//! part high = rows with length in "
              "[5, "
              "inf)\n//! format s = sell16(slice=8, sigma=64) of low\n//! format o = order of high\n//! "
              "format c "
              "= csr of low\n//! format e = csc of high\n//! format d = dense\n//! scratch whole "
              "u8[dense_cols % "
              "4]\n//! launch k<<<s.slices, 1 + high.rows>>>(s.off, s.base, high.col, c.val, o.row_ids, "
              "e.row, "
              "d.val, low.row_ids, csr.row_ptr, whole, high.nnz, beta, B, C, alpha)\n"}) {
            const Csr m = ownMatrix(70, 41, 0.12, 5);
            const Plan plan = programOf(inOwnType(text)).plan;
            compare(plan, m, plan.task == Task::SpMM ? 32 : 1, kinds);
        }
        for (const char* kind : {"bsr", "blocks", "coo", "csc", "csr", "csr16", "csr5", "dense", "dia", "ell",
                                 "hyb", "order", "panels", "sell", "sell16", "tiles", "windows"})
            QVERIFY2(kinds.count(kind) == 1, kind);
    }

    void plansThatDoNotApply()
    {
        // Each is refused with a sentence, none computes on: as the binding of the judge does.
        const Csr m = ownMatrix(40, 40, 0.2, 3);
        const sparserl_bundle::Csr a{m.rows, m.cols, m.rowPtr.data(), m.col.data(), valuesOf(m)};
        for (const char* lines :
             {"//! launch k<<<rows / (cols - 40), 32>>>(y)\n", "//! launch k<<<1, cols - 40>>>(y)\n",
              "//! launch k<<<rows - 41, 32>>>(y)\n", "//! launch k<<<1, 32>>>(y, 4294967296)\n",
              "//! launch k<<<1, 32>>>(y, 9223372036854775807 * rows)\n",
              "//! scratch s f64[64000000]\n//! launch k<<<1, 32>>>(s, y)\n",
              "//! format bsr(block=40000)\n//! launch k<<<1, 32>>>(bsr.val, y)\n",
              "//! format sell(slice=1000000000, sigma=1)\n//! launch k<<<1, 32>>>(sell.val, y)\n",
              "//! launch k<<<1, 2048>>>(y)\n", "//! require rows == 41\n//! launch k<<<1, 32>>>(y)\n",
              "//! require rows != cols\n//! launch k<<<1, 32>>>(y)\n",
              "//! require rows < cols\n//! launch k<<<1, 32>>>(y)\n",
              "//! require rows > cols\n//! launch k<<<1, 32>>>(y)\n",
              "//! require rows <= 0 - 1\n//! launch k<<<1, 32>>>(y)\n",
              "//! require rows >= nnz\n//! launch k<<<1, 32>>>(y)\n"}) {
            const Plan plan = programOf(inOwnType(std::string("//! task spmv\n") + lines)).plan;
            QVERIFY2(!bindPlan(plan, {m, {1, type}}, DeviceLimits{}) || std::strstr(lines, "4294967296"),
                     lines);
            const auto words = bundlePlanWords(plan, kernelsOf(plan));
            QVERIFY(words);
            std::string sentence;
            try {
                sparserl_bundle::bind_plan(words->data(), words->size(), a, 1, 132);
            } catch (const sparserl_bundle::Failure& failure) {
                sentence = failure.what();
                QVERIFY(failure.status() == sparserl_bundle::Status::not_applicable);
            }
            QVERIFY2(sentence.find("does not apply to this matrix") != std::string::npos, lines);
        }
        // And matrices that are none.
        for (const auto& [rowPtr, col] :
             std::vector<std::pair<std::vector<std::int32_t>, std::vector<std::int32_t>>>{
                 {{1, 2, 2}, {0, 1}},
                 {{0, 2, 1}, {0, 1}},
                 {{0, 1, 2}, {0, 2}},
                 {{0, 1, 2}, {0, -1}},
                 {{0, 2, 2}, {1, 0}},
                 {{0, 2, 2}, {1, 1}}}) {
            const std::vector<real> val(2, real(1));
            const sparserl_bundle::Csr bad{2, 2, rowPtr.data(), col.data(), val.data()};
            QVERIFY_EXCEPTION_THROWN(bad.check(), std::runtime_error);
        }
    }

private:
    static void compare(const Plan& plan, const Csr& m, std::int64_t columns, std::set<std::string>& kinds)
    {
        DeviceLimits limits;
        const auto engine = bindPlan(plan, {m, {columns, type}}, limits);
        const auto words = bundlePlanWords(plan, kernelsOf(plan));
        QVERIFY(words);
        const sparserl_bundle::Csr a{m.rows, m.cols, m.rowPtr.data(), m.col.data(), valuesOf(m)};
        sparserl_bundle::BoundPlan ours;
        try {
            ours = sparserl_bundle::bind_plan(words->data(), words->size(), a, columns, limits.smCount);
        } catch (const sparserl_bundle::Failure& failure) {
            QVERIFY2(!engine, failure.what());
            return;
        }
        QVERIFY2(engine, engine ? "" : engine.error().reason.c_str());
        for (const PlanFormat& format : plan.formats)
            kinds.insert(format.spec.kind);
        QCOMPARE(ours.zero_output, !plan.zeroed.empty());
        const std::vector<BundleKernel> kernels = kernelsOf(plan);
        const auto sameCalls = [&](const std::vector<BoundCall>& theirs,
                                   const std::vector<sparserl_bundle::Call>& own) {
            std::size_t at = 0;
            for (const BoundCall& call : theirs) {
                if (call.skipped)
                    continue;
                QVERIFY(at < own.size());
                const sparserl_bundle::Call& mine = own[at++];
                QCOMPARE(kernels[mine.kernel].name, call.kernel);
                for (std::size_t i = 0; i < 3; ++i) {
                    QCOMPARE(std::int64_t(mine.grid[i]), call.grid[i]);
                    QCOMPARE(std::int64_t(mine.block[i]), call.block[i]);
                }
                QCOMPARE(std::int64_t(mine.shared), call.dynamicSharedBytes);
                QCOMPARE(mine.arguments.size(), call.arguments.size());
                for (std::size_t i = 0; i < call.arguments.size(); ++i)
                    sameArgument(*engine, ours, call.arguments[i], mine.arguments[i]);
            }
            QCOMPARE(at, own.size());
        };
        sameCalls(engine->prepares, ours.prepares);
        sameCalls(engine->launches, ours.launches);
        mapsLeadToTheValues(*words, ours, a, columns, limits.smCount);
    }

    /// Arrays of values, and no others, have maps; new values that follow them are what converting them
    /// gives.
    static void mapsLeadToTheValues(const std::vector<std::int64_t>& words,
                                    const sparserl_bundle::BoundPlan& plan, const sparserl_bundle::Csr& a,
                                    std::int64_t columns, std::int64_t processors)
    {
        std::vector<real> others(static_cast<std::size_t>(a.nnz()));
        for (std::size_t i = 0; i < others.size(); ++i)
            others[i] = static_cast<real>(i) / 2 - 7;
        sparserl_bundle::Csr changed = a;
        changed.val = others.data();
        const auto converted =
            sparserl_bundle::bind_plan(words.data(), words.size(), changed, columns, processors);
        sparserl_bundle::Csr pattern = a;
        pattern.val = nullptr;
        const auto maps =
            sparserl_bundle::value_maps(words.data(), words.size(), pattern, columns, processors);
        std::size_t arrays = 0;
        for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
            const auto& old = plan.buffers[i].contents;
            const auto& fresh = converted.buffers.at(i).contents;
            QCOMPARE(fresh.bytes, old.bytes);
            const auto map =
                std::find_if(maps.begin(), maps.end(),
                             [i](const sparserl_bundle::ValueMap& one) { return one.buffer == i; });
            if (map == maps.end()) {
                QVERIFY(old.bytes == 0 || !old.data || std::memcmp(old.data, fresh.data, old.bytes) == 0);
                continue;
            }
            ++arrays;
            QCOMPARE(sizeof(real) * map->count, fresh.bytes);
            QVERIFY(map->source.empty() || map->source.size() == map->count);
            for (std::size_t k = 0; k < map->count; ++k) {
                const std::size_t from = map->source.empty() ? k + 1 : map->source[k];
                const real wanted = from == 0 ? real(0) : others.at(from - 1);
                QCOMPARE(static_cast<const real*>(fresh.data)[k], wanted);
            }
        }
        QCOMPARE(arrays, maps.size());
    }

    static void sameArgument(const BoundPlan& engine, const sparserl_bundle::BoundPlan& ours,
                             const BoundArgument& theirs, const sparserl_bundle::Argument& own)
    {
        using Kind = sparserl_bundle::Argument::Kind;
        if (const auto* number = std::get_if<std::int64_t>(&theirs)) {
            QVERIFY(own.kind == Kind::number);
            QCOMPARE(own.value, *number);
            return;
        }
        if (const auto* real = std::get_if<float>(&theirs)) {
            QVERIFY(own.kind == Kind::number);
            QCOMPARE(own.value, std::int64_t(std::bit_cast<std::uint32_t>(*real)));
            return;
        }
        if (const auto* factor = std::get_if<FactorRef>(&theirs)) {
            QVERIFY(own.kind == (factor->factor == Factor::Alpha ? Kind::alpha : Kind::beta));
            QVERIFY(factor->factor == Factor::Alpha ? ours.takes_alpha : ours.takes_beta);
            return;
        }
        const BoundBuffer& buffer =
            engine.buffers[static_cast<std::size_t>(std::get<BufferRef>(theirs).index)];
        if (buffer.role == BufferRole::Input || buffer.role == BufferRole::Output) {
            QVERIFY(own.kind == (buffer.role == BufferRole::Input ? Kind::input : Kind::output));
            QCOMPARE(static_cast<std::int64_t>(buffer.role == BufferRole::Input ? ours.input_bytes
                                                                                : ours.output_bytes),
                     buffer.bytes());
            return;
        }
        QVERIFY(own.kind == Kind::buffer);
        const sparserl_bundle::Buffer& mine = ours.buffers.at(static_cast<std::size_t>(own.value));
        QCOMPARE(static_cast<std::int64_t>(mine.bytes), buffer.bytes());
        QCOMPARE(mine.zero, buffer.role == BufferRole::Scratch && buffer.zero);
        QCOMPARE(mine.contents.data != nullptr && mine.bytes > 0,
                 buffer.role == BufferRole::Matrix && mine.bytes > 0);
        if (buffer.role == BufferRole::Matrix && mine.bytes > 0)
            QVERIFY2(std::memcmp(mine.contents.data, buffer.data.data(), mine.bytes) == 0,
                     buffer.name.c_str());
    }
};

QTEST_GUILESS_MAIN(TestBundleConversion)
#include "tst_bundle_conversion.moc"
