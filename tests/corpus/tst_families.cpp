// SPDX-License-Identifier: Apache-2.0
// The table of kernel families: what each file says of its family fits together.
#include "base/rng.h"
#include "corpus/family.h"
#include "corpus/program_shape.h"
#include "corpus/spmv_estimate.h"

#include <QTest>
#include <algorithm>
#include <fmt/format.h>
#include <set>

using namespace sparserl;

namespace {

/// Whether the family has this parameter with this value.
bool allows(const KernelFamily& one, const std::string& name, std::int64_t value)
{
    for (const FamilyParameter& parameter : one.family.parameters) {
        if (parameter.name == name)
            return std::find(parameter.values.begin(), parameter.values.end(), value) !=
                   parameter.values.end();
    }
    return false;
}

const SpmvRules& spmvRules(const char* id)
{
    return std::get<SpmvRules>(findKernelFamily(id)->rules);
}

FamilyParameters completed(const char* id, FamilyParameters parameters)
{
    for (const FamilyParameter& parameter : findKernelFamily(id)->family.parameters)
        parameters.emplace(parameter.name, parameter.values.front());
    return parameters;
}

/// 1,000 rows of 4 entries in 1,000 columns.
MatrixFeatures evenRows()
{
    MatrixFeatures f;
    f.rows = f.cols = 1000;
    f.nnz = 4000;
    f.rowMean = 4;
    f.rowMax = f.rowMin = f.rowQ50 = f.rowQ80 = f.rowQ99 = 4;
    f.ellRatio = 1;
    f.columnGap = 1;
    f.windowReuse = 1;
    f.diagonals = 5;
    return f;
}

} // namespace

class TestFamilies : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyFamilyIsWhole()
    {
        std::set<std::string> ids;
        std::set<int> places;
        for (const KernelFamily& one : kernelFamilies()) {
            const char* id = one.family.id.c_str();
            QVERIFY2(ids.insert(one.family.id).second, id);
            QVERIFY2(!one.family.name.empty() && one.recognise, id);
            if (!one.write)
                continue; // Only recognised.
            QVERIFY2(!one.family.description.empty() && !one.family.parameters.empty(), id);
            if (const auto* spmm = std::get_if<SpmmRules>(&one.rules)) {
                QVERIFY2(spmm->propose && spmm->firstTries > 0 && places.insert(spmm->place).second, id);
                continue;
            }
            const auto& spmv = std::get<SpmvRules>(one.rules);
            QVERIFY2(spmv.work && spmv.reason && !spmv.grids.empty(), id);
            QVERIFY2(!spmv.reason(evenRows()).empty(), id);
            // Every program has a fit: the last is for all.
            QVERIFY2(!spmv.fits.empty() && spmv.fits.back().parameter.empty(), id);
        }
        QVERIFY(!findKernelFamily("S99"));
        QVERIFY(findKernelFamily("S16") && !findFamily("S16"));
    }

    void gridsAndFactorsNameWhatThereIs()
    {
        for (const KernelFamily& one : kernelFamilies()) {
            const auto* spmv = std::get_if<SpmvRules>(&one.rules);
            if (!spmv)
                continue;
            std::vector<std::pair<std::string, std::int64_t>> named;
            for (const ParameterGrid& grid : spmv->grids) {
                for (const auto& [name, values] : grid) {
                    for (const std::int64_t value : values)
                        named.emplace_back(name, value);
                }
            }
            for (const SpmvFit& fit : spmv->fits) {
                if (!fit.parameter.empty())
                    named.emplace_back(fit.parameter, fit.value);
                for (const SpmvFit::Factor& factor : fit.factors) {
                    named.emplace_back(factor.parameter, factor.value);
                    QVERIFY(factor.factor > 0.3 && factor.factor < 3);
                }
            }
            for (const auto& [name, value] : named)
                QVERIFY2(allows(one, name, value),
                         fmt::format("{} has no {} = {}", one.family.id, name, value).c_str());
        }
    }

    void oneFamilyIsSurest()
    {
        // The order of the table decides nothing: no two families are equally sure of a program.
        Rng rng(3);
        for (const Task task : {Task::SpMV, Task::SpMM}) {
            for (int i = 0; i < 600; ++i) {
                SampleOptions options;
                options.variety = (i % 4) / 3.0;
                const auto program = sampleProgram(task, options, rng);
                QVERIFY(program);
                const ProgramShape shape = shapeOf(program->text);
                std::vector<int> answers;
                for (const KernelFamily& one : kernelFamilies()) {
                    if (one.task() == task)
                        answers.push_back(one.recognise(shape));
                }
                std::sort(answers.rbegin(), answers.rend());
                QVERIFY2(answers[0] > answers[1], program->text.c_str());
            }
        }
    }

    void windowsAreRecognised()
    {
        QCOMPARE(
            identifyFamily("//! task spmv\n//! format windows\n//! launch f<<<1, 64>>>(windows.col, x, y)\n"
                           "__global__ void f() {}\n")
                .value_or(""),
            std::string("S16"));
    }

    void workIsReckonedByHand()
    {
        const SpmvMatrix matrix(evenRows(), {});
        // A padded row per thread: four loads of 8 bytes each, in one round of four.
        const auto ell = spmvRules("S10").work(matrix, completed("S10", {{"block", 64}, {"batch", 4}}));
        QVERIFY(ell);
        QCOMPARE(ell->bytes, 32000.0);
        QCOMPARE(ell->threads, 1000.0);
        QCOMPARE(ell->block, 64.0);
        QCOMPARE(ell->chain, 2.0);
        QCOMPARE(ell->inFlight, 32.0);
        // Five diagonals of 1,000 values, two rows a thread.
        const auto dia =
            spmvRules("S13").work(matrix, completed("S13", {{"rows", 2}, {"clamp", 1}, {"unroll", 4}}));
        QVERIFY(dia);
        QCOMPARE(dia->bytes, 20000.0);
        QCOMPARE(dia->threads, 500.0);
        QCOMPARE(dia->chain, 3.0);
        QCOMPARE(dia->instructions, 52000.0);
        // Eight entries a thread; y is cleared by a kernel of its own.
        const auto split = spmvRules("S7").work(matrix, completed("S7", {{"items", 8}, {"clear", 1}}));
        QVERIFY(split);
        QCOMPARE(split->bytes, 8.0 * 4000 + 4.0 * 1000 + 4000.0 / 8 * 4);
        QCOMPARE(split->threads, 500.0);
        QCOMPARE(split->launches, 2.0);
        QCOMPARE(split->zeroed, 0.0);
        // Nothing of it is stored in dense blocks.
        QVERIFY(!spmvRules("S14").work(matrix, completed("S14", {})));
        // Every entry: 4 MB.
        QCOMPARE(spmvRules("dense").work(matrix, completed("dense", {}))->bytes, 4e6);
    }

    void fitsAreChosenByParameters()
    {
        const SpmvRules& binning = spmvRules("S15");
        QCOMPARE(binning.fits.size(), std::size_t(2));
        QCOMPARE(&fitOf(binning, completed("S15", {{"mode", 2}})), &binning.fits.front());
        QCOMPARE(&fitOf(binning, completed("S15", {{"mode", 0}})), &binning.fits.back());
        SpmvFit fit;
        fit.factors = {{"block", 64, 1.5}, {"batch", 4, 0.5}, {"batch", 8, 7}};
        QCOMPARE(factorOf(fit, {{"block", 64}, {"batch", 4}}), 0.75);
        QCOMPARE(factorOf(fit, {{"block", 128}}), 1.0);
    }
};

QTEST_GUILESS_MAIN(TestFamilies)
#include "tst_families.moc"
