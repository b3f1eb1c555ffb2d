// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "bundle_request.h"
#include "corpus/corpus.h"
#include "kernel/bundle.h"
#include "kernel/bundle_files.h"
#include "tests/patience.h"

#include <QProcess>
#include <QStandardPaths>
#include <QTest>
#include <dlfcn.h>
#include <fmt/format.h>
#include <map>
#include <regex>

using namespace sparserl;

namespace {

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
    const bool ok = process.waitForFinished(test::patience()) && process.exitCode() == 0;
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
    void bundleIsWhole()
    {
        auto scratch = TempDir::create();
        QVERIFY(scratch);
        const Csr m = randomMatrix(50, 40, 0.1, 3);
        std::vector<Family> all = families(Task::SpMV);
        for (const Family& family : families(Task::SpMM))
            all.push_back(family);
        for (std::size_t i = 0, count = 0; i < all.size(); i += 7, ++count) {
            const Family& family = all[i];
            const auto directory = scratch->path() / "exports" / family.id;
            BundleRequest request = requestFor(
                derive(family.id, {}, {}, true, count % 2 == 0 ? ElementType::F32 : ElementType::F64)->text,
                m);
            request.run = "ppo-1";
            request.evidence = {{"verdict", "correct"}, {"ptx", "cafe"}};
            request.matrixAttribution = "Group/name, CC BY 4.0";
            const auto status = writeBundle(directory, request);
            QVERIFY2(status, status ? "" : status.error().sentence().c_str());

            const auto manifest = readJson(directory / "manifest.json");
            QVERIFY(manifest);
            QCOMPARE((*manifest)["program_hash"].get<std::string>(), request.program.text.hash());
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
                static const std::regex mark("@[A-Z0-9_]+@");
                QVERIFY2(name == "program.cu" || !std::regex_search(text, mark), name.c_str());
            }
            QCOMPARE(files.at("program.cu"), request.program.text);
            QCOMPARE(files.at("program.ptx"), request.code.ptx);
            const bool doubles = request.program.plan.type == ElementType::F64;
            QCOMPARE((*manifest)["element_type"].get<std::string>(), std::string(doubles ? "f64" : "f32"));
            QCOMPARE(bundle.find("_f64_") != std::string::npos, doubles);
            const std::string& header = files.at("include/" + bundle + ".h");
            QCOMPARE(header.find(doubles ? "float*" : "double*"), std::string::npos);
            QVERIFY(header.find(doubles ? "const double* val" : "const float* val") != std::string::npos);
            QVERIFY(files.at("NOTICE.md").find("Group/name, CC BY 4.0") != std::string::npos);
            QVERIFY(files.at("tests/expected.cpp").find("\"a _name_\"") != std::string::npos);

            const auto again = writeBundle(directory, request);
            QVERIFY(!again && again.error().what.find("not empty") != std::string::npos);
        }
    }

    /// What a project says of whose a matrix is stays a text.
    void attributionsAreText()
    {
        const Csr m = randomMatrix(20, 20, 0.2, 3);
        BundleRequest request = requestFor(derive(families(Task::SpMV)[0].id, {}, {}, true)->text, m);
        request.matrixAttribution = "[a](http://evil) <b>`x`</b>\n## h \xe2\x80\xae ![p](q) | \x1b[2J";
        const auto contents = bundleContents(request);
        QVERIFY(contents);
        const std::string& notice = contents->at("NOTICE.md");
        QVERIFY2(notice.find(R"(: \[a\](http\://evil) \<b\>\`x\`\</b\>\\x0a\#\# h \\u202e \!\[p\](q) \|)") !=
                     std::string::npos,
                 notice.c_str());
        QVERIFY(notice.find("\xe2\x80\xae") == std::string::npos && notice.find('\x1b') == std::string::npos);
        const std::string& manifest = contents->at("manifest.json");
        QVERIFY2(manifest.find(R"([a](http://evil) <b>`x`</b>\\x0a## h \\u202e)") != std::string::npos,
                 manifest.c_str());
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
                QCOMPARE(plain(contents, name, request.program.text.hash()),
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
        BundleRequest literal = requestFor("//! task spmv\n//! launch k<<<1, 32>>>(y, 0.5f)\n", m);
        literal.code.kernels = {{"k", {8, 8}}};
        const auto tooWide = writeBundle(scratch->path() / "wrong", literal);
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
};

QTEST_GUILESS_MAIN(TestBundle)
#include "tst_bundle.moc"
