// SPDX-License-Identifier: Apache-2.0
// The table of kernel families: what each file says of its family fits together.
#include "base/rng.h"
#include "corpus/family.h"
#include "corpus/program_shape.h"
#include "corpus/spmv_estimate.h"
#include "machine/device_model.h"

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
        for (const KernelFamily& one : kernelFamilies()) {
            const char* id = one.family.id.c_str();
            QVERIFY2(ids.insert(one.family.id).second, id);
            QVERIFY2(!one.family.name.empty() && one.recognise, id);
            if (!one.write)
                continue; // Only recognised.
            QVERIFY2(!one.family.description.empty() && !one.family.parameters.empty(), id);
            if (const auto* spmm = std::get_if<SpmmRules>(&one.rules)) {
                QVERIFY2(spmm->work && spmm->reason && !spmm->grids.empty(), id);
                QVERIFY2(!spmm->reason(evenRows(), {32}).empty(), id);
                QVERIFY2(!spmm->fits.empty() && spmm->fits.back().parameter.empty(), id);
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
            const auto* spmm = std::get_if<SpmmRules>(&one.rules);
            const auto& grids = spmv ? spmv->grids : spmm->grids;
            const auto& fits = spmv ? spmv->fits : spmm->fits;
            std::vector<std::pair<std::string, std::int64_t>> named;
            for (const ParameterGrid& grid : grids) {
                for (const auto& [name, values] : grid) {
                    for (const std::int64_t value : values)
                        named.emplace_back(name, value);
                }
            }
            for (const EstimateFit& fit : fits) {
                if (!fit.parameter.empty())
                    named.emplace_back(fit.parameter, fit.value);
                for (const EstimateFit::Factor& factor : fit.factors) {
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
        const SpmvMatrix matrix(evenRows(), spmvDevice(defaultDeviceModel()));
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
        // In double precision values take twice the bytes, columns and offsets what they took.
        const SpmvMatrix doubles(evenRows(), spmvDevice(defaultDeviceModel()), ElementType::F64);
        const auto ofType = [&](const char* id, const FamilyParameters& parameters) {
            return spmvRules(id).work(doubles, completed(id, parameters)).value();
        };
        QCOMPARE(ofType("S10", {{"block", 64}, {"batch", 4}}).bytes, 48000.0);
        QCOMPARE(ofType("S10", {{"block", 64}, {"batch", 4}}).inFlight, 48.0);
        QCOMPARE(ofType("S10", {{"block", 64}, {"batch", 4}}).instructions, ell->instructions);
        QCOMPARE(ofType("S13", {{"rows", 2}, {"clamp", 1}, {"unroll", 4}}).bytes, 40000.0);
        QCOMPARE(ofType("S7", {{"items", 8}, {"clear", 1}}).bytes, 12.0 * 4000 + 4.0 * 1000 + 4000.0 / 8 * 4);
        QCOMPARE(doubles.csrBytes(true), 10.0 * 4000 + 8.0 * 1000);
        QCOMPARE(matrix.csrBytes(true), 6.0 * 4000 + 8.0 * 1000);
        // Half as many lanes for double precision on an H200: two slots for each product, one more.
        QCOMPARE(doubles.doubleInstructions(8), 32000.0 * (doubles.device.doubleSlots - 1));
        QVERIFY(doubles.device.doubleSlots > 1);
        QCOMPARE(matrix.doubleInstructions(8), 0.0);
        // Nothing of it is stored in dense blocks.
        QVERIFY(!spmvRules("S14").work(matrix, completed("S14", {})));
        // Every entry: 4 MB.
        QCOMPARE(spmvRules("dense").work(matrix, completed("dense", {}))->bytes, 4e6);
    }

    void figuresOfDevicesAreInProportion()
    {
        // The weights were fitted with these: not one bit may change.
        const SpmvDevice fitted = spmvDevice(defaultDeviceModel());
        QCOMPARE(fitted.sms, 132.0);
        QCOMPARE(fitted.threadsPerSm, 2048.0);
        QCOMPARE(fitted.registersPerSm, 65536.0);
        QVERIFY(fitted.dramBytesPerUs == 4.4e6 && fitted.l2BytesPerUs == 7.5e6 && fitted.l2Bytes == 45e6);
        QVERIFY(fitted.l1Columns == 40e3 && fitted.smBytesPerUs == 0.1e6 && fitted.shuffleUs == 0.014);
        QVERIFY(fitted.lanesPerUs == 132.0 * 128.0 * 1700);
        QVERIFY(fitted.l2LatencyUs == 0.16 && fitted.dramLatencyUs == 0.4);
        QVERIFY(fitted.call == 1 && fitted.launch == 1 && fitted.clear == 1 && fitted.block == 1 &&
                fitted.atomic == 1);

        DeviceModel half = defaultDeviceModel();
        half.smCount = 66;
        half.dramGBps /= 2;
        half.l2Bytes /= 4;
        half.clockGHz *= 2;
        half.nextLaunchMicroseconds *= 3;
        const SpmvDevice other = spmvDevice(half);
        QCOMPARE(other.sms, 66.0);
        QCOMPARE(other.dramBytesPerUs, 2.2e6);
        QCOMPARE(other.l2Bytes, 11.25e6);
        QCOMPARE(other.l2LatencyUs, 0.08);
        QCOMPARE(other.lanesPerUs, fitted.lanesPerUs); // Half the SMs at twice the clock.
        QCOMPARE(other.block, 1.0);
        QCOMPARE(other.launch, 3.0);
        QCOMPARE(other.atomic, 0.5);
    }

    void anotherDeviceHasOtherTerms()
    {
        // A matrix far beyond both caches: its bytes come from DRAM, in eight times the time at an eighth of
        // the rate.
        MatrixFeatures f = evenRows();
        f.rows = f.cols = 40'000'000;
        f.nnz = 160'000'000;
        DeviceModel slow = defaultDeviceModel();
        slow.dramGBps /= 8;
        const FamilyParameters parameters = completed("S2", {{"lanes", 4}});
        const SpmvEstimate one(f, spmvDevice(defaultDeviceModel())), other(f, spmvDevice(slow));
        const auto a = one.terms(spmvRules("S2"), parameters), b = other.terms(spmvRules("S2"), parameters);
        QCOMPARE(a.size(), std::size_t(15));
        for (std::size_t i = 0; i < a.size(); ++i)
            QCOMPARE(b[i], i == 6 ? 8 * a[i] : a[i]);
        QVERIFY(a[6] > 0);
        QVERIFY(other.microseconds(spmvRules("S2"), parameters) >
                one.microseconds(spmvRules("S2"), parameters));
    }

    void recommendationsAreForADevice()
    {
        // Rows that leave an H200 half idle fill a device of a few multiprocessors.
        MatrixFeatures f = evenRows();
        f.rows = f.cols = 20'000;
        f.nnz = 80'000;
        f.bandwidthMax = 19'999;
        f.diagonals = 30'000;
        DeviceModel small = defaultDeviceModel();
        small.smCount = 4;
        for (const auto& [task, columns] : {std::pair{Task::SpMV, 1}, std::pair{Task::SpMM, 32}}) {
            const auto large = recommend(task, f, defaultDeviceModel(), columns);
            const auto few = recommend(task, f, small, columns);
            const bool same = std::equal(large.begin(), large.end(), few.begin(), few.end(),
                                         [](const Candidate& a, const Candidate& b) {
                                             return a.family == b.family && a.parameters == b.parameters &&
                                                    a.score == b.score;
                                         });
            QVERIFY(!same && !large.empty() && !few.empty());
            // In double precision a program that needs too much shared memory is not among them.
            for (const Candidate& candidate : recommend(task, f, small, columns, ElementType::F64))
                QVERIFY(derive(candidate.family, candidate.parameters, {}, true, ElementType::F64));
        }
    }

    void fitsAreChosenByParameters()
    {
        const SpmvRules& binning = spmvRules("S15");
        QCOMPARE(binning.fits.size(), std::size_t(2));
        QCOMPARE(&fitOf(binning.fits, completed("S15", {{"mode", 2}})), &binning.fits.front());
        QCOMPARE(&fitOf(binning.fits, completed("S15", {{"mode", 0}})), &binning.fits.back());
        EstimateFit fit;
        fit.factors = {{"block", 64, 1.5}, {"batch", 4, 0.5}, {"batch", 8, 7}};
        QCOMPARE(factorOf(fit, {{"block", 64}, {"batch", 4}}), 0.75);
        QCOMPARE(factorOf(fit, {{"block", 128}}), 1.0);
    }
};

QTEST_GUILESS_MAIN(TestFamilies)
#include "tst_families.moc"
