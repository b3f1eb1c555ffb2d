// SPDX-License-Identifier: Apache-2.0
// What calibration keeps in files: profiles of launches and rows of measurements.
#include "base/json.h"
#include "device/calibration/row_fields.h"
#include "device/profile_fields.h"
#include "tests/base/record_checks.h"

#include <QTest>

namespace sparserl::tests {
template <>
constexpr int enumerators<ElementType> = static_cast<int>(ElementType::Bool) + 1;
} // namespace sparserl::tests

using namespace sparserl;

namespace {

/// Six digits of a number, by printing it.
double sixDigits(double value)
{
    return std::isfinite(value) ? QString::number(value, 'e', 5).toDouble() : 0;
}

bool near(double a, double b)
{
    return std::abs(a - b) <= 1e-14 * std::abs(a);
}

} // namespace

class TestDeviceRecords : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyMemberIsDescribed()
    {
        COMPLAINT(tests::describedWhole<BlockClass>());
        COMPLAINT(tests::describedWhole<LaunchProfile>());
        COMPLAINT(tests::describedWhole<CallProfile>());
        COMPLAINT(tests::describedWhole<CalibrationRow>(2, 3)); // the target is four
    }

    void profilesRoundTrip()
    {
        for (std::uint64_t seed = 0; seed < 200; ++seed) {
            tests::Filler filler(seed, true);
            CallProfile profile;
            filler.record(profile);
            std::vector<std::pair<double, double>> rounded; // What is kept to six digits only.
            const auto read = callProfileFromJson(tests::throughText(toJson(profile)));
            QVERIFY(read.has_value() && read->launches.size() == profile.launches.size());
            auto back = *read;
            for (std::size_t i = 0; i < profile.launches.size(); ++i) {
                auto &a = profile.launches[i], &b = back.launches[i];
                QCOMPARE(b.classes.size(), a.classes.size());
                const auto take = [&](auto& x, auto& y) {
                    rounded.emplace_back(sixDigits(static_cast<double>(x)), static_cast<double>(y));
                    y = x;
                };
                for (std::size_t k = 0; k < a.total.size(); ++k) {
                    take(a.total[k], b.total[k]);
                    take(a.busiest[k], b.busiest[k]);
                }
                for (std::size_t c = 0; c < a.classes.size(); ++c) {
                    take(a.classes[c].instructions, b.classes[c].instructions);
                    for (std::size_t k = 0; k < a.classes[c].steps.size(); ++k)
                        take(a.classes[c].steps[k], b.classes[c].steps[k]);
                }
            }
            QVERIFY(tests::sameRecord(profile, back));
            for (const auto& [expected, got] : rounded)
                QVERIFY2(near(expected, got) || std::abs(expected) > 1e300 || std::abs(expected) < 1e-300,
                         qPrintable(QStringLiteral("%1 became %2").arg(expected).arg(got)));
        }
    }

    void profilesOfAnotherFormAreRefused()
    {
        CallProfile profile;
        profile.launches.resize(1);
        profile.launches[0].classes.resize(1);
        const auto json = toJson(profile);
        QVERIFY(callProfileFromJson(json).has_value());
        for (const char* key : {"version", "launches"}) {
            auto other = json;
            other.erase(key);
            QVERIFY2(!callProfileFromJson(other).has_value(), key);
        }
        for (const char* key : {"classes", "total", "busiest"}) {
            auto other = json;
            other["launches"][0].erase(key);
            QVERIFY2(!callProfileFromJson(other).has_value(), key);
            other["launches"][0][key] = {1, "x"};
            QVERIFY2(!callProfileFromJson(other).has_value(), key);
        }
        auto other = json;
        other["launches"][0]["store_sectors"] = nullptr; // NaN, as earlier versions wrote it.
        other["launches"][0].erase("hottest_word");
        QCOMPARE(callProfileFromJson(other)->launches[0].storeSectors, 0.0);
    }

    void rowsRoundTrip()
    {
        COMPLAINT(tests::roundTrips<CalibrationRow>([](CalibrationRow row) {
            // Times that are none are not kept.
            auto expected = row;
            const auto read = calibrationRowFromJson(tests::throughText(toJson(row)));
            std::optional<CalibrationRow> back;
            if (read) {
                back = *read;
                for (const auto time : {&CalibrationRow::warm, &CalibrationRow::cold}) {
                    if (expected.*time && !((expected.*time)->median > 0) && !(back.value().*time))
                        back.value().*time = expected.*time;
                }
            }
            return back;
        }));
    }
};

QTEST_APPLESS_MAIN(TestDeviceRecords)
#include "tst_device_records.moc"
