// SPDX-License-Identifier: Apache-2.0
// Exported bundles in the hands of a user: the commands of the README word by word, solvers, several bundles
// in one project. Kernels run on the fake driver.
#include "base/files.h"
#include "base/json.h"
#include "bundle_maker.h"
#include "corpus/element_words.h"
#include "plain_solver.h"
#include "tests/drawn_share.h"

#include <QFileInfo>
#include <QStandardPaths>
#include <QTest>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

using namespace sparserl;
namespace fs = std::filesystem;

namespace {

/// Moves and pads values: slices of rows sorted by length.
const char* const sellProgram = R"(//! task spmv
//! format s = sell(slice=8, sigma=64)
//! launch k<<<s.slices, 8>>>(s.slice_ptr, s.col, s.val, s.row_ids, x, y)
extern "C" __global__ void k(const int* slice_ptr, const int* col, const float* val, const int* rows, const float* x,
                             float* y)
{
    const int row = rows[blockIdx.x * 8 + threadIdx.x];
    if (row < 0)
        return;
    float sum = 0;
    for (int k = slice_ptr[blockIdx.x] + threadIdx.x; k < slice_ptr[blockIdx.x + 1]; k += 8)
        sum += val[k] * x[col[k]];
    y[row] = sum;
}
)";

const char* const spmmProgram = R"(//! task spmm
//! launch k<<<rows, 32>>>(dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
extern "C" __global__ void k(int n, const int* row_ptr, const int* col, const float* val, const float* B, float* C)
{
    for (int j = threadIdx.x; j < n; j += 32) {
        float sum = 0;
        for (int i = row_ptr[blockIdx.x]; i < row_ptr[blockIdx.x + 1]; ++i)
            sum += val[i] * B[col[i] * n + j];
        C[blockIdx.x * n + j] = sum;
    }
}
)";

/// sellProgram with alpha and beta.
std::string scaledSellProgram()
{
    std::string text = sellProgram;
    const auto replace = [&](std::string_view what, std::string_view by) {
        text.replace(text.find(what), what.size(), by);
    };
    replace("x, y)", "x, y, alpha, beta)");
    replace("float* y)", "float* y, float alpha, float beta)");
    replace("y[row] = sum", "y[row] = beta == 0 ? alpha * sum : alpha * sum + beta * y[row]");
    return text;
}

/// The program in float64.
std::string inDoubles(const std::string& text)
{
    std::string doubled = inElementType(text, ElementType::F64);
    doubled.insert(doubled.find('\n'), " f64");
    return doubled;
}

/// What floats cannot hold: with it conjugate gradients go another way.
Csr withDoubles(Csr m)
{
    for (std::size_t k = 0; k < m.val.size(); ++k)
        m.val64.push_back(double(m.val[k]) * (1 + 0x1p-30));
    return m;
}

/// Warnings are errors; built as this test is, for the driver that it loads.
std::string compilerFlags()
{
    std::string flags = "-Wall -Wextra -Wpedantic -Wshadow -Werror -O0";
    if (*SPARSERL_SANITIZE)
        flags += " -fsanitize=" SPARSERL_SANITIZE;
    return flags;
}

/// How a user's machine is set up. Only the README's first build is a Release, as it says, and optimised.
std::map<std::string, std::string> environment()
{
    return {{"CMAKE_BUILD_TYPE", "Plain"},
            {"LD_LIBRARY_PATH", SPARSERL_FAKE_DRIVER_DIR},
            {"SPARSERL_FAKE_GPU", ""},
            {"CXXFLAGS", compilerFlags()},
            {"CMAKE_BUILD_PARALLEL_LEVEL", "2"}};
}

/// Lines of all blocks of a README that are fenced as `language`, a string a block.
std::vector<std::string> blocksOf(const fs::path& readme, const std::string& language)
{
    std::istringstream text(*readFile(readme));
    std::vector<std::string> blocks;
    bool inside = false;
    for (std::string line; std::getline(text, line);) {
        if (line == "```" + language && !inside) {
            blocks.emplace_back();
            inside = true;
        } else if (line == "```") {
            inside = false;
        } else if (inside) {
            blocks.back() += line + "\n";
        }
    }
    return blocks;
}

/// Iterations that a solver says, in the order in which it says them.
std::vector<int> iterationsIn(const std::string& output)
{
    static const std::regex words("(?:after|product:) (\\d+) iterations");
    std::vector<int> found;
    for (std::sregex_iterator it(output.begin(), output.end(), words), end; it != end; ++it)
        found.push_back(std::stoi((*it)[1]));
    return found;
}

std::string nameOfBundle(const fs::path& folder)
{
    return (*readJson(folder / "manifest.json"))["name"].get<std::string>();
}

} // namespace

class TestBundleUse : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_cmake = QStandardPaths::findExecutable(QStringLiteral("cmake"));
        if (m_cmake.isEmpty() || QStandardPaths::findExecutable(QStringLiteral("c++")).isEmpty())
            QSKIP("there is no CMake or no compiler 'c++' here");
        m_scratch.emplace(std::move(*TempDir::create()));
        m_matrix = definiteMatrix(24);
        m_bundle = m_scratch->path() / "bundle";
        QCOMPARE(m_maker.write(sellProgram, m_matrix, m_bundle), std::string());
        m_name = nameOfBundle(m_bundle);
    }

    void commandsOfTheReadme()
    {
        std::string all;
        for (const std::string& block : blocksOf(m_bundle / "README.md", "sh")) {
            if (block.find("python3") != std::string::npos)
                continue; // pythonOfTheReadme
            const Finished done = shell(block, {{"CMAKE_BUILD_TYPE", ""}});
            QVERIFY2(done.exit == 0, (block + endOf(done)).c_str());
            all += block + done.output;
        }
        for (const std::string& wanted :
             {m_name + "_self_test matrix.csr", std::string("ok      the matrix: 576 x 576"),
              std::string("ok      examples/other.mtx: 4 x 4"), std::string("first create"),
              std::string("create pays      not known: there is no verdict with times"),
              std::string("products"), std::string("us, the other 25.00 us"), std::string("y = 3 0 3")})
            QVERIFY2(all.find(wanted) != std::string::npos, (wanted + "\n" + all).c_str());
        const Finished tests = shell("ctest --test-dir build");
        QVERIFY2(tests.exit == 0 &&
                     tests.output.find("100% tests passed, 0 tests failed out of 2") != std::string::npos,
                 tests.output.c_str());
        // What it shows of the example is what lies there.
        QCOMPARE(blocksOf(m_bundle / "README.md", "cmake").at(0),
                 *readFile(m_bundle / "examples/app/CMakeLists.txt"));
        QCOMPARE(blocksOf(m_bundle / "README.md", "cpp").at(0),
                 *readFile(m_bundle / "examples/app/main.cpp"));
        // Built things can be moved.
        fs::rename(m_bundle / "build", m_scratch->path() / "moved");
        fs::create_directory_symlink(m_scratch->path() / "moved", m_bundle / "build");
        QCOMPARE(shell("build/" + m_name + "_self_test --no-timing").exit, 0);
    }

    void otherMatricesAreNotTakenForTheBundles()
    {
        auto bytes = *readFile(m_bundle / "matrix.csr");
        bytes.back() = static_cast<char>(bytes.back() ^ 1);
        QVERIFY(writeFileAtomic(m_bundle / "changed.csr", bytes));
        const std::string selfTest = "build/" + m_name + "_self_test --no-timing ";
        const Finished changed = shell(selfTest + "changed.csr");
        QCOMPARE(changed.exit, 1);
        QVERIFY2(changed.output.find("is not the matrix") != std::string::npos, changed.output.c_str());
        QCOMPARE(shell(selfTest + "--other changed.csr").exit, 0);
        QVERIFY(writeFileAtomic(m_bundle / "cut.csr", bytes.substr(0, bytes.size() - 4)));
        for (const char* file : {"cut.csr", "missing.mtx", "README.md"}) {
            const Finished bad = shell(selfTest + "--other " + file);
            QCOMPARE(bad.exit, 1);
            QVERIFY2(bad.output.find(std::string("FAILED  ") + file + ": ") != std::string::npos,
                     bad.output.c_str());
        }
        for (const char* words : {"--nonsense", "--against", "--against nothing"})
            QCOMPARE(shell(selfTest + words).exit, 2);
    }

    void conjugateGradient()
    {
        const std::vector<int> expected = {plainIterations(m_matrix, 1),
                                           plainIterations(withTwiceTheDiagonal(m_matrix), 1)};
        QVERIFY(expected[0] > 3 * expected[1]); // The update matters.
        const Finished solved = shell("build/" + m_name + "_cg");
        QVERIFY2(solved.exit == 0, solved.output.c_str());
        QCOMPARE(iterationsIn(solved.output), expected);

        // What it cannot solve gets a sentence.
        QVERIFY(writeFileAtomic(m_bundle / "lopsided.mtx",
                                "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 2\n"
                                "1 2 1\n2 2 2\n"));
        QVERIFY(writeFileAtomic(m_bundle / "negative.mtx",
                                "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 -2\n"
                                "2 2 1\n"));
        for (const auto& [words, sentence] :
             {std::pair("lopsided.mtx", "the matrix is not symmetric"),
              std::pair("negative.mtx", "the matrix is not positive definite"),
              std::pair("missing.mtx", "missing.mtx: the file cannot be opened")}) {
            const Finished bad = shell("build/" + m_name + "_cg " + words);
            QCOMPARE(bad.exit, 1);
            QVERIFY2(bad.output.find(sentence) != std::string::npos, bad.output.c_str());
        }
        QCOMPARE(shell("build/" + m_name + "_cg --laplacian -3").exit, 2);
        const Finished none = shell("build/" + m_name + "_cg", {{"SPARSERL_FAKE_GPU", "devices=0"}});
        QCOMPARE(none.exit, 77);
        QVERIFY2(none.output.find("offers no GPU") != std::string::npos, none.output.c_str());
    }

    /// In float64 by the same words: the solver reaches what float32 does not. By lot: the bundle of
    /// pythonOfTheReadme is one in float64, too, and solves with it.
    void doublePrecision()
    {
        if (!test::DrawnShare(3).has("float64"))
            QSKIP("it is not drawn");
        const fs::path folder = m_scratch->path() / "doubles";
        const Csr m = withDoubles(m_matrix);
        QCOMPARE(m_maker.write(inDoubles(sellProgram), m, folder), std::string());
        const std::string name = nameOfBundle(folder);
        std::string all;
        for (const std::string& block : blocksOf(folder / "README.md", "sh")) {
            if (block.find("python3") == std::string::npos) {
                const Finished done = shell(block, {}, folder);
                QVERIFY2(done.exit == 0, (block + endOf(done)).c_str());
                all += done.output;
            }
        }
        QVERIFY2(all.find("ok      the matrix: 576 x 576") != std::string::npos &&
                     all.find("y = 3 0 3") != std::string::npos,
                 all.c_str());
        const Csr typed = inType(m, ElementType::F64);
        const std::vector<int> expected = {plainIterations(typed, 1),
                                           plainIterations(withTwiceTheDiagonal(typed), 1)};
        QVERIFY(expected[0] > plainIterations(m_matrix, 1));
        const Finished solved = shell("build/" + name + "_cg", {}, folder);
        QVERIFY2(solved.exit == 0, solved.output.c_str());
        QCOMPARE(iterationsIn(solved.output), expected);
        static const std::regex residual("= (\\d\\.\\d\\de-\\d+)\n");
        for (std::sregex_iterator it(solved.output.begin(), solved.output.end(), residual), end; it != end;
             ++it)
            QVERIFY2(std::stod((*it)[1]) < 2e-10, solved.output.c_str());
    }

    void severalBundlesInOneProject()
    {
        // One for vectors and one for eight columns, side by side in every way, in a project with settings
        // of its own: static libraries, units of several files, output folders in which files could collide.
        const fs::path project = m_scratch->path() / "project";
        const fs::path other = m_scratch->path() / "spmm";
        QCOMPARE(m_maker.write(spmmProgram, m_matrix, other), std::string());
        const std::string names[] = {m_name, nameOfBundle(other)};
        std::string main = "#include <cstdio>\n";
        for (const std::string& name : names)
            main += fmt::format("#include \"{}.h\"\n", name);
        main +=
            "int main()\n{\n    const int row_ptr[] = {0, 1}, col[] = {0};\n    const float val[] = {3};\n"
            "    float x[8] = {2, 2, 2, 2, 2, 2, 2, 2}, y[8];\n";
        for (const std::string& name : names)
            main += fmt::format("    {{\n        {0}_handle* a = nullptr;\n"
                                "        if ({0}_create(&a, 0, 1, 1, row_ptr, col, val, {0}_COLUMNS) || "
                                "{0}_run_host(a, x, y, {0}_COLUMNS))\n            return 1;\n"
                                "        std::printf(\"%g of %d\\n\", y[{0}_COLUMNS - 1], {0}_COLUMNS);\n"
                                "        {0}_destroy(a);\n    }}\n",
                                name);
        main += "    return 0;\n}\n";
        QVERIFY(writeFileAtomic(project / "main.cpp", main));
        const std::string links =
            fmt::format("add_executable(app main.cpp)\n"
                        "target_link_libraries(app PRIVATE sparserl::{} sparserl::{})\n",
                        names[0], names[1]);
        QVERIFY(writeFileAtomic(
            project / "CMakeLists.txt",
            fmt::format(
                "cmake_minimum_required(VERSION 3.20)\nproject(app LANGUAGES CXX)\n"
                "enable_testing()\n"
                "set(BUILD_SHARED_LIBS OFF)\nset(CMAKE_UNITY_BUILD ON)\nset(CMAKE_RUNTIME_OUTPUT_DIRECTORY "
                "${{CMAKE_BINARY_DIR}}/out)\nset(CMAKE_LIBRARY_OUTPUT_DIRECTORY "
                "${{CMAKE_BINARY_DIR}}/out)\n"
                "foreach(bundle {} {})\n    set(${{bundle}}_TOOLS ON)\nendforeach()\n"
                "add_subdirectory({} one)\nadd_subdirectory({} two)\n",
                names[0], names[1], m_bundle.string(), other.string()) +
                links));
        succeeds(
            fmt::format(
                "cmake -B build -DCMAKE_POLICY_DEFAULT_CMP0077=NEW && cmake --build build --target app {}_cg",
                names[1]),
            project);
        QCOMPARE(shell("build/out/app", {}, project).output, std::string("6 of 1\n6 of 8\n"));
        const Finished tests = shell("ctest --test-dir build --show-only", {}, project);
        QVERIFY2(tests.output.find("Total Tests: 4") != std::string::npos, tests.output.c_str());
        // The solver for eight right-hand sides at once.
        const Finished solved =
            shell(fmt::format("build/out/{}_cg {}", names[1], (other / "matrix.csr").string()), {}, project);
        QVERIFY2(solved.exit == 0, solved.output.c_str());
        QCOMPARE(iterationsIn(solved.output),
                 (std::vector<int>{plainIterations(m_matrix, 8),
                                   plainIterations(withTwiceTheDiagonal(m_matrix), 8)}));

        // Both installed into one prefix, which is moved; found as packages.
        succeeds("cmake --install build --prefix prefix && mv prefix elsewhere", project);
        std::istringstream installed(*readFile(project / "build" / "install_manifest.txt"));
        std::set<std::string> files;
        for (std::string line; std::getline(installed, line);)
            QVERIFY2(files.insert(line).second, ("installed twice: " + line).c_str());
        QCOMPARE(files.size(), std::size_t(18)); // Nine each.
        succeeds(fmt::format("! grep -rIl '{}' elsewhere", m_scratch->path().string()), project);
        const fs::path user = project / "user";
        QVERIFY(writeFileAtomic(user / "main.cpp", main));
        QVERIFY(writeFileAtomic(
            user / "CMakeLists.txt",
            fmt::format(
                "cmake_minimum_required(VERSION 3.20)\nproject(user LANGUAGES CXX)\n"
                "find_package({0} {2} REQUIRED)\nfind_package({1} REQUIRED)\nfind_package({1} REQUIRED)\n"
                "find_package({0} 99 QUIET)\nif({0}_FOUND)\n    message(FATAL_ERROR \"any "
                "version\")\nendif()\n",
                names[0], names[1],
                (*readJson(m_bundle / "manifest.json"))["product"]["version"].get<std::string>()) +
                links));
        succeeds("cmake -B build -DCMAKE_PREFIX_PATH=\"$PWD/../elsewhere\" && cmake --build build", user);
        QCOMPARE(shell("build/app", {}, user).output, std::string("6 of 1\n6 of 8\n"));
    }

    void pythonOfTheReadme_data()
    {
        QTest::addColumn<bool>("doubles");
        QTest::newRow("f32") << false;
        QTest::newRow("f64") << true;
    }

    void pythonOfTheReadme()
    {
        QFETCH(bool, doubles);
        // In double precision the program also takes factors; the plain one is met by lot.
        if (!doubles && !test::DrawnShare(4).has("f32"))
            QSKIP("it is not drawn");
        // Blocks that need a GPU's libraries are read at least; tests/tools/bundles_on_gpu.py runs them.
        const fs::path folder = m_scratch->path() / (doubles ? "python64" : "python");
        QCOMPARE(doubles ? m_maker.write(inDoubles(scaledSellProgram()), withDoubles(m_matrix), folder)
                         : m_maker.write(sellProgram, m_matrix, folder),
                 std::string());
        QString python = pythonWith({QStringLiteral("pip"), QStringLiteral("scipy")});
        const bool scipy = !python.isEmpty();
        if (!scipy)
            python = pythonWith({QStringLiteral("pip")});
        if (python.isEmpty())
            QSKIP("there is no Python with pip here");
        if (*SPARSERL_SANITIZE)
            QSKIP("Python cannot load the fake driver of this build");
        // A package for this test alone, by the same words.
        const std::string target = (m_scratch->path() / (doubles ? "packages64" : "packages")).string();
        const std::map<std::string, std::string> own{
            {"PIP_TARGET", target},
            {"PIP_NO_INDEX", "1"},
            {"PYTHONPATH", target},
            {"PATH", QFileInfo(python).absolutePath().toStdString() + ":" + qgetenv("PATH").toStdString()}};
        for (const std::string& block : blocksOf(folder / "README.md", "python")) {
            QVERIFY(writeFileAtomic(folder / "block.py", block));
            const Finished read =
                shell("python3 -c 'import ast; ast.parse(open(\"block.py\").read())'", own, folder);
            QVERIFY2(read.exit == 0, read.output.c_str());
        }
        std::string commands;
        for (const std::string& block : blocksOf(folder / "README.md", "sh"))
            commands += block.find("python3") == std::string::npos ? "" : block;
        const auto solving = commands.find("python3 examples/cg.py");
        QVERIFY(commands.find("python3 -m pip install .") == 0 && solving != std::string::npos);
        const Finished installed = shell(commands.substr(0, solving), own, folder);
        QVERIFY2(installed.exit == 0, endOf(installed).c_str());
        const Finished bound = shell(
            "python3 " SPARSERL_SOURCE_DIR "/tests/export/bundle_bindings.py . \"$PIP_TARGET\"", own, folder);
        QVERIFY2(bound.exit == 0, endOf(bound).c_str());
        if (!scipy)
            QSKIP("the solver was left out: there is no Python with pip and SciPy here (packaging/setup "
                  "--checks)");
        const Finished done = shell(commands.substr(solving) + "python3 examples/cg.py\n", own, folder);
        QVERIFY2(done.exit == 0, endOf(done).c_str());
        // Both matrices, by the kernel and by SciPy: the same iterations.
        const std::vector<int> steps = iterationsIn(done.output);
        QCOMPARE(steps.size(), std::size_t(8));
        for (std::size_t i = 0; i < steps.size(); i += 2)
            QVERIFY2(std::abs(steps[i] - steps[i + 1]) <= 1, done.output.c_str());
        QVERIFY2(steps[4] > steps[6], done.output.c_str());
        QVERIFY2(!doubles || steps[4] > plainIterations(m_matrix, 1), done.output.c_str());
    }

private:
    Finished shell(const std::string& commands, const std::map<std::string, std::string>& more = {},
                   const fs::path& folder = {})
    {
        auto variables = environment();
        for (const auto& [name, value] : more)
            variables[name] = value;
        return runProgram(QStringLiteral("/bin/sh"),
                          {QStringLiteral("-ec"), QString::fromStdString(commands)},
                          folder.empty() ? m_bundle : folder, variables);
    }

    static std::string endOf(const Finished& done)
    {
        return done.output.size() > 800 ? done.output.substr(done.output.size() - 800) : done.output;
    }

    void succeeds(const std::string& commands, const fs::path& folder)
    {
        const Finished done = shell(commands, {}, folder);
        QVERIFY2(done.exit == 0, (commands + "\n" + endOf(done)).c_str());
    }

    /// The first python3 that has these modules; empty: none.
    QString pythonWith(const QStringList& modules)
    {
        const QString found = QStandardPaths::findExecutable(QStringLiteral("python3"));
        for (const QString& python : {found, QStringLiteral("/usr/bin/python3")}) {
            if (!python.isEmpty() &&
                runProgram(
                    python,
                    {QStringLiteral("-c"), QStringLiteral("import ") + modules.join(QStringLiteral(", "))},
                    m_scratch->path())
                        .exit == 0)
                return python;
        }
        return {};
    }

    QString m_cmake;
    BundleMaker m_maker;
    std::optional<TempDir> m_scratch;
    Csr m_matrix;
    fs::path m_bundle;
    std::string m_name;
};

QTEST_GUILESS_MAIN(TestBundleUse)
#include "tst_bundle_use.moc"
