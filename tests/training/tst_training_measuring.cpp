// SPDX-License-Identifier: Apache-2.0
// rl.measured_share and rl.matrix_clusters: what is measured, what is predicted, and how well.
#include "corpus/corpus.h"
#include "fake_judge.h"

#include "matrix/generate.h"
#include "training/work/measuring.h"
#include "verdict/names.h"

#include <QtTest>

#include <cmath>
#include <set>

using namespace sparserl;
using namespace sparserl::test;

namespace {

StageTarget targetOf(const std::string& text)
{
    auto csr = std::make_shared<const Csr>(*generate(text));
    return {{{.contents = digest(*csr), .name = text}, csr}, false};
}

/// Times that follow from what programs and matrices are: more lanes pay for long rows, blocks matter
/// little. Also counts what it was asked to measure.
class LawfulJudge : public FakeJudge
{
public:
    int measured = 0, checked = 0;

    Result<std::vector<VerdictRecord>>
    judge(const std::vector<JudgeRequest>& requests, const CancelToken& cancel,
          const std::function<void(std::size_t, const VerdictRecord&)>& done) override
    {
        auto records = FakeJudge::judge(requests, cancel, done);
        for (std::size_t i = 0; i < requests.size(); ++i) {
            auto& record = (*records)[i];
            const Csr& matrix = *requests[i].target.matrix;
            const double mean = static_cast<double>(matrix.nnz()) / static_cast<double>(matrix.rows);
            record.baselineMicroseconds = 5 + 0.01 * static_cast<double>(matrix.nnz());
            (requests[i].measured ? measured : checked) += 1;
            if (!record.warm)
                continue;
            const bool warps = requests[i].program.text().find("__shfl") != std::string::npos;
            const double block = requests[i].program.text().find("256") != std::string::npos ? 1.1 : 1.0;
            const double t =
                record.baselineMicroseconds * block * (warps ? 1.6 - 0.1 * mean : 0.6 + 0.1 * mean);
            record.warm = Timing{t, t, t, 3};
        }
        return records;
    }
};

/// Programs of two families in several styles.
std::vector<std::string> somePrograms(int count)
{
    std::vector<std::string> texts;
    Rng rng(5);
    std::set<std::string> seen;
    while (static_cast<int>(texts.size()) < count) {
        const bool warps = rng.chance(0.5);
        const auto program =
            derive(warps ? "S3" : "S1", {{"block", rng.chance(0.5) ? 128 : 256}}, Style::sample(0.9, rng));
        if (!program)
            qFatal("%s", program.error().sentence().c_str());
        if (seen.insert(program->text).second)
            texts.push_back(program->text);
    }
    return texts;
}

MeasuringOptions half()
{
    return {0.5, 0, 0.6, 7, defaultDeviceModel()};
}

std::vector<const StageTarget*> pointersTo(const std::vector<StageTarget>& targets)
{
    std::vector<const StageTarget*> pointers;
    for (const auto& target : targets)
        pointers.push_back(&target);
    return pointers;
}

std::string textOf(const std::vector<VerdictRecord>& records)
{
    std::string text;
    for (const auto& record : records)
        text += toJson(record).dump() + "\n";
    return text;
}

} // namespace

class TestTrainingMeasuring : public QObject
{
    Q_OBJECT

private:
    std::vector<StageTarget> m_targets{
        targetOf("banded(n=300,band=1,fill=1)"), targetOf("banded(n=300,band=6,fill=1)"),
        targetOf("random(rows=400,cols=400,mean=4)"), targetOf("random(rows=400,cols=400,mean=9)")};

    /// 24 of the programs on each matrix, others at every call.
    std::vector<CachedJudge::Request> requestsOf(const std::vector<std::string>& programs, int call) const
    {
        std::vector<CachedJudge::Request> requests;
        for (const auto& target : m_targets)
            for (int i = 0; i < 12; ++i)
                requests.push_back(
                    {programs[static_cast<std::size_t>(12 * call + i) % programs.size()], &target});
        return requests;
    }

private Q_SLOTS:
    void nearMatricesAreGrouped()
    {
        std::vector<std::vector<double>> places;
        Rng rng(3);
        for (int i = 0; i < 60; ++i) {
            const double x = 10.0 * (i % 3);
            places.push_back({x + rng.uniform(-1, 1), -x + rng.uniform(-1, 1)});
        }
        const auto groups = nearGroups(places, 3, 11);
        QCOMPARE(groups, nearGroups(places, 3, 11));
        QCOMPARE(std::set(groups.begin(), groups.end()).size(), std::size_t(3));
        for (std::size_t i = 3; i < places.size(); ++i)
            QCOMPARE(groups[i], groups[i % 3]);
        // More groups than places: each its own; equal places are of one whatever is asked.
        const auto own = nearGroups({{0.0}, {1.0}, {5.0}}, 9, 1);
        QCOMPARE(std::set(own.begin(), own.end()).size(), std::size_t(3));
        QCOMPARE(nearGroups({{2.0}, {2.0}, {2.0}}, 2, 1), (std::vector<std::int64_t>{0, 0, 0}));
        QVERIFY(nearGroups({}, 2, 1).empty());
    }

    /// Measurements of one and the same thing: K = 0.8 J + ridge, whose inverse is known.
    void predictionsFollowFromTheFormula()
    {
        TimeModel model;
        const TimeTraits same{{1, 2}, {3}, "S1", 0};
        const int n = 20;
        double squares = 0;
        for (int i = 0; i < n; ++i) {
            QVERIFY(!model.ready());
            const double off = i % 2 == 0 ? 0.1 : -0.1;
            model.add(same, 2 + off);
            squares += off * off;
        }
        model.fit();
        QVERIFY(model.ready());
        const auto p = model.predict(same);
        QVERIFY(std::abs(p.mean - 2) < 1e-12);
        const double amplitude = std::sqrt(squares / 0.01 / n);
        const double left = 0.81 - 0.8 * 0.8 * n / (0.01 + 0.8 * n);
        QVERIFY(std::abs(p.deviation - amplitude * std::sqrt(left)) < 1e-9);
        // Far from everything known: the mean again, and less sure.
        const auto far = model.predict({{1e3, 2}, {3}, "S1", 0});
        QVERIFY(std::abs(far.mean - 2) < 1e-12);
        QVERIFY(std::abs(far.deviation - amplitude * std::sqrt(0.81)) < 1e-9);
    }

    void theModelComesBackToTheLastBit()
    {
        TimeModel model;
        Rng rng(2);
        const auto draw = [&] {
            return TimeTraits{{rng.uniform(-1, 1), rng.uniform(-1, 1)},
                              {rng.uniform(-1, 1)},
                              rng.chance(0.5) ? "S1" : "S3",
                              rng.uniform(-1, 1)};
        };
        for (int i = 0; i < 70; ++i)
            model.add(draw(), rng.uniform(-1, 1));
        model.fit();
        TimeModel other;
        QVERIFY(other.restore(nlohmann::json::parse(model.state().dump())));
        for (int i = 0; i < 20; ++i) {
            const auto traits = draw();
            QCOMPARE(other.predict(traits).mean, model.predict(traits).mean);
            QCOMPARE(other.predict(traits).deviation, model.predict(traits).deviation);
        }
        QVERIFY(!other.restore(nlohmann::json::parse("{\"rows\":[[1]]}")));
        QVERIFY(!other.restore({}));
    }

    void whatIsMeasured()
    {
        std::vector<MeasuringCandidate> candidates;
        Rng rng(9);
        for (int i = 0; i < 40; ++i)
            candidates.push_back({static_cast<std::size_t>(i % 4),
                                  {rng.uniform(-1, 1), rng.uniform(0.05, 0.3)},
                                  rng.uniform()});
        candidates[17].prediction.deviation = 0.9;
        for (const double share : {0.0, 0.3, 0.5, 0.9, 1.0}) {
            const auto reasons = chooseMeasured(candidates, share);
            const auto count = [&](MeasuringReason reason) {
                return std::count(reasons.begin(), reasons.end(), reason);
            };
            QVERIFY(40 - count(MeasuringReason::None) >= std::lround(40 * share));
            if (share <= 0.5)
                QVERIFY(40 - count(MeasuringReason::None) <= std::max(6L, std::lround(40 * share)));
            QVERIFY(reasons[17] != MeasuringReason::None);
            if (share < 0.9)
                QVERIFY(count(MeasuringReason::AtRandom) >= 1);
            QCOMPARE(count(MeasuringReason::Best), 4);
            for (std::size_t i = 0; i < candidates.size(); ++i)
                for (std::size_t j = i % 4; j < candidates.size(); j += 4)
                    if (reasons[j] == MeasuringReason::Best)
                        QVERIFY(candidates[j].prediction.mean <= candidates[i].prediction.mean);
            // No prediction is used that is less sure than one that was measured for being so.
            for (std::size_t i = 0; i < candidates.size(); ++i)
                for (std::size_t j = 0; j < candidates.size(); ++j)
                    if (reasons[i] == MeasuringReason::None && reasons[j] == MeasuringReason::Unsure)
                        QVERIFY(candidates[i].prediction.deviation <= candidates[j].prediction.deviation);
        }
        QVERIFY(chooseMeasured({}, 0.5).empty());
    }

    void halfIsPredictedAndNearlyRight()
    {
        LawfulJudge judge;
        CachedJudge cached(judge, 1);
        MeasuringJudge measuring(cached, pointersTo(m_targets), half());
        const auto programs = somePrograms(96);
        double first = 0, last = 0, share = 0;
        std::int64_t predicted = 0;
        for (int call = 0; call < 8; ++call) {
            const auto requests = requestsOf(programs, call);
            const auto records = measuring.judge(requests, {});
            QVERIFY(records);
            double error = 0;
            int n = 0;
            for (std::size_t i = 0; i < records->size(); ++i) {
                const auto& record = (*records)[i];
                QVERIFY(record.correct());
                const bool hasTime = record.warm.has_value();
                QCOMPARE(record.predictedMicroseconds > 0, !hasTime);
                QCOMPARE(record.flags.has(VerdictFlag::NotMeasured), !hasTime);
                QCOMPARE(record.speedup() > 0, hasTime);
                if (hasTime)
                    continue;
                QCOMPARE(record.predictedFrom, std::string(predicted_from::model));
                LawfulJudge truth;
                JudgeRequest request;
                request.program = requests[i].program;
                request.target = requests[i].target->target;
                const double real = (*truth.judge({request}, {}, {}))[0].warm->median;
                error += std::abs(record.predictedMicroseconds / real - 1);
                ++n;
            }
            predicted += n;
            const auto metrics = measuring.takeMetrics();
            if (call == 0) {
                QCOMPARE(n, 0); // nothing is known yet
                QCOMPARE(metrics.at("measure/share"), 1.0);
                QVERIFY(!metrics.contains("measure/error"));
            } else {
                QVERIFY(n > 0);
                QVERIFY(metrics.contains("measure/error"));
                (call == 1 ? first : last) = error / n;
                share = metrics.at("measure/share");
            }
        }
        QVERIFY2(last < 0.05, qPrintable(QString::number(last)));
        QVERIFY(last <= first);
        QVERIFY2(share >= 0.45 && share <= 0.6, qPrintable(QString::number(share)));
        // The judge was spared what it was not asked for.
        QCOMPARE(judge.measured, 8 * 48 - static_cast<int>(predicted));
        QVERIFY(measuring.takeMetrics().empty());
    }

    /// Programs that are wrong have no prediction, and whatever is known of a program is measured once.
    void onlyCorrectProgramsArePredicted()
    {
        LawfulJudge judge;
        CachedJudge cached(judge, 1);
        MeasuringJudge measuring(cached, pointersTo(m_targets), half());
        const auto programs = somePrograms(12);
        auto requests = requestsOf(programs, 0);
        QVERIFY(measuring.judge(requests, {}));
        QCOMPARE(judge.measured, 48);
        const auto again = measuring.judge(requests, {});
        QVERIFY(again);
        for (const auto& record : *again)
            QVERIFY(record.warm && record.predictedMicroseconds == 0);
        QCOMPARE(judge.measured, 48);
        for (auto& request : requests)
            request.program = "int main;" + request.program.text();
        const auto wrong = measuring.judge(requests, {});
        QVERIFY(wrong);
        for (const auto& record : *wrong)
            QVERIFY(!record.correct() && !record.warm && record.predictedMicroseconds == 0 &&
                    record.flags.empty());
    }

    void restoredDoesTheSame_data()
    {
        QTest::addColumn<double>("share");
        QTest::addColumn<int>("clusters");
        QTest::newRow("half") << 0.5 << 0;
        QTest::newRow("clusters") << 1.0 << 2;
        QTest::newRow("both") << 0.3 << 2;
    }
    void restoredDoesTheSame()
    {
        QFETCH(double, share);
        QFETCH(int, clusters);
        auto options = half();
        options.share = share;
        options.clusters = clusters;
        const auto programs = somePrograms(40);
        LawfulJudge judge;
        CachedJudge cached(judge, 1);
        MeasuringJudge whole(cached, pointersTo(m_targets), options);
        std::string state;
        std::vector<std::string> behind;
        bool saved = false;
        for (int call = 0; call < 6; ++call) {
            if (call == 3)
                state = whole.state().dump();
            const auto records = whole.judge(requestsOf(programs, call), {});
            QVERIFY(records);
            for (const auto& record : *records)
                saved = saved || record.predictedMicroseconds > 0;
            if (call >= 3)
                behind.push_back(textOf(*records));
        }
        QVERIFY(saved);
        CachedJudge forgetful(judge, 1);
        MeasuringJudge resumed(forgetful, pointersTo(m_targets), options);
        QVERIFY(resumed.restore(nlohmann::json::parse(state)));
        for (int call = 3; call < 6; ++call) {
            const auto records = resumed.judge(requestsOf(programs, call), {});
            QVERIFY(records);
            QCOMPARE(textOf(*records), behind[static_cast<std::size_t>(call - 3)]);
        }
        QVERIFY(!resumed.restore(nlohmann::json::parse("{\"known\":1}")));
    }

    /// The speed-up of a near matrix is taken over, not its time.
    void similarMatricesShareSpeedups()
    {
        std::vector<StageTarget> targets{targetOf("banded(n=300,band=3,fill=1)"),
                                         targetOf("banded(n=320,band=3,fill=1)"),
                                         targetOf("random(rows=4000,cols=400,mean=12)")};
        LawfulJudge judge;
        CachedJudge cached(judge, 1);
        MeasuringOptions options{1, 2, 0, 7, defaultDeviceModel()};
        MeasuringJudge measuring(cached, pointersTo(targets), options);
        std::vector<CachedJudge::Request> requests;
        for (const auto& program : somePrograms(10))
            for (const auto& target : targets)
                requests.push_back({program, &target});
        const auto records = measuring.judge(requests, {});
        QVERIFY(records);
        QCOMPARE(judge.measured, 20); // one of the two, and the far one
        QCOMPARE(judge.checked, 30);
        for (std::size_t i = 0; i < records->size(); i += 3) {
            const auto &one = (*records)[i], &near = (*records)[i + 1], &far = (*records)[i + 2];
            QVERIFY(one.warm && !near.warm && far.warm);
            QCOMPARE(near.predictedFrom, std::string(predicted_from::similar));
            QVERIFY(std::abs(near.baselineMicroseconds / near.predictedMicroseconds - one.speedup()) < 1e-9);
            QVERIFY(near.predictedMicroseconds > one.warm->median);
        }
        QCOMPARE(measuring.takeMetrics().at("measure/share"), 2.0 / 3);
        // Where all are measured all the same, what would have been taken over is held against it.
        options.clusterShare = 1;
        MeasuringJudge careful(cached, pointersTo(targets), options);
        QVERIFY(careful.judge({requests[0], requests[3]}, {}));
        const auto more = careful.judge({requests[1], requests[4]}, {});
        QVERIFY(more && (*more)[0].warm && (*more)[1].warm);
        const double off = careful.takeMetrics().at("measure/similar_error");
        const auto error = [&](std::size_t i) {
            return std::abs((*records)[i + 1].predictedMicroseconds / (*more)[i / 3].warm->median - 1);
        };
        QVERIFY(std::abs(off - (error(0) + error(3)) / 2) < 1e-9);
    }
};

QTEST_APPLESS_MAIN(TestTrainingMeasuring)
#include "tst_training_measuring.moc"
