// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/rng.h"
#include "bundle_request.h"
#include "corpus/corpus.h"
#include "kernel/bind.h"
#include "kernel/bundle.h"
#include "kernel/bundle_files.h"
#include "kernel/bundle_plan.h"
#include "kernel/export/src/conversion.h"
#include "kernel/export/src/conversion_blocked.h"
#include "kernel/export/src/conversion_parts.h"
#include "kernel/export/src/plan.h"
#include "kernel/export/src/status.h"
#include "kernel/export/src/value_map.h"
#include "matrix/formats.h"

#include <QProcess>
#include <QStandardPaths>
#include <QTest>
#include <bit>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <map>
#include <regex>
#include <set>

using namespace sparserl;

namespace {

template <typename T>
std::vector<T> arrayOf(const FormatData& data, const char* name)
{
    const FormatArray* array = data.find(name);
    std::vector<T> values(array->bytes.size() / sizeof(T));
    if (!values.empty())
        std::memcpy(values.data(), array->bytes.data(), array->bytes.size());
    return values;
}

std::string replaced(std::string text, const std::string& what, const std::string& by)
{
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}

std::string nameOfBundle(const std::filesystem::path& bundle)
{
    return (*readJson(bundle / "manifest.json"))["name"].get<std::string>();
}

bool runs(const QString& program, const QStringList& arguments, const std::filesystem::path& folder)
{
    QProcess process;
    process.setWorkingDirectory(QString::fromStdString(folder.string()));
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, arguments);
    const bool ok = process.waitForFinished(60000) && process.exitCode() == 0;
    if (!ok)
        qWarning("%s", process.readAll().left(4000).constData());
    return ok;
}

const char* const hostilePreamble[] = {
    "#ifndef __CUDACC_RTC__\nextern \"C\" int system(const char*);\nstatic int owned = system(\"echo OWNED > "
    "owned\");\n#endif\n",
    "#ifndef __CUDA_ARCH__\n#include <cstdlib>\nstatic int owned = system(\"echo OWNED > owned\");\n#endif\n",
    "asm(\".section .init_array,\\\"aw\\\"\\n.quad main\\n.text\\n\");\n",
    "asm(\".incbin \\\"/etc/passwd\\\"\");\n",
    "__attribute__((constructor)) static void owned() { __builtin_trap(); }\n",
};

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
                    const auto sample = sampleProgram(task, options, rng);
                    QVERIFY(sample);
                    const Csr m = randomMatrix(20 + 61 * round, 33 + 40 * round, 0.1, 3 + compared);
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
              "d.val, low.row_ids, csr.row_ptr, whole, high.nnz, B, C)\n"}) {
            const Csr m = randomMatrix(70, 41, 0.12, 5);
            const Plan plan = programOf(text).plan;
            compare(plan, m, plan.task == Task::SpMM ? 32 : 1, kinds);
        }
        for (const char* kind : {"bsr", "blocks", "coo", "csc", "csr", "csr16", "csr5", "dense", "dia", "ell",
                                 "hyb", "order", "panels", "sell", "sell16", "tiles", "windows"})
            QVERIFY2(kinds.count(kind) == 1, kind);
    }

    void bundleIsWhole()
    {
        auto scratch = TempDir::create();
        QVERIFY(scratch);
        const Csr m = randomMatrix(50, 40, 0.1, 3);
        std::vector<Family> all = families(Task::SpMV);
        for (const Family& family : families(Task::SpMM))
            all.push_back(family);
        for (std::size_t i = 0; i < all.size(); i += 7) {
            const Family& family = all[i];
            const auto directory = scratch->path() / "exports" / family.id;
            BundleRequest request = requestFor(derive(family.id, {}, {})->text, m);
            request.run = "ppo-1";
            request.evidence = {{"verdict", "correct"}, {"ptx", "cafe"}};
            request.matrixAttribution = "Group/name, CC BY 4.0";
            const auto status = writeBundle(directory, request);
            QVERIFY2(status, status ? "" : status.error().sentence().c_str());

            const auto manifest = readJson(directory / "manifest.json");
            QVERIFY(manifest);
            QCOMPARE((*manifest)["program_hash"].get<std::string>(), request.program.hash);
            QCOMPARE((*manifest)["ptx_hash"].get<std::string>(), std::string("cafe"));
            QCOMPARE((*manifest)["matrix_digest"].get<std::string>(), digest(m));
            QCOMPARE((*manifest)["run"].get<std::string>(), std::string("ppo-1"));
            QVERIFY((*manifest)["checkpoint"].is_null());
            QVERIFY(!(*manifest)["product"]["version"].get<std::string>().empty());
            QCOMPARE((*manifest)["licence"]["kernel"].get<std::string>(), std::string("Apache-2.0"));
            QCOMPARE((*manifest)["evidence"]["verdict"].get<std::string>(), std::string("correct"));
            const auto files = filesOf(directory);
            QCOMPARE((*manifest)["files"].size() + 1, files.size()); // All but the manifest itself.
            for (const auto& [name, hash] : (*manifest)["files"].items()) {
                QVERIFY2(files.count(name) == 1, name.c_str());
                QCOMPARE(sha256Hex(files.at(name)), hash.get<std::string>());
            }
            for (const char* name : {"LICENSE", "NOTICE.md", "README.md", "program.cu", "program.ptx",
                                     "matrix.csr", "pyproject.toml", "python/bundle_build.py", "src/data.cpp",
                                     "examples/cg.cpp", "examples/cg.py"})
                QVERIFY2(files.count(name) == 1, name);
            const std::string bundle = nameOfBundle(directory);
            QCOMPARE(files.count("include/" + bundle + ".h"), std::size_t(1));
            QCOMPARE(files.count("cmake/" + bundle + "Config.cmake"), std::size_t(1));
            for (const auto& [name, text] : files) {
                QVERIFY2(name.find("sparserl_kernel") == std::string::npos, name.c_str());
                static const std::regex mark("@[A-Z_]+@");
                QVERIFY2(name == "program.cu" || !std::regex_search(text, mark), name.c_str());
            }
            QCOMPARE(files.at("program.cu"), request.program.text);
            QCOMPARE(files.at("program.ptx"), request.code.ptx);
            QVERIFY(files.at("NOTICE.md").find("Group/name, CC BY 4.0") != std::string::npos);
            QVERIFY(files.at("tests/expected.cpp").find("\"a _name_\"") != std::string::npos);

            const auto again = writeBundle(directory, request);
            QVERIFY(!again && again.error().what.find("not empty") != std::string::npos);
        }
    }

    void nothingOfTheProgramIsCode()
    {
        // Two programs of the same plan, one with everything hostile in its text: but for numbers in
        // data.cpp, hashes and the name made of them, no file that a compiler or an interpreter reads may
        // differ.
        auto scratch = TempDir::create();
        const Csr m = randomMatrix(30, 30, 0.2, 3);
        const std::string plan =
            "//! task spmv\n//! const {0} = 3\n//! format {1} = ell\n//! scratch {2} f32[rows]\n"
            "//! launch {3}<<<{0}, 32>>>({1}.col, {2}, x, y)\n";
        const std::string code =
            "extern \"C\" __global__ void {3}(int* a, float* b, float* x, float* y) {{}}\n";
        QVERIFY(writeBundle(scratch->path() / "honest",
                            requestFor(fmt::format(fmt::runtime(plan + code), "c", "f", "s", "k"), m)));
        const auto honest = filesOf(scratch->path() / "honest");
        const std::string honestName = nameOfBundle(scratch->path() / "honest");
        const std::string longName(4000, 'k');
        int number = 0;
        for (const char* kernel :
             {"cudaMalloc", "sparserl_spmv_run", "main", "system", "_init", "cuLaunchKernel", "ptx_words",
              "plan_words", "sparserl_bundle", "dlopen", "errno", "std", "operator_", "NULL", "__attribute__",
              "INT64_MIN", longName.c_str()}) {
            const char* preamble = hostilePreamble[number % std::size(hostilePreamble)];
            const std::string other = std::string("n_") + kernel + "x";
            const auto folder = scratch->path() / std::to_string(number++);
            BundleRequest request =
                requestFor(fmt::format(fmt::runtime(plan), other, other + "f", other + "s", kernel) +
                               preamble + "// @NAME@ */ \xC3\xA4 \")BUNDLE\"\n" +
                               fmt::format(fmt::runtime(code), "", "", "", kernel),
                           m);
            request.code.ptx += fmt::format("// {} */ #include \"/etc/passwd\"\n", kernel);
            const auto status = writeBundle(folder, request);
            QVERIFY2(status, status ? "" : status.error().sentence().c_str());
            const std::string name = nameOfBundle(folder);
            QVERIFY(name != honestName);
            const auto files = filesOf(folder);
            QCOMPARE(files.size(), honest.size());
            for (const auto& [path, contents] : files) {
                if (path == "program.cu" || path == "program.ptx" || path == "manifest.json")
                    continue;
                const std::string path2 = replaced(path, name, honestName);
                QVERIFY2(honest.count(path2) == 1, path.c_str());
                if (path == "src/data.cpp") {
                    // Only numbers where the honest one has numbers.
                    static const std::regex numbers("(0x[0-9a-f]+u|-?[0-9]+)[,;]|\\s");
                    QCOMPARE(std::regex_replace(contents, numbers, ""),
                             std::regex_replace(honest.at(path2), numbers, ""));
                    continue;
                }
                const auto plain = [](std::string text, const std::string& own, const std::string& hash) {
                    text = replaced(std::move(text), own, "NAME");
                    text = replaced(std::move(text), hash, "HASH");
                    return replaced(std::move(text), hash.substr(0, 12), "SHORT");
                };
                QCOMPARE(plain(contents, name, request.program.hash),
                         plain(honest.at(path2), honestName, sha256Hex(honest.at("program.cu"))));
            }
        }
    }

    void hostCodeOfTheProgramNeverRuns()
    {
        // What once ran when a bundle was built by nvcc and imported: built here by the host's compiler
        // alone.
        const QString compiler = QStandardPaths::findExecutable(QStringLiteral("c++"));
        if (compiler.isEmpty())
            QSKIP("there is no compiler 'c++' here");
        auto scratch = TempDir::create();
        const Csr m = randomMatrix(30, 30, 0.2, 3);
        int number = 0;
        for (const char* preamble : hostilePreamble) {
            const auto folder = scratch->path() / std::to_string(number++);
            QVERIFY(writeBundle(
                folder, requestFor(std::string("//! task spmv\n//! launch k<<<1, 32>>>(x, y)\n") + preamble +
                                       "extern \"C\" __global__ void k(float*, float*) {}\n",
                                   m)));
            QStringList arguments{QStringLiteral("-std=c++17"),
                                  QStringLiteral("-shared"),
                                  QStringLiteral("-fPIC"),
                                  QStringLiteral("-Wall"),
                                  QStringLiteral("-Wextra"),
                                  QStringLiteral("-Werror"),
                                  QStringLiteral("src/data.cpp"),
                                  QStringLiteral("-Wl,--whole-archive"),
                                  QStringLiteral(SPARSERL_BUNDLE_DIR "/libbundle_library.a"),
                                  QStringLiteral("-Wl,--no-whole-archive"),
                                  QStringLiteral("-ldl"),
                                  QStringLiteral("-o"),
                                  QStringLiteral("library.so")};
            if (*SPARSERL_SANITIZE)
                arguments.prepend(QStringLiteral("-fsanitize=" SPARSERL_SANITIZE));
            QVERIFY(runs(compiler, arguments, folder));
            const auto before = std::filesystem::current_path();
            std::filesystem::current_path(folder);
            void* library = dlopen((folder / "library.so").c_str(), RTLD_NOW | RTLD_LOCAL);
            QVERIFY2(library, library ? "" : dlerror());
            QVERIFY(dlsym(library, "bundle_under_test_create"));
            QVERIFY(!dlsym(library, "owned"));
            // What is embedded is the PTX beside it, byte for byte.
            const auto ptx = reinterpret_cast<const char* (*)(unsigned long long*)>(
                dlsym(library, "bundle_under_test_ptx"));
            unsigned long long bytes = 0;
            const char* text = ptx(&bytes);
            QCOMPARE(std::string(text, bytes), *readFile(folder / "program.ptx"));
            dlclose(library);
            QVERIFY(!std::filesystem::exists("owned"));
            std::filesystem::current_path(before);
        }
    }

    void plansThatDoNotApply()
    {
        // Each is refused with a sentence, none computes on: as the binding of the judge does.
        const Csr m = randomMatrix(40, 40, 0.2, 3);
        const sparserl_bundle::Csr a{m.rows, m.cols, m.rowPtr.data(), m.col.data(), m.val.data()};
        for (const char* lines :
             {"//! launch k<<<rows / (cols - 40), 32>>>(y)\n", "//! launch k<<<1, cols - 40>>>(y)\n",
              "//! launch k<<<rows - 41, 32>>>(y)\n", "//! launch k<<<1, 32>>>(y, 4294967296)\n",
              "//! launch k<<<1, 32>>>(y, 9223372036854775807 * rows)\n",
              "//! scratch s f32[64000000]\n//! launch k<<<1, 32>>>(s, y)\n",
              "//! format bsr(block=40000)\n//! launch k<<<1, 32>>>(bsr.val, y)\n",
              "//! format sell(slice=1000000000, sigma=1)\n//! launch k<<<1, 32>>>(sell.val, y)\n",
              "//! launch k<<<1, 2048>>>(y)\n", "//! require rows == 41\n//! launch k<<<1, 32>>>(y)\n",
              "//! require rows != cols\n//! launch k<<<1, 32>>>(y)\n",
              "//! require rows < cols\n//! launch k<<<1, 32>>>(y)\n",
              "//! require rows > cols\n//! launch k<<<1, 32>>>(y)\n",
              "//! require rows <= 0 - 1\n//! launch k<<<1, 32>>>(y)\n",
              "//! require rows >= nnz\n//! launch k<<<1, 32>>>(y)\n"}) {
            const Plan plan = programOf(std::string("//! task spmv\n") + lines).plan;
            QVERIFY2(!bindPlan(plan, {m, {1}}, DeviceLimits{}) || std::strstr(lines, "4294967296"), lines);
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
            const std::vector<float> val(2, 1.0f);
            const sparserl_bundle::Csr bad{2, 2, rowPtr.data(), col.data(), val.data()};
            QVERIFY_EXCEPTION_THROWN(bad.check(), std::runtime_error);
        }
    }

    void refusals()
    {
        auto scratch = TempDir::create();
        const Csr m = randomMatrix(5, 5, 0.5, 1);
        BundleRequest request = requestFor("//! task spmv\n//! launch k<<<1, 32>>>(y, 3)\n", m);
        QVERIFY(writeFileAtomic(scratch->path() / "file", "x"));
        QVERIFY(!writeBundle(scratch->path() / "file", request));
        QVERIFY(!writeBundle(scratch->path() / "file" / "below", request));
        // Code that is not of this plan.
        for (const std::vector<BundleKernel>& kernels : {std::vector<BundleKernel>{},
                                                         {{"other", {8, 4}}},
                                                         {{"k", {8}}},
                                                         {{"k", {4, 4}}},
                                                         {{"k", {8, 2}}}}) {
            request.code.kernels = kernels;
            const auto status = writeBundle(scratch->path() / "wrong", request);
            QVERIFY(!status && !status.error().what.empty());
        }
        BundleRequest real = requestFor("//! task spmv\n//! launch k<<<1, 32>>>(y, 0.5f)\n", m);
        real.code.kernels = {{"k", {8, 8}}};
        const auto tooWide = writeBundle(scratch->path() / "wrong", real);
        QVERIFY(!tooWide && tooWide.error().what.find("cannot hold a float32") != std::string::npos);
        request.code.kernels = {{"k", {8, 4}}};
        // Evidence about something else.
        for (const char* evidence : {R"({"verdict":"correct","ptx":"beef"})", R"({"verdict":"correct"})",
                                     R"({"verdict":"wrong-result","ptx":"cafe"})"}) {
            request.evidence = nlohmann::json::parse(evidence);
            const auto status = writeBundle(scratch->path() / "wrong", request);
            QVERIFY(!status && status.error().what.find("evidence") != std::string::npos);
        }
        request.evidence = nullptr;
        QVERIFY(writeBundle(scratch->path() / "unverified", request));
        QVERIFY(
            readFile(scratch->path() / "unverified" / "README.md")->find("without having been verified") !=
            std::string::npos);
        request.code.ptx.clear();
        QVERIFY(!writeBundle(scratch->path() / "wrong", request));
        QVERIFY(!std::filesystem::exists(scratch->path() / "wrong"));
    }

private:
    static void compare(const Plan& plan, const Csr& m, std::int64_t columns, std::set<std::string>& kinds)
    {
        DeviceLimits limits;
        const auto engine = bindPlan(plan, {m, {columns}}, limits);
        const auto words = bundlePlanWords(plan, kernelsOf(plan));
        QVERIFY(words);
        const sparserl_bundle::Csr a{m.rows, m.cols, m.rowPtr.data(), m.col.data(), m.val.data()};
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
        QCOMPARE(ours.zero_output, plan.zeroOutput);
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
        std::vector<float> others(static_cast<std::size_t>(a.nnz()));
        for (std::size_t i = 0; i < others.size(); ++i)
            others[i] = static_cast<float>(i) * 0.5f - 7;
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
            QCOMPARE(4 * map->count, fresh.bytes);
            QVERIFY(map->source.empty() || map->source.size() == map->count);
            for (std::size_t k = 0; k < map->count; ++k) {
                const std::size_t from = map->source.empty() ? k + 1 : map->source[k];
                const float wanted = from == 0 ? 0.0f : others.at(from - 1);
                QCOMPARE(static_cast<const float*>(fresh.data)[k], wanted);
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

QTEST_GUILESS_MAIN(TestBundle)
#include "tst_bundle.moc"
