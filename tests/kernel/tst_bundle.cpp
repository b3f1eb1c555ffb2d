// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/rng.h"
#include "corpus/corpus.h"
#include "kernel/bundle.h"
#include "kernel/bundle_files.h"
#include "kernel/bundle_plan.h"
#include "kernel/export/conversion.h"
#include "kernel/export/conversion_blocked.h"
#include "kernel/export/conversion_parts.h"
#include "matrix/formats.h"

#include <QProcess>
#include <QStandardPaths>
#include <QTest>
#include <cstring>
#include <fmt/format.h>

using namespace sparserl;

namespace {

Csr randomMatrix(int rows, int cols, double density, std::uint64_t seed)
{
    Rng rng(seed);
    Csr m;
    m.rows = rows;
    m.cols = cols;
    for (int r = 0; r < rows; ++r) {
        const double share = r % 5 == 0 ? 0 : r % 7 == 0 ? 4 * density : density;
        for (int c = 0; c < cols; ++c) {
            if (rng.chance(share)) {
                m.col.push_back(c);
                m.val.push_back(static_cast<float>(rng.uniform(-1, 1)));
            }
        }
        m.rowPtr.push_back(static_cast<std::int32_t>(m.col.size()));
    }
    return m;
}

template <typename T>
std::vector<T> arrayOf(const FormatData& data, const char* name)
{
    const FormatArray* array = data.find(name);
    std::vector<T> values(array->bytes.size() / sizeof(T));
    if (!values.empty())
        std::memcpy(values.data(), array->bytes.data(), array->bytes.size());
    return values;
}

KernelProgram programOf(const std::string& text)
{
    auto program = parseProgram(text);
    if (!program)
        qFatal("%s", program.error().reason.c_str());
    return *program;
}

} // namespace

class TestBundle : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void conversionsAgreeWithTheEngine()
    {
        // Two implementations, written apart: the bundle's and the engine's. All arrays of all formats, of
        // the whole matrix and of its rows of two to nine entries.
        for (int round = 0; round < 12; ++round) {
            const Csr m = randomMatrix(round * 7, 1 + round * 5, 0.15, static_cast<std::uint64_t>(round));
            const sparserl_bundle::Csr whole{m.rows, m.cols, m.rowPtr.data(), m.col.data(), m.val.data()};
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
                    return arrayOf<float>(f, name);
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

    void bundleIsWhole()
    {
        auto scratch = TempDir::create();
        QVERIFY(scratch);
        const Csr m = randomMatrix(50, 40, 0.1, 3);
        std::size_t exported = 0;
        std::vector<Family> all = families(Task::SpMV);
        for (const Family& family : families(Task::SpMM))
            all.push_back(family);
        for (const Family& family : all) {
            const auto directory = scratch->path() / "exports" / family.id;
            BundleRequest request;
            request.program = programOf(derive(family.id, {}, {})->text);
            request.matrix = &m;
            request.matrixName = "a \"name\"";
            request.run = "ppo-1";
            request.evidence = {{"verdict", "correct"}};
            request.denseColumns = request.program.plan.task == Task::SpMM ? 8 : 1;
            const auto status = writeBundle(directory, request);
            QVERIFY2(status, status ? "" : status.error().sentence().c_str());
            ++exported;

            const auto manifest = readJson(directory / "manifest.json");
            QVERIFY(manifest);
            QCOMPARE((*manifest)["program_hash"].get<std::string>(), request.program.hash);
            QCOMPARE((*manifest)["matrix_digest"].get<std::string>(), digest(m));
            QCOMPARE((*manifest)["run"].get<std::string>(), std::string("ppo-1"));
            QVERIFY((*manifest)["checkpoint"].is_null());
            QCOMPARE((*manifest)["evidence"]["verdict"].get<std::string>(), std::string("correct"));
            QVERIFY((*manifest)["files"].size() >= 13);
            for (const auto& [name, hash] : (*manifest)["files"].items()) {
                const auto text = readFile(directory / name);
                QVERIFY2(text, name.c_str());
                QCOMPARE(sha256Hex(*text), hash.get<std::string>());
                QVERIFY2(text->find("@TASK@") == std::string::npos &&
                             text->find("@MATRIX") == std::string::npos,
                         name.c_str());
            }
            const auto plan = readFile(directory / "plan.cpp");
            QVERIFY(plan->find("plan.launch(sparserl_kernel_") != std::string::npos);
            QVERIFY(readFile(directory / "self_test.cpp")->find("\"a _name_\"") != std::string::npos);

            const auto again = writeBundle(directory, request);
            QVERIFY(!again && again.error().what.find("not empty") != std::string::npos);
        }
        QCOMPARE(exported, all.size());
        QCOMPARE(listDirectory(scratch->path() / "exports")->size(), exported);
    }

    void planSource()
    {
        auto scratch = TempDir::create();
        const Csr m = randomMatrix(5, 5, 0.5, 1);
        BundleRequest request;
        request.matrix = &m;
        request.program = programOf(
            "//! task spmm\n//! const W = 4\n//! scratch s f64[rows * 2 - 1 - W % 3] zero\n//! zero C\n"
            "//! prepare p<<<1, 32>>>(csr.val)\n"
            "//! launch k<<<dim3(ceil_div(nnz, W), max(1, dense_cols)), 64, 4 * W>>>(s, B, C, nnz / W)\n");
        QVERIFY(writeBundle(scratch->path() / "b", request));
        const std::string plan = *readFile(scratch->path() / "b" / "plan.cpp");
        const auto has = [&](const char* text) { return plan.find(text) != std::string::npos; };
        QVERIFY(has("plan.scratch((((n_rows * std::int64_t(2)) - std::int64_t(1) - remainder(n_W, "
                    "std::int64_t(3)))), 8, true)") ||
                has("plan.scratch(((n_rows * std::int64_t(2)) - std::int64_t(1) - remainder(n_W, "
                    "std::int64_t(3))), 8, true)"));
        QVERIFY(has("plan.zero_output(4 * n_rows * dense_cols);"));
        QVERIFY(has("plan.prepare(sparserl_kernel_0(), {std::int64_t(1)}, {std::int64_t(32)}, 0,"));
        QVERIFY(has("plan.launch(sparserl_kernel_1(), {ceil_div(n_nnz, n_W), "
                    "std::max<std::int64_t>(std::int64_t(1), n_dense_cols)}"));
        QVERIFY(has("{a_s, Plan::input(), Plan::output(), Plan::number(quotient(n_nnz, n_W))}"));
    }

    void plansCompile()
    {
        // Every plan.cpp in one file, checked by the compiler with the two names of CUDA's that runtime.h
        // uses.
        const QString compiler = QStandardPaths::findExecutable(QStringLiteral("c++"));
        if (compiler.isEmpty())
            QSKIP("there is no compiler 'c++' here");
        auto scratch = TempDir::create();
        QVERIFY(scratch);
        const Csr m = randomMatrix(30, 30, 0.2, 3);
        Rng rng(8);
        std::string text = "#include \"runtime.h\"\n";
        int number = 0;
        for (const Task task : {Task::SpMV, Task::SpMM}) {
            for (const Family& family : families(task)) {
                for (int round = 0; round < 3; ++round) {
                    SampleOptions options;
                    options.families = {family.id};
                    const auto program = sampleProgram(task, options, rng);
                    QVERIFY(program);
                    const auto plan = bundlePlanSource(programOf(program->text).plan);
                    QVERIFY(plan);
                    // A namespace of its own for each, so that none hides another's mistake.
                    std::string one = plan->substr(plan->find("extern"));
                    for (std::size_t at = 0; (at = one.find("build_plan(Plan&", at)) != std::string::npos;
                         ++at)
                        one.insert(at + 10, std::to_string(number));
                    for (std::size_t at = 0; (at = one.find("sparserl_kernel_", at)) != std::string::npos;
                         at += 16)
                        one.insert(at + 16, std::to_string(number) + "_");
                    text += one;
                    ++number;
                }
            }
        }
        const auto& folder = scratch->path();
        for (const BundleFile& file : bundleFiles()) {
            if (file.name.substr(0, 10) == "conversion" || file.name == "runtime.h")
                QVERIFY(writeFileAtomic(folder / std::string(file.name), std::string(file.text)));
        }
        QVERIFY(writeFileAtomic(
            folder / "cuda_runtime.h",
            "#pragma once\nstruct dim3 { unsigned x, y, z; };\ntypedef void* cudaStream_t;\n"));
        QVERIFY(writeFileAtomic(folder / "all.cpp", text));
        QProcess process;
        process.setWorkingDirectory(QString::fromStdString(folder.string()));
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(compiler,
                      {QStringLiteral("-std=c++17"), QStringLiteral("-Wall"), QStringLiteral("-Wextra"),
                       QStringLiteral("-Wno-unused-variable"), QStringLiteral("-Werror"),
                       QStringLiteral("-fsyntax-only"), QStringLiteral("-I."), QStringLiteral("all.cpp")});
        QVERIFY(process.waitForFinished(60000));
        QVERIFY2(process.exitCode() == 0, process.readAll().left(4000).constData());
        qInfo("%d plans", number);
    }

    void partsAndSizes()
    {
        const auto source = bundlePlanSource(
            programOf("//! task spmm\n//! part low = rows with length in [0, 9)\n"
                      "//! part high = rows with length in [9, inf)\n//! format s = sell(slice=8, sigma=64) "
                      "of low\n"
                      "//! format hyb(quantile=80)\n//! scratch whole u8[0 - dense_cols % 4]\n"
                      "//! launch k<<<s.slices, high.rows>>>(s.val, high.col, hyb.ell_val, B, C)\n")
                .plan);
        QVERIFY(source);
        for (const char* line :
             {"const Part f_low = build_part(a, 0, 9);", "const Part f_high = build_part(a, 9, -1);",
              "auto f_s = build_sell(f_low.csr(), 8, 64);", "rename_rows(f_s.row_ids, f_low);",
              "const auto f_hyb = build_hyb(a, hyb_width(a, 80));", "Plan::require(\"whole\", ",
              "plan.upload(f_high.col)"})
            QVERIFY2(source->find(line) != std::string::npos, source->c_str());
    }

    void refusals()
    {
        auto scratch = TempDir::create();
        const Csr m = randomMatrix(5, 5, 0.5, 1);
        BundleRequest request;
        request.matrix = &m;
        request.program = programOf("//! task spmv\n//! launch k<<<1, 32>>>(y)\n");
        QVERIFY(writeFileAtomic(scratch->path() / "file", "x"));
        QVERIFY(!writeBundle(scratch->path() / "file", request));
        QVERIFY(!writeBundle(scratch->path() / "file" / "below", request));
    }
};

QTEST_GUILESS_MAIN(TestBundle)
#include "tst_bundle.moc"
