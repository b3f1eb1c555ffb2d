// SPDX-License-Identifier: Apache-2.0
#include "base/rng.h"
#include "corpus/corpus.h"
#include "kernel/bind.h"
#include "kernel/verifier.h"
#include "machine/device_model.h"
#include "matrix/features.h"
#include "target/family_names.h"

#include <QTest>
#include <cmath>
#include <fmt/format.h>
#include <set>

using namespace sparserl;

namespace {

/// Row r has lengths[r] entries in the first columns; values 1, 2, 3, ...
Csr matrixOf(const std::vector<int>& lengths, int cols)
{
    Csr m;
    m.rows = static_cast<std::int32_t>(lengths.size());
    m.cols = cols;
    for (int length : lengths) {
        for (int c = 0; c < length; ++c) {
            m.col.push_back(c);
            m.val.push_back(static_cast<float>(m.val.size() + 1));
        }
        m.rowPtr.push_back(static_cast<std::int32_t>(m.col.size()));
    }
    return m;
}

std::vector<DerivedProgram> manyPrograms(int perVariety)
{
    std::vector<DerivedProgram> programs;
    Rng rng(11);
    for (double variety : {0.0, 0.3, 0.6, 1.0}) {
        for (int i = 0; i < perVariety; ++i) {
            SampleOptions options;
            options.variety = variety;
            auto program = sampleProgram(Task::SpMV, options, rng);
            if (!program)
                qFatal("%s", program.error().what.c_str());
            programs.push_back(std::move(*program));
        }
    }
    return programs;
}

} // namespace

class TestCorpus : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // Lists and the window name families without the corpus.
    void familiesAreNamedAlike()
    {
        for (const Task task : {Task::SpMV, Task::SpMM})
            for (const Family& family : families(task)) {
                QCOMPARE(std::string(familyName(family.id)), family.name);
                QVERIFY(!familiesNamed(family.name).empty());
            }
        QVERIFY(familyName("S0").empty());
        QCOMPARE(familiesNamed("ell"), (std::vector<std::string>{"S10", "S11", "S12", "M14", "M15"}));
    }

    void derivedProgramsAreWhole()
    {
        const Csr m = matrixOf({3, 0, 1, 5, 2}, 6);
        for (const DerivedProgram& program : manyPrograms(300)) {
            const auto parsed = parseProgram(program.text);
            QVERIFY2(parsed, parsed ? "" : (parsed.error().reason + "\n" + program.text).c_str());
            const auto bound = bindPlan(parsed->plan, {m, {1}}, {});
            QVERIFY2(bound, bound ? "" : (bound.error().reason + "\n" + program.text).c_str());
            IncrementalVerifier verifier;
            auto stop = verifier.feed(program.text);
            if (!stop)
                stop = verifier.finish();
            QVERIFY2(!stop, stop ? (stop->reason + "\n" + program.text).c_str() : "");
            QVERIFY(verifier.mode() == IncrementalVerifier::Mode::Full);
        }
    }

    void familiesAreRecognised()
    {
        for (const DerivedProgram& program : manyPrograms(300)) {
            const auto family = identifyFamily(program.text);
            QVERIFY2(family && *family == program.family,
                     fmt::format("{} taken for {}\n{}", program.family, family.value_or("none"), program.text)
                         .c_str());
        }
        QVERIFY(!identifyFamily(""));
        QVERIFY(!identifyFamily("int main() {}"));
    }

    void foreignProgramsAreRecognised()
    {
        // Written by hand in other styles than the grammar's.
        const std::string head =
            "//! task spmv\n//! launch f<<<rows, 64>>>(csr.row_ptr, csr.col, csr.val, x, y)\n";
        const auto is = [](const std::string& text, const char* family) {
            return identifyFamily(text) == family;
        };
        QVERIFY(is(
            head + "__global__ void f() { int gid = threadIdx.x + blockDim.x * blockIdx.x; y[gid] = 0; }\n",
            "S1"));
        QVERIFY(is(head + "__global__ void f() { int w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5; s += "
                          "__shfl_down_sync(~0u, s, 16); }\n",
                   "S3"));
        QVERIFY(is(head + "__global__ void f() { int w = (blockIdx.x * 64 + threadIdx.x) >> 2; s += "
                          "__shfl_xor_sync(~0u, s, 2); }\n",
                   "S2"));
        QVERIFY(is(
            head + "__global__ void f() { __shared__ float s[64]; int r = blockIdx.x; __syncthreads(); }\n",
            "S4"));
        QVERIFY(is(head + "__global__ void f() { atomicAdd(y, 1.f); }\n", "S7"));
        QVERIFY(is("//! task spmv\n//! format A = sell(slice=4, sigma=4)\n//! launch f<<<1, 64>>>(A.val, x, "
                   "y)\n__global__ void f() {}\n",
                   "S11"));
        QVERIFY(is(
            "//! task spmv\n//! format coo\n//! launch f<<<1, 64>>>(coo.val, x, y)\n__global__ void f() {}\n",
            "S8"));
    }

    void everyFamilyAndValueIsDrawn()
    {
        std::set<std::string> seen;
        std::set<std::string> texts;
        for (const DerivedProgram& program : manyPrograms(1500)) {
            texts.insert(program.text);
            for (const auto& [name, value] : program.parameters)
                seen.insert(fmt::format("{} {}={}", program.family, name, value));
        }
        for (const Family& family : families(Task::SpMV)) {
            for (const FamilyParameter& parameter : family.parameters) {
                for (std::int64_t value : parameter.values)
                    QVERIFY2(seen.count(fmt::format("{} {}={}", family.id, parameter.name, value)),
                             family.id.c_str());
            }
        }
        QVERIFY(texts.size() > 2000);
    }

    void parametersChangeTheProgram()
    {
        // Each value of each parameter gives a text of its own, in constants and in literals.
        for (const Family& family : families(Task::SpMV)) {
            for (bool literal : {false, true}) {
                Style style;
                style.literalParameters = literal;
                for (const FamilyParameter& parameter : family.parameters) {
                    std::set<std::string> texts;
                    for (std::int64_t value : parameter.values) {
                        const auto program = derive(family.id, {{parameter.name, value}}, style);
                        QVERIFY(program);
                        QCOMPARE(program->parameters.at(parameter.name), value);
                        texts.insert(program->text);
                    }
                    QCOMPARE(texts.size(), parameter.values.size());
                }
            }
        }
    }

    void thereAreHundredThousandPrograms()
    {
        // A lower bound: parameters combine freely, and so do the style's switches; a switch counts for a
        // family if it alone changes the text of the family's first program.
        const std::vector<void (*)(Style&)> switches = {[](Style& s) { s.literalParameters = true; },
                                                        [](Style& s) { s.readOnlyLoads = true; },
                                                        [](Style& s) { s.restrictPointers = true; },
                                                        [](Style& s) { s.butterfly = true; },
                                                        [](Style& s) { s.fusedCalls = true; },
                                                        [](Style& s) { s.launchBounds = true; },
                                                        [](Style& s) { s.guardBlock = true; },
                                                        [](Style& s) { s.braceOnOwnLine = true; },
                                                        [](Style& s) { s.comments = 1; },
                                                        [](Style& s) { s.indent = 2; }};
        double programs = 0;
        for (const Family& family : families(Task::SpMV)) {
            const std::string plain = derive(family.id, {}, {})->text;
            std::set<std::string> texts;
            double count = 3; // Canonical, short and long names.
            for (const auto& change : switches) {
                Style style;
                change(style);
                const std::string text = derive(family.id, {}, style)->text;
                texts.insert(text);
                count *= text != plain ? 2 : 1;
            }
            for (const FamilyParameter& parameter : family.parameters)
                count *= static_cast<double>(parameter.values.size());
            programs += count;
        }
        qInfo("%.3g programs at least", programs);
        QVERIFY(programs >= 100'000);

        // And drawn ones hardly ever repeat.
        Rng rng(4);
        SampleOptions options;
        options.variety = 1;
        std::set<std::size_t> texts;
        constexpr std::size_t draws = 20'000;
        for (std::size_t i = 0; i < draws; ++i)
            texts.insert(std::hash<std::string>()(sampleProgram(Task::SpMV, options, rng)->text));
        qInfo("%zu of %zu draws are distinct", texts.size(), draws);
        QVERIFY(texts.size() >= draws * 99 / 100);
    }

    void lengthsStayInBudget()
    {
        // 250 tokens of a byte-level BPE learnt on this text are about 3.5 bytes each or more.
        Rng rng(5);
        // Programs that are to be sampled within that many tokens ask for it by bytes.
        SampleOptions options;
        options.variety = 0.4;
        options.maxBytes = 1100;
        std::size_t longest = 0, total = 0;
        for (int i = 0; i < 2000; ++i) {
            const auto program = sampleProgram(Task::SpMV, options, rng);
            QVERIFY(program);
            longest = std::max(longest, program->text.size());
            total += program->text.size();
        }
        qInfo("mean %zu bytes, longest %zu", total / 2000, longest);
        QVERIFY(longest <= 1100 && total / 2000 <= 850);
        // The longest families still are a screen or two.
        options.maxBytes = 64 * 1024;
        options.variety = 1;
        for (int i = 0; i < 500; ++i)
            QVERIFY(sampleProgram(Task::SpMV, options, rng)->text.size() <= 6000);
        options.variety = 0.4;

        options.maxBytes = 560;
        for (int i = 0; i < 100; ++i) {
            const auto program = sampleProgram(Task::SpMV, options, rng);
            QVERIFY(program && program->text.size() <= 560);
        }
        options.maxBytes = 100;
        QVERIFY(!sampleProgram(Task::SpMV, options, rng));
    }

    void sameSeedSameProgram()
    {
        Rng a(3), b(3);
        for (int i = 0; i < 50; ++i)
            QCOMPARE(sampleProgram(Task::SpMV, {}, a)->text, sampleProgram(Task::SpMV, {}, b)->text);
        Rng c(1), d(2);
        SampleOptions plain;
        plain.variety = 0;
        plain.families = {"S3"};
        QCOMPARE(Style::sample(0, c).seed, Style{}.seed);
        QVERIFY(sampleProgram(Task::SpMV, plain, d));
    }

    /// The same families and draws in double precision, without a word of float32 left.
    void inFloat64()
    {
        SampleOptions options;
        options.type = ElementType::F64;
        Rng rng(4), same(4);
        for (int i = 0; i < 600; ++i) {
            const Task task = i % 2 == 0 ? Task::SpMV : Task::SpMM;
            const auto program = sampleProgram(task, options, rng);
            QVERIFY(program);
            QVERIFY(program->text.starts_with(fmt::format("//! task {} f64\n", nameOf(task))));
            QVERIFY2(program->text.find("float") == std::string::npos &&
                         program->text.find("f32") == std::string::npos &&
                         program->text.find(".0f") == std::string::npos &&
                         program->text.find("fmaf") == std::string::npos,
                     program->text.c_str());
            QCOMPARE(sampleProgram(task, options, same)->text, program->text);
            const auto parsed = parseProgram(program->text);
            QVERIFY(parsed && parsed->plan.type == ElementType::F64);
            IncrementalVerifier verifier;
            const auto stop = verifier.feed(program->text);
            QVERIFY2(!stop && !verifier.finish(), stop ? stop->reason.c_str() : "");
            QCOMPARE(identifyFamily(program->text).value_or(""), program->family);
        }
        // Eight thousand doubles are more than a block may share; as many floats are not.
        QVERIFY(derive("S18", {{"width", 8192}}, {}));
        QVERIFY(!derive("S18", {{"width", 8192}}, {}, true, ElementType::F64));
    }

    void refusals()
    {
        Rng rng(1);
        QVERIFY(!derive("S99", {}, {}));
        QVERIFY(!derive("S1", {{"lanes", 4}}, {}));
        QVERIFY(!derive("S1", {{"block", 100}}, {}));
        SampleOptions options;
        options.families = {"S99"};
        QVERIFY(!sampleProgram(Task::SpMV, options, rng));
        options.families = {"M1"};
        QVERIFY(!sampleProgram(Task::SpMV, options, rng));
        QCOMPARE(parametersJson({{"lanes", 8}, {"block", 128}}), std::string("{\"block\":128,\"lanes\":8}"));
    }

    void recommendationsFollowTheRules()
    {
        const auto best = [](const Csr& m) {
            return recommend(Task::SpMV, computeFeatures(m), defaultDeviceModel()).at(0).family;
        };
        // Tridiagonal.
        Csr tri;
        tri.rows = tri.cols = 500;
        for (int r = 0; r < 500; ++r) {
            for (int c = std::max(0, r - 1); c <= std::min(499, r + 1); ++c) {
                tri.col.push_back(c);
                tri.val.push_back(1);
            }
            tri.rowPtr.push_back(static_cast<std::int32_t>(tri.col.size()));
        }
        QVERIFY2(best(tri) == "S13" || best(tri) == "S10", best(tri).c_str());
        // Few rows of 2,000 entries.
        const std::string few = best(matrixOf({2000, 1500, 2100, 1800, 900}, 25000));
        QVERIFY2(few == "S4" || few == "S15", few.c_str());
        // Half of the entries are there: indices cost more than zeros.
        QCOMPARE(best(matrixOf({300, 250, 380, 220, 390, 310, 280, 330}, 400)), std::string("dense"));
        // Equal short rows whose columns lie on many diagonals, enough of them to fill a device.
        const int many = 400000;
        Rng rng(2);
        Csr equal;
        equal.rows = equal.cols = many;
        for (int r = 0; r < many; ++r) {
            const int first = static_cast<int>(rng.below(static_cast<std::uint64_t>(many) - 400));
            for (int c : {first, first + 7, first + 90, first + 333}) {
                equal.col.push_back(c);
                equal.val.push_back(1);
            }
            equal.rowPtr.push_back(static_cast<std::int32_t>(equal.col.size()));
        }
        QVERIFY2(best(equal) == "S10" || best(equal) == "S11", best(equal).c_str());
        // Rows of about 12 entries on a small matrix: part of a warp each.
        std::vector<int> medium;
        for (int r = 0; r < 900; ++r)
            medium.push_back(6 + r * 37 % 11);
        const auto forMedium =
            recommend(Task::SpMV, computeFeatures(matrixOf(medium, 4000)), defaultDeviceModel());
        QVERIFY(std::any_of(forMedium.begin(), forMedium.begin() + 12,
                            [](const Candidate& candidate) { return candidate.family == "S2"; }));
        // One long row among short ones: padding everything to it must not come first.
        std::vector<int> skew(2000, 3);
        skew[7] = 1900;
        QVERIFY(best(matrixOf(skew, 2000)) != "S10");

        for (const Csr& m : {Csr{}, matrixOf({0, 0}, 3), tri, equal, matrixOf(skew, 2000)}) {
            const auto candidates = recommend(Task::SpMV, computeFeatures(m), defaultDeviceModel());
            QVERIFY(!candidates.empty() && candidates.size() <= 80);
            std::set<std::string> texts, recommendedFamilies;
            for (const Candidate& candidate : candidates) {
                texts.insert(derive(candidate.family, candidate.parameters, {})->text);
                recommendedFamilies.insert(candidate.family);
            }
            QCOMPARE(texts.size(), candidates.size());
            if (m.nnz() > 0)
                QVERIFY(texts.size() >= 20 && recommendedFamilies.size() >= 6);
            for (const Candidate& candidate : candidates) {
                QVERIFY(derive(candidate.family, candidate.parameters, {}));
                QVERIFY(candidate.score > 0 && candidate.score <= 1 && !candidate.reason.empty());
            }
        }
    }

    void referenceIsPlainCsr()
    {
        const ReferenceProgram reference = referenceProgram(Task::SpMV);
        QVERIFY(parseProgram(reference.text));
        QCOMPARE(identifyFamily(reference.text).value_or(""), std::string("S3"));
        QVERIFY(reference.name.find("CSR") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestCorpus)
#include "tst_corpus.moc"
