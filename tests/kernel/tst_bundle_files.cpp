// SPDX-License-Identifier: Apache-2.0
// What a bundle says of its verdict's times, and the files of matrices that it reads: built for both element
// types.
#include "base/files.h"
#include "bundle_request.h"
#include "kernel/export/src/matrix_file.h"

#include <QTest>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

using namespace sparserl;
using sparserl_bundle::real;

namespace {

constexpr bool doubles = sizeof(real) == 8;
const char* const ownProgram = doubles ? "//! task spmv f64\n//! launch k<<<1, 32>>>(y, 3)\n"
                                       : "//! task spmv\n//! launch k<<<1, 32>>>(y, 3)\n";
const char* const otherProgram = doubles ? "//! task spmv\n//! launch k<<<1, 32>>>(y, 3)\n"
                                         : "//! task spmv f64\n//! launch k<<<1, 32>>>(y, 3)\n";

} // namespace

class TestBundleFiles : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void timesSayWhereTheyAreFrom()
    {
        const Csr m = randomMatrix(5, 5, 0.5, 1);
        BundleRequest request = requestFor(ownProgram, m);
        const auto written = [&] {
            const auto contents = bundleContents(request);
            if (!contents)
                qFatal("%s", contents.error().sentence().c_str());
            return *contents;
        };
        const nlohmann::json verdict = {{"verdict", "correct"},
                                        {"ptx", "cafe"},
                                        {"device", "NVIDIA \"X\" (driver 1.2)\n<b>"},
                                        {"simulated", false},
                                        {"warm", {{"median", 4.0}}},
                                        {"baseline_us", 6.0},
                                        {"baseline", "cuSPARSE"},
                                        {"setup_us", 100.0}};
        request.evidence = verdict;
        auto files = written();
        auto times = nlohmann::json::parse(files.at("manifest.json"))["times"];
        QCOMPARE(times["source"].get<std::string>(), std::string("measured"));
        QCOMPARE(times["product_us"].get<double>(), 4.0);
        QCOMPARE(times["setup_products"].get<double>(), 25.0);
        QCOMPARE(times["paid_after_products"].get<double>(), 50.0); // 100 us, 2 us saved by each.
        QVERIFY(files.at("README.md")
                    .find("Its times were measured on that GPU: 4 us a product, against 6 us "
                          "of cuSPARSE; converting and copying the matrix took the time of "
                          "25 products, which 50 products pay for.") != std::string::npos);
        QVERIFY(files.at("README.md").find("NVIDIA _X_ (driver 1.2)__b_") != std::string::npos);
        QVERIFY(files.at("tests/expected.cpp").find("device[] = \"NVIDIA _X_ (driver 1.2)__b_\"") !=
                std::string::npos);
        QVERIFY(files.at("tests/expected.cpp").find("Times::measured") != std::string::npos);

        // A record that does not say is not taken for a measurement.
        for (const nlohmann::json& simulated : {nlohmann::json(true), nlohmann::json()}) {
            request.evidence = verdict;
            request.evidence["simulated"] = simulated;
            files = written();
            times = nlohmann::json::parse(files.at("manifest.json"))["times"];
            QCOMPARE(times["source"].get<std::string>(), std::string("simulated"));
            QVERIFY(files.at("README.md").find("**Its times are simulated, not measured on a GPU**") !=
                    std::string::npos);
        }
        // Slower than the baseline: nothing pays for it. No times: nothing is said of them.
        request.evidence = verdict;
        request.evidence["baseline_us"] = 3.0;
        files = written();
        QVERIFY(nlohmann::json::parse(files.at("manifest.json"))["times"]["paid_after_products"].is_null());
        QVERIFY(files.at("README.md").find("pay for.") == std::string::npos);
        request.evidence.erase("warm");
        files = written();
        QCOMPARE(nlohmann::json::parse(files.at("manifest.json"))["times"]["source"].get<std::string>(),
                 std::string("none"));
        QVERIFY(files.at("README.md").find("It was not timed there.") != std::string::npos);
    }

    void filesOfMatrices()
    {
        auto scratch = TempDir::create();
        const auto at = [&](const char* name) { return (scratch->path() / name).string(); };
        const auto read = [&](const char* name, const std::string& text) {
            std::ofstream(at(name), std::ios::binary) << text; // Hundreds of them: nothing has to last.
            return sparserl_bundle::read_matrix(at(name));
        };
        const std::string head = "%%MatrixMarket matrix coordinate ";
        // Any order, duplicates, comments, an empty row; mirrored entries.
        const auto m =
            read("a.mtx", head + "real general\n% comment\n\n3 2 4\n3 2 5\n1 2 2\n1 1 1\n1 2 0.5\n");
        QCOMPARE(m.row_ptr, (std::vector<std::int32_t>{0, 2, 2, 3}));
        QCOMPARE(m.col, (std::vector<std::int32_t>{0, 1, 1}));
        QCOMPARE(m.val, (std::vector<real>{1, 2.5, 5}));
        const auto s = read("s.mtx", head + "pattern symmetric\n2 2 2\n1 1\n2 1\n");
        QCOMPARE(s.val, (std::vector<real>{1, 1, 1}));
        const auto k = read("k.mtx", head + "Integer skew-symmetric\n2 2 1\n2 1 3\n");
        QCOMPARE(k.val, (std::vector<real>{-3, 3}));
        // The bundle's own format, and what is cut from it, lies or is no matrix.
        Csr engine = randomMatrix(9, 7, 0.4, 2);
        for (const float value : engine.val) // What floats cannot hold.
            engine.val64.push_back(value * (1 + 0x1p-40));
        const std::string whole = bundleContents(requestFor(ownProgram, engine))->at("matrix.csr");
        const std::vector<real> wanted(engine.val64.begin(), engine.val64.end());
        const auto own = read("own.csr", whole);
        QCOMPARE(own.row_ptr, engine.rowPtr);
        QCOMPARE(own.col, engine.col);
        QCOMPARE(own.val, wanted);
        // That of a bundle in the other type.
        const auto other =
            read("other.csr", bundleContents(requestFor(otherProgram, engine))->at("matrix.csr"));
        QCOMPARE(other.col, engine.col);
        QCOMPARE(other.val, std::vector<real>(engine.val.begin(), engine.val.end()));
        const auto refused = [&](const std::string& text) {
            try {
                read("bad", text);
            } catch (const std::runtime_error& problem) {
                return std::string(problem.what()).find("bad: ") != std::string::npos;
            }
            return false;
        };
        for (std::size_t cut = 0; cut < whole.size(); ++cut)
            QVERIFY2(refused(whole.substr(0, cut)), std::to_string(cut).c_str());
        for (std::size_t place : {8, 24, 32, 36, 32 + 4 * 9}) {
            for (const char value : {'\x7f', '\xff'}) {
                std::string wrong = whole;
                wrong[place + 3] = value;
                QVERIFY2(refused(wrong), std::to_string(place).c_str());
            }
        }
        for (const char* text :
             {"", "text", "real general\n", "real general\n2 2\n", "complex general\n1 1 1\n1 1 1 1\n",
              "real general\n2 2 1\n3 1 1\n", "real general\n2 2 1\n1 0 1\n", "real general\n2 2 2\n1 1 1\n",
              "real general\n-1 2 0\n", "real general\n9999999999 2 0\n", "real hermitian\n1 1 1\n1 1 1\n"})
            QVERIFY2(refused(head + text), text);
        QVERIFY_EXCEPTION_THROWN(sparserl_bundle::read_matrix(at("missing")), std::runtime_error);
    }
};

QTEST_GUILESS_MAIN(TestBundleFiles)
#include "tst_bundle_files.moc"
