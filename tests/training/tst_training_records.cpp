// SPDX-License-Identifier: Apache-2.0
// What an evaluation keeps of its matrices in a checkpoint, and the examples of supervised fine-tuning.
#include "base/json.h"
#include "tests/base/record_checks.h"
#include "training/data/sft_fields.h"
#include "training/evaluated/evaluated_fields.h"

#include <QTest>

using namespace sparserl;

class TestTrainingRecords : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyMemberIsDescribed()
    {
        COMPLAINT(tests::describedWhole<EvaluatedSample>());
        COMPLAINT(tests::describedWhole<EvaluatedMatrix>());
        COMPLAINT(
            tests::describedWhole<SftExample>(1, 1)); // but for the verdict; digest and name of the target
    }

    void matricesRoundTrip()
    {
        COMPLAINT(tests::roundTrips<EvaluatedMatrix>([](const EvaluatedMatrix& matrix) {
            return std::optional(evaluatedMatrixFromJson(*parseJson(dumpJson(toJson(matrix)))));
        }));
    }

    // Earlier versions kept less.
    void oldMatricesAreRead()
    {
        const auto old =
            evaluatedMatrixFromJson(*parseJson("{\"digest\":\"d\",\"nnz\":12,\"baseline_us\":2.5,\"samples\":"
                                               "4,\"reward_sum\":null,\"each\":[{\"us\":\"x\"}]}"));
        QCOMPARE(old.target, std::string("d"));
        QCOMPARE(old.split, std::string("held-out"));
        QCOMPARE(old.nnz, std::int64_t{12});
        QCOMPARE(old.samples, std::int64_t{4});
        QVERIFY(std::isnan(old.rewardSum)); // It was NaN when it was written.
        QCOMPARE(old.each.size(), std::size_t{1});
        QCOMPARE(old.each[0].microseconds, 0.0);
        QVERIFY(evaluatedMatrixFromJson(nlohmann::json::array()).target.empty());
    }

    void examplesRoundTrip()
    {
        COMPLAINT(tests::roundTrips<SftExample>([](const SftExample& example) {
            SftExample back;
            readFields(*parseJson(dumpJson(writeFields(example))), back, readLeniently);
            return std::optional(back);
        }));
    }
};

QTEST_APPLESS_MAIN(TestTrainingRecords)
#include "tst_training_records.moc"
