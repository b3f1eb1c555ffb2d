// SPDX-License-Identifier: Apache-2.0
#include "base/rng.h"
#include "corpus/corpus.h"
#include "kernel/bind.h"
#include "kernel/verifier.h"
#include "machine/device_model.h"
#include "matrix/features.h"

#include <QTest>
#include <fmt/format.h>
#include <set>
#include <unordered_set>

using namespace sparserl;

namespace {

/// Row r has lengths[r] entries, spread over the columns.
Csr matrixOf(const std::vector<int>& lengths, int cols, int stride = 1)
{
    Csr m;
    m.rows = static_cast<std::int32_t>(lengths.size());
    m.cols = cols;
    for (std::size_t r = 0; r < lengths.size(); ++r) {
        std::set<std::int32_t> row;
        for (int k = 0; k < lengths[r]; ++k)
            row.insert(static_cast<std::int32_t>((r * 3 + static_cast<std::size_t>(k) * stride) % cols));
        m.col.insert(m.col.end(), row.begin(), row.end());
        m.rowPtr.push_back(static_cast<std::int32_t>(m.col.size()));
    }
    m.val.assign(m.col.size(), 1.0f);
    return m;
}

/// Rows of `each` full blocks of size x size, far apart.
Csr blocks(int blockRows, int size, int each)
{
    Csr m;
    m.rows = blockRows * size;
    m.cols = blockRows * size * 3;
    for (int r = 0; r < m.rows; ++r) {
        for (int b = 0; b < each; ++b) {
            const int first = (r / size + b * blockRows) * size;
            for (int c = 0; c < size; ++c)
                m.col.push_back(first + c);
        }
        m.rowPtr.push_back(static_cast<std::int32_t>(m.col.size()));
    }
    m.val.assign(m.col.size(), 1.0f);
    return m;
}

/// Diagonals 0, 5 and 50.
Csr band(int rows)
{
    Csr m;
    m.rows = rows;
    m.cols = rows + 50;
    for (int r = 0; r < rows; ++r) {
        for (int offset : {0, 5, 50})
            m.col.push_back(r + offset);
        m.rowPtr.push_back(static_cast<std::int32_t>(m.col.size()));
    }
    m.val.assign(m.col.size(), 1.0f);
    return m;
}

std::vector<DerivedProgram> manyPrograms(int perVariety, std::uint64_t seed = 11)
{
    std::vector<DerivedProgram> programs;
    Rng rng(seed);
    for (double variety : {0.0, 0.3, 0.6, 1.0}) {
        for (int i = 0; i < perVariety; ++i) {
            SampleOptions options;
            options.variety = variety;
            auto program = sampleProgram(Task::SpMM, options, rng);
            if (!program)
                qFatal("%s", program.error().what.c_str());
            programs.push_back(std::move(*program));
        }
    }
    return programs;
}

} // namespace

class TestCorpusSpmm : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void derivedProgramsAreWhole()
    {
        const Csr m = matrixOf({3, 0, 1, 5, 2}, 6);
        for (const DerivedProgram& program : manyPrograms(400)) {
            const auto parsed = parseProgram(program.text);
            QVERIFY2(parsed, parsed ? "" : (parsed.error().reason + "\n" + program.text).c_str());
            QVERIFY(parsed->plan.task == Task::SpMM);
            for (std::int64_t columns : {8, 32, 1024}) {
                const auto bound = bindPlan(parsed->plan, {m, {columns}}, {});
                QVERIFY2(bound, bound ? "" : (bound.error().reason + "\n" + program.text).c_str());
            }
            IncrementalVerifier verifier;
            auto stop = verifier.feed(program.text);
            if (!stop)
                stop = verifier.finish();
            QVERIFY2(!stop, stop ? (stop->reason + "\n" + program.text).c_str() : "");
            QVERIFY2(verifier.mode() == IncrementalVerifier::Mode::Full, program.text.c_str());
        }
    }

    void familiesAreRecognised()
    {
        for (const DerivedProgram& program : manyPrograms(400, 12)) {
            const auto family = identifyFamily(program.text);
            QVERIFY2(family && *family == program.family,
                     fmt::format("{} taken for {}\n{}", program.family, family.value_or("none"), program.text)
                         .c_str());
        }
    }

    void foreignProgramsAreRecognised()
    {
        const auto is = [](const std::string& plan, const std::string& code, const char* family) {
            return identifyFamily("//! task spmm\n" + plan + code + "\n") == family;
        };
        const std::string csr = "//! launch f<<<rows, 64>>>(csr.row_ptr, csr.col, csr.val, B, C)\n";
        QVERIFY(is(csr, "__global__ void f() { C[0] = 0; }", "M1"));
        QVERIFY(is(csr, "__global__ void f() { __shared__ int s[32]; __syncwarp(); C[0] = 0; }", "M2"));
        QVERIFY(
            is(csr, "__global__ void f() { __shared__ int s[32]; __syncwarp(); C[0] = 0; C[1] = 0; }", "M3"));
        QVERIFY(is(csr, "__global__ void f() { float4 a = *(float4*)B; C[0] = a.x; }", "M4"));
        QVERIFY(is(csr, "__global__ void f() { s += __shfl_xor_sync(~0u, s, 1); C[0] = s; }", "M7"));
        QVERIFY(is(csr, "__global__ void f() { __shared__ int s[32]; __syncthreads(); C[0] = 0; }", "M19"));
        QVERIFY(is("//! format bsr(block=4)\n//! launch f<<<1, 64>>>(bsr.val, B, C)\n",
                   "__global__ void f() {}", "M8"));
        QVERIFY(is("//! part p = rows with length in [0, 9)\n//! launch f<<<1, 64>>>(p.val, B, C)\n",
                   "__global__ void f() {}", "M11"));
    }

    void everyFamilyAndValueIsDrawn()
    {
        std::set<std::string> seen;
        for (const DerivedProgram& program : manyPrograms(2500)) {
            for (const auto& [name, value] : program.parameters)
                seen.insert(fmt::format("{} {}={}", program.family, name, value));
        }
        for (const Family& family : families(Task::SpMM)) {
            QVERIFY(!family.name.empty() && family.description.back() == '.');
            for (const FamilyParameter& parameter : family.parameters) {
                QVERIFY(!parameter.help.empty());
                for (std::int64_t value : parameter.values)
                    QVERIFY2(seen.count(fmt::format("{} {}={}", family.id, parameter.name, value)),
                             family.id.c_str());
            }
        }
    }

    void parametersChangeTheProgram()
    {
        for (const Family& family : families(Task::SpMM)) {
            for (bool literal : {false, true}) {
                Style style;
                style.literalParameters = literal;
                for (const FamilyParameter& parameter : family.parameters) {
                    std::set<std::string> texts;
                    for (std::int64_t value : parameter.values) {
                        const auto program = derive(family.id, {{parameter.name, value}}, style);
                        QVERIFY(program);
                        texts.insert(program->text);
                    }
                    QVERIFY2(texts.size() == parameter.values.size(),
                             (family.id + " " + parameter.name).c_str());
                }
            }
        }
    }

    void hundredThousandPrograms()
    {
        std::unordered_set<std::size_t> texts;
        Rng rng(4);
        SampleOptions options;
        options.variety = 0.6;
        int drawn = 0;
        for (; texts.size() < 100000 && drawn < 200000; ++drawn)
            texts.insert(std::hash<std::string>{}(sampleProgram(Task::SpMM, options, rng)->text));
        qInfo("%zu different programs in %d draws", texts.size(), drawn);
        QVERIFY(texts.size() >= 100000);
    }

    void widthsThatAreNoWholeVectorsGetASentence()
    {
        const Csr m = matrixOf({3, 0, 1, 5, 2}, 6);
        const auto program = derive("M4", {{"vec", 4}}, {});
        const auto parsed = parseProgram(program->text);
        QVERIFY(parsed);
        for (std::int64_t columns : {2, 3, 10, 33}) {
            const auto bound = bindPlan(parsed->plan, {m, {columns}}, {});
            QVERIFY(!bound);
            QVERIFY(bound.error().kind == BindFailure::Kind::PlanError);
            QVERIFY2(bound.error().reason.find("the program requires dense_cols % ") != std::string::npos,
                     bound.error().reason.c_str());
        }
    }

    void recommendationsFollowTheMatrix()
    {
        std::vector<int> skew(3000, 4);
        skew[17] = 2500;
        std::vector<int> dense(200, 90);
        const struct
        {
            const char* name;
            Csr matrix;
            const char* among; ///< A family that must be one of the first twelve candidates.
        } cases[] = {{"nothing", Csr{}, nullptr},
                     {"empty rows", matrixOf({0, 0}, 3), nullptr},
                     {"short rows", matrixOf(std::vector<int>(4000, 5), 9001, 37), "M4"},
                     {"skewed", matrixOf(skew, 2600), "M11"},
                     {"few long rows", matrixOf(std::vector<int>(300, 700), 3001, 3), "M19"},
                     {"almost full", matrixOf(dense, 100), "M18"},
                     {"dense blocks", blocks(4000, 4, 3), "M8"},
                     {"diagonals", band(100000), "M17"}};
        for (const auto& one : cases) {
            for (std::int64_t columns : {2, 3, 8, 10, 32, 100, 1024}) {
                const auto candidates =
                    recommend(Task::SpMM, computeFeatures(one.matrix), defaultDeviceModel(), columns);
                QVERIFY(candidates.size() <= 40);
                if (columns % 4 == 0)
                    QVERIFY2(candidates.size() >= 15, one.name);
                std::set<std::string> families, whole;
                for (const Candidate& c : candidates) {
                    const auto program = derive(c.family, c.parameters, {});
                    QVERIFY2(program, program ? "" : program.error().sentence().c_str());
                    const auto parsed = parseProgram(program->text);
                    QVERIFY(parsed);
                    const auto bound = bindPlan(parsed->plan, {one.matrix, {columns}}, {});
                    QVERIFY2(bound, bound ? "" : (bound.error().reason + "\n" + program->text).c_str());
                    QVERIFY(c.score > 0 && c.score <= 1 && !c.reason.empty());
                    families.insert(c.family);
                    whole.insert(c.family + parametersJson(c.parameters));
                }
                QCOMPARE(whole.size(), candidates.size());
                QVERIFY(families.size() >= 3);
                if (one.among && (columns == 8 || columns == 32)) {
                    bool found = false;
                    for (std::size_t k = 0; k < 12 && k < candidates.size(); ++k)
                        found = found || candidates[k].family == one.among;
                    QVERIFY2(
                        found,
                        qPrintable(
                            QStringLiteral("%1 with %2 columns").arg(QLatin1String(one.name)).arg(columns)));
                }
            }
        }
        const auto features = computeFeatures(matrixOf({3, 4, 5}, 6), 32);
        const auto a = recommend(Task::SpMM, features, defaultDeviceModel()),
                   b = recommend(Task::SpMM, features, defaultDeviceModel(), 32);
        QCOMPARE(a.size(), b.size());
        for (std::size_t i = 0; i < a.size(); ++i)
            QCOMPARE(parametersJson(a[i].parameters), parametersJson(b[i].parameters));
    }

    void referenceIsRowSplit()
    {
        const ReferenceProgram reference = referenceProgram(Task::SpMM);
        QVERIFY(parseProgram(reference.text));
        QCOMPARE(identifyFamily(reference.text).value_or(""), std::string("M1"));
        QVERIFY(reference.name.find("CSR") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestCorpusSpmm)
#include "tst_corpus_spmm.moc"
